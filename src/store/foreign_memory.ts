/** Observations that come from another program's memory, and the projects that they may belong to. */
import type { DatabaseSync } from "node:sqlite";
import type { NewObservation } from "./observations.ts";
import { statement } from "./statement.ts";

/** A project that a session was seen in. */
export interface SeenProject {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  readonly projectDir: string;
}

/** Every project that a session was seen in, with each folder of it. */
export function seenProjects(db: DatabaseSync): SeenProject[] {
  return db.prepare(
    `SELECT DISTINCT coalesce(repository, project_dir) AS project, project_dir AS projectDir
       FROM sessions
      WHERE project_dir IS NOT NULL
      ORDER BY project, projectDir`,
  ).all() as unknown as SeenProject[];
}

/** The observation with a uid; undefined when there is none. */
export function observationByUid(
  db: DatabaseSync,
  uid: string,
): { readonly id: number; readonly project: string | null } | undefined {
  return statement(db, "SELECT id, project FROM observations WHERE uid = ?").get(uid) as
    | { readonly id: number; readonly project: string | null }
    | undefined;
}

/** An observation that belongs to another project from now on, with its files and words as they are told from there. */
export interface Move extends Pick<NewObservation, "project" | "terms" | "files"> {
  readonly id: number;
}

/**
 * Lets observations belong to another project, in the caller's transaction.
 *
 * What a row said before is marked as gone in the index, but not taken out of its pages: that would take five times as
 * long as all the rest. Whoever has moved all that there is calls `rewriteIndex()`; until then, or until something is
 * forgotten, the old words stand in the file once more, beside the new ones of the same observation.
 */
export function moveObservations(db: DatabaseSync, moves: readonly Move[]): void {
  if (moves.length === 0) return;
  const rows = JSON.stringify(moves.map(({ files, ...move }) => ({
    ...move,
    files: JSON.stringify(files.map(({ path }) => path)),
  })));
  db.exec("CREATE TEMP TABLE IF NOT EXISTS moving AS SELECT * FROM observations WHERE FALSE");
  statement(db, "DELETE FROM temp.moving").run();
  statement(
    db,
    `INSERT INTO temp.moving
     SELECT o.*
       FROM json_each(?) AS move
       JOIN observations AS o ON o.id = move.value ->> 'id'`,
  ).run(rows);
  statement(
    db,
    `UPDATE temp.moving AS m
        SET project = move.value ->> 'project', terms = move.value ->> 'terms', files = move.value ->> 'files'
       FROM json_each(?) AS move
      WHERE m.id = move.value ->> 'id'`,
  ).run(rows);
  setSecureDelete(db, false);
  // First all are taken out, then all are put in: the index writes a part of its own for each that is changed in place.
  statement(db, "DELETE FROM observations WHERE id IN (SELECT id FROM temp.moving)").run();
  statement(db, "INSERT INTO observations SELECT * FROM temp.moving ORDER BY id").run();
  setSecureDelete(db, true);
  statement(db, "DELETE FROM temp.moving").run();
  const insert = statement(
    db,
    "INSERT INTO observation_files (path, observation_id, digest) VALUES (?, ?, ?)",
  );
  for (const { id, files } of moves) {
    for (const { path, digest } of files) insert.run(path, id, digest);
  }
}

/** What is set inside of a transaction nobody else sees before its end, nor when it is rolled back. */
function setSecureDelete(db: DatabaseSync, active: boolean): void {
  // The index wants a whole number, which no parameter is.
  const value = active ? 1 : 0;
  statement(db, `INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', ${value})`)
    .run();
}

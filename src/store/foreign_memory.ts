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

/** Lets an observation belong to another project, with its files and words as they are told from there. */
export function moveObservation(
  db: DatabaseSync,
  id: number,
  { project, terms, files }: Pick<NewObservation, "project" | "terms" | "files">,
): void {
  statement(db, "UPDATE observations SET project = ?2, terms = ?3, files = ?4 WHERE id = ?1")
    .run(id, project, terms, JSON.stringify(files.map(({ path }) => path)));
  statement(db, "DELETE FROM observation_files WHERE observation_id = ?").run(id);
  for (const { path, digest } of files) {
    statement(
      db,
      "INSERT INTO observation_files (path, observation_id, digest) VALUES (?, ?, ?)",
    ).run(path, id, digest);
  }
}

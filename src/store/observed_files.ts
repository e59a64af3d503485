/** The files of observations with their digests, as JSON, also where pages of their table or of its index are damaged. */
import type { DatabaseSync } from "node:sqlite";
import { orDamaged } from "./export_salvage.ts";
import { statement } from "./statement.ts";

/** What is left of them. */
export interface ObservedFiles {
  /** A JSON array of objects with `path` and `digest`. */
  readonly files: string;
  /** False where files or their digests may be lost. */
  readonly isWhole: boolean;
}

const NONE = "[]";

/** Makes what finds them by the number of an observation: by the index, or without it. */
export function observedFiles(db: DatabaseSync): (id: number) => ObservedFiles {
  let all: ReadonlyMap<number, string> | null | undefined;
  return (id) =>
    orDamaged(() => ({ files: byIndex(db, id), isWhole: true }), () => {
      if (all === undefined) all = orDamaged(() => byTable(db), () => null);
      if (all !== null) return { files: all.get(id) ?? NONE, isWhole: true };
      const paths = orDamaged(() => pathsByIndex(db, id), () => null);
      // Where the index names none, the damaged page has taken none.
      return { files: paths ?? NONE, isWhole: paths === NONE };
    });
}

function byIndex(db: DatabaseSync, id: number): string {
  const row = statement(
    db,
    `SELECT json_group_array(json_object('path', path, 'digest', digest) ORDER BY path) AS files
       FROM observation_files
      WHERE observation_id = ?`,
  ).get(id);
  return String(row!["files"]);
}

/**
 * Of all at once: to look for those of one observation would be to read the whole table. The sign before the column keeps
 * SQLite from the index, which `NOT INDEXED` alone does not in a table without row numbers.
 */
function byTable(db: DatabaseSync): ReadonlyMap<number, string> {
  const rows = db.prepare(
    `SELECT observation_id AS id,
            json_group_array(json_object('path', path, 'digest', digest) ORDER BY path) AS files
       FROM observation_files NOT INDEXED
      GROUP BY +observation_id`,
  ).all();
  return new Map(rows.map(({ id, files }) => [Number(id), String(files)]));
}

/** Without the digests, from the index alone. */
function pathsByIndex(db: DatabaseSync, id: number): string {
  const row = statement(
    db,
    `SELECT json_group_array(json_object('path', path, 'digest', NULL) ORDER BY path) AS files
       FROM observation_files INDEXED BY observation_files_by_observation
      WHERE observation_id = ?`,
  ).get(id);
  return String(row!["files"]);
}

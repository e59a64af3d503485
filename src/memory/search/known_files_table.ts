/** Finds the paths that observations name. */
import type { DatabaseSync } from "node:sqlite";
import { isAbsolutePath } from "../../base/paths.ts";
import { fileMatch, WHOLE_PATH } from "../../db/file_match.ts";
import { statement } from "../../db/statement.ts";

/** SQL: every path once. SQLite takes one step in the index for each path, not for each row. */
const PATHS = `WITH RECURSIVE paths (path) AS (
       SELECT min(path) FROM observation_files
        UNION ALL
       SELECT (SELECT min(path) FROM observation_files WHERE path > paths.path)
         FROM paths
        WHERE paths.path IS NOT NULL
     )`;

/** Returns at most `limit` of the paths that observations name, in alphabetical order. */
export function observedPaths(db: DatabaseSync, limit: number): string[] {
  return statement(
    db,
    `${PATHS}
     SELECT path
       FROM paths
      WHERE path IS NOT NULL
      LIMIT ?`,
  ).all(limit).map(({ path }) => String(path));
}

/** Returns the paths that match a part of a path, by {@linkcode fileMatch}. */
export function pathsWithPart(db: DatabaseSync, part: string): string[] {
  const { sql, value } = fileMatch(part);
  return statement(
    db,
    `${PATHS}
     SELECT t.path
       FROM paths AS t
      WHERE ${sql}`,
  ).all(value).map(({ path }) => String(path));
}

/** Tells whether an observation names a file, or a file below a folder. @param file As in a filter. */
export function isKnownFile(db: DatabaseSync, file: string): boolean {
  if (!isAbsolutePath(file)) return pathsWithPart(db, file).length > 0;
  const { sql, value } = fileMatch(file);
  return statement(
    db,
    `SELECT 1
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE ${sql}
      LIMIT 1`,
  ).get(value) !== undefined;
}

/** The paths among some that a project names, the newest first. @param options `areWhole`: as absolute paths if known. */
export function newestOfPaths(
  db: DatabaseSync,
  paths: readonly string[],
  { project, areWhole, limit }: {
    readonly project: string | null;
    readonly areWhole: boolean;
    readonly limit: number;
  },
): string[] {
  const path = areWhole ? `coalesce(${WHOLE_PATH}, t.path)` : "t.path";
  return db.prepare(
    `SELECT ${path} AS path
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE t.path IN (SELECT value FROM json_each(?1))
        AND (?2 IS NULL OR o.project = ?2)
      GROUP BY ${path}
      ORDER BY max(o.id) DESC
      LIMIT ?3`,
  ).all(JSON.stringify(paths), project, limit).map(({ path }) => String(path));
}

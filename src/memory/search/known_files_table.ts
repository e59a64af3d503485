/**
 * Finds the paths that observations name. SQLite steps through the index, one step a path, however often it was seen.
 */
import type { DatabaseSync } from "node:sqlite";
import { isAbsolutePath, withParents } from "../../base/paths.ts";
import { fileMatch, WHOLE_PATH } from "../../db/file_match.ts";
import { knownProjects } from "./known_project_table.ts";
import type { MemoryFilter } from "./memory_search_table.ts";
import { statement } from "../../db/statement.ts";

/** Every path once: as many steps as there are paths, not rows. */
const PATHS = `WITH RECURSIVE paths (path) AS (
       SELECT min(path) FROM observation_files
        UNION ALL
       SELECT (SELECT min(path) FROM observation_files WHERE path > paths.path)
         FROM paths
        WHERE paths.path IS NOT NULL
     )`;

/** The paths that observations name, at most so many of them, in alphabetical order. */
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

/** The paths that a part of a path means, as {@linkcode fileMatch} says. */
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

/** Whether anything is remembered of a file, or of one below a folder. @param file As a filter has it. */
export function isKnownFile(db: DatabaseSync, file: string): boolean {
  if (!isAbsolutePath(file)) return pathsWithPart(db, file).length > 0;
  const path = fileMatch(file).value;
  return isNamed(db, path, null) || isInProject(db, path) || isAroundProject(db, path);
}

/**
 * Whether a filter names a file of which nothing is remembered, so that nothing passes it: otherwise the files of everything
 * that has a word would be looked through.
 */
export function isOfUnknownFile(db: DatabaseSync, { file }: Pick<MemoryFilter, "file">): boolean {
  return file !== null && !isKnownFile(db, file);
}

/** A file that its project tells from its own folder: one of the folders around it is the project's. */
function isInProject(db: DatabaseSync, path: string): boolean {
  return withParents(path).some((folder) =>
    folder !== path &&
    isNamed(db, path.slice(folder.length).replace(/^\/+/, ""), folder)
  );
}

/** Whether a path, or one below it, is named. @param folder Of the project that tells it so; null for any. */
function isNamed(db: DatabaseSync, path: string, folder: string | null): boolean {
  return statement(
    db,
    `SELECT 1
       FROM observation_files AS t
       JOIN observations AS o ON o.id = t.observation_id
      WHERE (t.path = ?1 OR t.path > ?1 || '/' AND t.path < ?1 || '0')
        AND (?2 IS NULL OR o.project IN (?2, rtrim(?2, '/') || '/.git'))
      LIMIT 1`,
  ).get(path, folder) !== undefined;
}

/** A folder in which whole projects lie, or that of one. */
function isAroundProject(db: DatabaseSync, path: string): boolean {
  const { sql, value } = fileMatch(path);
  const below = `${path.replace(/\/$/, "")}/`;
  return knownProjects(db)
    .filter((project) => project === path || project.startsWith(below))
    .some((project) =>
      statement(
        db,
        `SELECT 1
           FROM observations AS o
           JOIN observation_files AS t ON t.observation_id = o.id
          WHERE o.project = ?1
            AND ${sql.replace("?", "?2")}
          LIMIT 1`,
      ).get(project, value) !== undefined
    );
}

/** How some paths are told, the newest first. @param options `areWhole`: as whole paths where that is known. */
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

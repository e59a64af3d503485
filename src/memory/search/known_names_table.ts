/** Finds the names that a person may give: paths, projects and branches that memory knows, and ids of work. */
import type { DatabaseSync } from "node:sqlite";
import { isAbsolutePath } from "../../base/paths.ts";
import { fileMatch, WHOLE_PATH } from "../../db/file_match.ts";
import { statement } from "../../db/statement.ts";
import { KINDS_OF_BRANCH } from "../tell/memory_context_table.ts";
import { projectTerm } from "./terms.ts";

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
  return statement(db)`
    ${PATHS}
    SELECT path
      FROM paths
     WHERE path IS NOT NULL
     LIMIT ?`.all(limit).map(({ path }) => String(path));
}

/** Returns the paths that match a part of a path, by {@linkcode fileMatch}. */
export function pathsWithPart(db: DatabaseSync, part: string): string[] {
  const { sql, value } = fileMatch(part);
  return statement(db)`
    ${PATHS}
    SELECT t.path
      FROM paths AS t
     WHERE ${sql}`.all(value).map(({ path }) => String(path));
}

/** Tells whether an observation names a file, or a file below a folder. @param file As in a filter. */
export function isKnownFile(db: DatabaseSync, file: string): boolean {
  if (!isAbsolutePath(file)) return pathsWithPart(db, file).length > 0;
  const { sql, value } = fileMatch(file);
  return statement(db)`
    SELECT 1
      FROM observation_files AS t
      JOIN observations AS o ON o.id = t.observation_id
     WHERE ${sql}
     LIMIT 1`.get(value) !== undefined;
}

/** Returns those of some paths that a project has, the newest first. @param options `areWhole`: absolute, if known. */
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
  return statement(db)`
    SELECT ${path} AS path
      FROM observation_files AS t
      JOIN observations AS o ON o.id = t.observation_id
     WHERE t.path IN (SELECT value FROM json_each(?1))
       AND (?2 IS NULL OR o.project = ?2)
     GROUP BY ${path}
     ORDER BY max(o.id) DESC
     LIMIT ?3`.all(JSON.stringify(paths), project, limit).map(({ path }) => String(path));
}

/** Tells whether a session or an observation belongs to a project: a common git directory, or a folder. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = statement(db)`
    SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
           OR EXISTS (SELECT 1 FROM observations WHERE ${KINDS_OF_BRANCH} AND project = ?1) AS isKnown`
    .get(project)!;
  return isKnown === 1;
}

/** Returns the first of some projects in which a session ran, or null. */
export function nearestKnown(db: DatabaseSync, projects: readonly string[]): string | null {
  const row = statement(db)`
    SELECT value AS project
      FROM json_each(?)
     WHERE EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = value)
     ORDER BY key
     LIMIT 1`.get(JSON.stringify(projects));
  return row === undefined ? null : String(row["project"]);
}

/** Returns all known projects. Those with the newest observation come first. */
export function knownProjects(db: DatabaseSync): string[] {
  return statement(db)`
    SELECT project
      FROM (SELECT coalesce(repository, project_dir) AS project, 0 AS at_ms
              FROM sessions
             UNION ALL
            SELECT project, max(created_at_ms)
              FROM observations
             WHERE ${KINDS_OF_BRANCH}
             GROUP BY project)
     WHERE project IS NOT NULL
     GROUP BY project
     ORDER BY max(at_ms) DESC, project`.all().map(({ project }) => String(project));
}

/**
 * Gives observations another project, with the term of the search index, in the caller's transaction.
 * @param newOf The new project of each; null where it stays.
 */
export function moveProjects(db: DatabaseSync, newOf: (project: string) => string | null): void {
  const rows = db.prepare("SELECT DISTINCT project FROM observations WHERE project IS NOT NULL");
  for (const row of rows.all()) {
    const project = String(row["project"]);
    const to = newOf(project);
    if (to === null) continue;
    statement(db)`
      UPDATE observations SET project = ?, terms = replace(terms, ?, ?) WHERE project = ?`
      .run(to, projectTerm(project), projectTerm(to), project);
  }
}

/** Returns the branches of observations, newest first. @param project Null for all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  return statement(db)`
    SELECT branch
      FROM observations
     WHERE ${KINDS_OF_BRANCH}
       AND branch IS NOT NULL
       AND (?1 IS NULL OR project = ?1)
     GROUP BY branch
     ORDER BY max(created_at_ms) DESC, branch`.all(project).map(({ branch }) => String(branch));
}

/** Tells whether a session or an observation has a branch. */
export function isKnownBranch(db: DatabaseSync, branch: string, project: string | null): boolean {
  const ofSession = statement(db)`
    SELECT 1
      FROM sessions
     WHERE branch = ?1
       AND (?2 IS NULL OR coalesce(repository, project_dir) = ?2)`.get(branch, project);
  return ofSession !== undefined || knownBranches(db, project).includes(branch);
}

/** The shortest part of an id that is looked up, in characters without dashes. */
export const MIN_ID_PART = 4;

/** Returns the ids that a person may mean: the whole id, or ids that begin or end with the text; newest first. */
export function findIds(
  db: DatabaseSync,
  table: "tasks" | "agents" | "workflows" | "questions",
  { text, limit = 6 }: { readonly text: string; readonly limit?: number },
): string[] {
  const part = text.replaceAll("-", "").toLowerCase();
  const whole = db.prepare(`SELECT id FROM ${table} WHERE id IN (?, ?)`)
    .all(text, text.toLowerCase());
  if (whole.length > 0) return whole.map((row) => String(row["id"]));
  if (part.length < MIN_ID_PART || !/^[\da-z]+$/.test(part)) return [];
  return statement(db)`
    SELECT id
      FROM ${table}
     WHERE replace(id, '-', '') GLOB ?1 || '*'
        OR replace(id, '-', '') GLOB '*' || ?1
     ORDER BY created_at_ms DESC, id DESC
     LIMIT ?2`.all(part, limit).map((row) => String(row["id"]));
}

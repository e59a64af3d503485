/** Finds the known projects and branches. */
import type { DatabaseSync } from "node:sqlite";
import { projectTerm } from "./terms.ts";
import { KINDS_OF_BRANCH } from "../tell/memory_context_table.ts";
import { statement } from "../../db/statement.ts";

/** So many of the newest observations are searched for a branch that has only commands and prompts. */
const NEWEST = 30_000;

/** Whether a session or an observation belongs to a project: a common git directory, or a folder. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = statement(
    db,
    `SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
            OR EXISTS (SELECT 1 FROM observations WHERE ${KINDS_OF_BRANCH} AND project = ?1) AS isKnown`,
  ).get(project)!;
  return isKnown === 1 || hasProjectWord(db, project);
}

/** Asks the search index, which has the project of every observation; other indexes leave out commands and prompts. */
function hasProjectWord(db: DatabaseSync, project: string): boolean {
  try {
    return statement(
      db,
      `SELECT 1
         FROM memory_index AS f
         JOIN observations AS o ON o.id = f.rowid
        WHERE memory_index MATCH ?
          AND o.project = ?
        LIMIT 1`,
    ).get(`"${projectTerm(project)}"`, project) !== undefined;
  } catch {
    // The index is damaged. A search will report and rebuild it.
    return statement(db, "SELECT 1 FROM observations WHERE project = ? LIMIT 1").get(project) !==
      undefined;
  }
}

/** All projects of sessions and of tellable observations, those with the newest observation first. */
export function knownProjects(db: DatabaseSync): string[] {
  return statement(
    db,
    `SELECT project
       FROM (SELECT coalesce(repository, project_dir) AS project, 0 AS at_ms FROM sessions
              UNION ALL
             SELECT project, max(created_at_ms) FROM observations WHERE ${KINDS_OF_BRANCH} GROUP BY project)
      WHERE project IS NOT NULL
      GROUP BY project
      ORDER BY max(at_ms) DESC, project`,
  ).all().map(({ project }) => String(project));
}

/** The branches of tellable observations, the newest first. @param project Null for all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  return statement(
    db,
    `SELECT branch
       FROM observations
      WHERE ${KINDS_OF_BRANCH}
        AND branch IS NOT NULL
        AND project IS coalesce(?1, project)
        AND project IS NOT NULL
      GROUP BY branch
      ORDER BY max(created_at_ms) DESC, branch`,
  ).all(project).map(({ branch }) => String(branch));
}

/** Whether a session or an observation has a branch. For a branch with commands alone, only the newest are searched. */
export function isKnownBranch(db: DatabaseSync, branch: string, project: string | null): boolean {
  if (knownBranches(db, project).includes(branch)) return true;
  const { isKnown } = statement(
    db,
    `SELECT EXISTS (
              SELECT 1
                FROM sessions
               WHERE branch = ?1
                 AND (?2 IS NULL OR coalesce(repository, project_dir) = ?2))
            OR EXISTS (
              SELECT 1
                FROM (SELECT branch, project FROM observations ORDER BY id DESC LIMIT ${NEWEST})
               WHERE branch = ?1
                 AND (?2 IS NULL OR project = ?2)) AS isKnown`,
  ).get(branch, project)!;
  return isKnown === 1;
}

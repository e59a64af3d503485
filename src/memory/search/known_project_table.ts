/** Finds the known projects and branches: those of sessions, and of observations that a new session may be told. */
import type { DatabaseSync } from "node:sqlite";
import { projectTerm } from "./terms.ts";
import { KINDS_OF_BRANCH } from "../tell/memory_context_table.ts";
import { statement } from "../../db/statement.ts";

/** Tells whether a session or an observation belongs to a project: a common git directory, or a folder. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = statement(
    db,
    `SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
            OR EXISTS (SELECT 1 FROM observations WHERE ${KINDS_OF_BRANCH} AND project = ?1) AS isKnown`,
  ).get(project)!;
  return isKnown === 1;
}

/** Returns the first of some projects in which a session ran, or null. */
export function nearestKnown(db: DatabaseSync, projects: readonly string[]): string | null {
  const row = statement(
    db,
    `SELECT value AS project
       FROM json_each(?)
      WHERE EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = value)
      ORDER BY key
      LIMIT 1`,
  ).get(JSON.stringify(projects));
  return row === undefined ? null : String(row["project"]);
}

/** Returns all known projects. Those with the newest observation come first. */
export function knownProjects(db: DatabaseSync): string[] {
  return statement(
    db,
    `SELECT project
       FROM (SELECT coalesce(repository, project_dir) AS project, 0 AS at_ms
               FROM sessions
              UNION ALL
             SELECT project, max(created_at_ms)
               FROM observations
              WHERE ${KINDS_OF_BRANCH}
              GROUP BY project)
      WHERE project IS NOT NULL
      GROUP BY project
      ORDER BY max(at_ms) DESC, project`,
  ).all().map(({ project }) => String(project));
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
    db.prepare(
      "UPDATE observations SET project = ?, terms = replace(terms, ?, ?) WHERE project = ?",
    )
      .run(to, projectTerm(project), projectTerm(to), project);
  }
}

/** Returns the branches of observations, newest first. @param project Null for all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  return statement(
    db,
    `SELECT branch
       FROM observations
      WHERE ${KINDS_OF_BRANCH}
        AND branch IS NOT NULL
        AND (?1 IS NULL OR project = ?1)
      GROUP BY branch
      ORDER BY max(created_at_ms) DESC, branch`,
  ).all(project).map(({ branch }) => String(branch));
}

/** Tells whether a session or an observation has a branch. */
export function isKnownBranch(db: DatabaseSync, branch: string, project: string | null): boolean {
  const ofSession = statement(
    db,
    `SELECT 1
       FROM sessions
      WHERE branch = ?1
        AND (?2 IS NULL OR coalesce(repository, project_dir) = ?2)`,
  ).get(branch, project);
  return ofSession !== undefined || knownBranches(db, project).includes(branch);
}

/** Finds the known projects and branches through indexes, without reading all observations. */
import type { DatabaseSync } from "node:sqlite";
import { projectTerm } from "./terms.ts";
import { KINDS_OF_BRANCH } from "../tell/memory_context_table.ts";
import { statement } from "../../db/statement.ts";

/** The most observations, the newest, that are searched for a branch with nothing but commands and prompts. */
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

/** The first of some projects in which a session ran; null where none did. */
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

/** All projects of sessions and of tellable observations, those with the newest observation first. */
export function knownProjects(db: DatabaseSync): string[] {
  const newest = new Map<string, number>();
  for (const project of sessionProjects(db)) newest.set(project, 0);
  for (const project of toldProjects(db)) {
    const atMs = Math.max(...branchesOf(db, project).map((branch) => branch.atMs));
    newest.set(project, atMs);
  }
  return newestFirst(newest);
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

function newestFirst(times: ReadonlyMap<string, number>): string[] {
  return [...times]
    .sort(([one, atMs], [other, otherAtMs]) => otherAtMs - atMs || (one < other ? -1 : 1))
    .map(([name]) => name);
}

function sessionProjects(db: DatabaseSync): string[] {
  return statement(
    db,
    `SELECT DISTINCT coalesce(repository, project_dir) AS project
       FROM sessions
      WHERE coalesce(repository, project_dir) IS NOT NULL`,
  ).all().map(({ project }) => String(project));
}

/** The projects of observations that SessionStart may tell. */
function toldProjects(db: DatabaseSync): string[] {
  return distinct(db, "project", KINDS_OF_BRANCH, []);
}

/** The values of a column of observations. The query takes one step in the index for each value. */
function distinct(
  db: DatabaseSync,
  column: "project" | "branch",
  condition: string,
  values: readonly string[],
): string[] {
  const next = `SELECT min(${column}) FROM observations WHERE ${condition} AND ${column} >`;
  return statement(
    db,
    `WITH RECURSIVE step (value) AS (
       SELECT (${next} '')
        UNION ALL
       SELECT (${next} step.value) FROM step WHERE step.value IS NOT NULL
     )
     SELECT value FROM step WHERE value IS NOT NULL`,
  ).all(...values).map(({ value }) => String(value));
}

interface KnownBranch {
  /** Null for work on no branch. */
  readonly branch: string | null;
  readonly atMs: number;
}

/** The branches of a project, with the time of the newest observation on each. */
function branchesOf(db: DatabaseSync, project: string): KnownBranch[] {
  const named = distinct(db, "branch", `${KINDS_OF_BRANCH} AND project = ?1`, [project]);
  return [null, ...named].map((branch) => {
    const row = statement(
      db,
      `SELECT max(created_at_ms) AS atMs
         FROM observations
        WHERE ${KINDS_OF_BRANCH}
          AND project = ?
          AND branch IS ?`,
    ).get(project, branch);
    return { branch, atMs: Number(row!["atMs"] ?? 0) };
  });
}

/** The branches of observations, the newest first. @param project Null for all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  const newest = new Map<string, number>();
  for (const one of project === null ? toldProjects(db) : [project]) {
    for (const { branch, atMs } of branchesOf(db, one)) {
      if (branch !== null) newest.set(branch, Math.max(atMs, newest.get(branch) ?? 0));
    }
  }
  return newestFirst(newest);
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

/** Of which projects and branches anything is remembered, found by indexes: not by going through all observations. */
import type { DatabaseSync } from "node:sqlite";
import { projectTerm } from "../memory/terms.ts";
import { KINDS_OF_BRANCH } from "./memory_context.ts";
import { statement } from "./statement.ts";

/** Observations that are looked through for a branch on which nothing but commands and the like was done. */
const NEWEST = 30_000;

/** Whether anything here is of a project: the common git directory, or the folder where there is none. */
export function isKnownProject(db: DatabaseSync, project: string): boolean {
  const { isKnown } = statement(
    db,
    `SELECT EXISTS (SELECT 1 FROM sessions WHERE coalesce(repository, project_dir) = ?1)
            OR EXISTS (SELECT 1 FROM observations WHERE ${KINDS_OF_BRANCH} AND project = ?1) AS isKnown`,
  ).get(project)!;
  return isKnown === 1 || hasProjectWord(db, project);
}

/** No index of the table has commands, prompts and the like, but the index of words has the project of every observation. */
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
    // The index is damaged: whoever searches in it says so, and makes it anew.
    return statement(db, "SELECT 1 FROM observations WHERE project = ? LIMIT 1").get(project) !==
      undefined;
  }
}

/** All projects of sessions, and of what may be told at the start of one; those with the newest of that first. */
export function knownProjects(db: DatabaseSync): string[] {
  const newest = new Map<string, number>();
  for (const project of sessionProjects(db)) newest.set(project, 0);
  for (const project of toldProjects(db)) {
    const atMs = Math.max(...branchesOf(db, project).map((branch) => branch.atMs));
    newest.set(project, atMs);
  }
  return [...newest]
    .sort(([one, atMs], [other, otherAtMs]) => otherAtMs - atMs || (one < other ? -1 : 1))
    .map(([project]) => project);
}

function sessionProjects(db: DatabaseSync): string[] {
  return statement(
    db,
    `SELECT DISTINCT coalesce(repository, project_dir) AS project
       FROM sessions
      WHERE coalesce(repository, project_dir) IS NOT NULL`,
  ).all().map(({ project }) => String(project));
}

/** The projects of what may be told at the start of a session, one step in the index for each. */
function toldProjects(db: DatabaseSync): string[] {
  return stepsOf((last) =>
    statement(
      db,
      `SELECT min(project) AS next
         FROM observations
        WHERE ${KINDS_OF_BRANCH}
          AND project > ?`,
    ).get(last)
  );
}

interface KnownBranch {
  /** Null is what was done on none. */
  readonly branch: string | null;
  readonly atMs: number;
}

/** The branches of a project, with the time of what is newest on each. */
function branchesOf(db: DatabaseSync, project: string): KnownBranch[] {
  const named = stepsOf((last) =>
    statement(
      db,
      `SELECT min(branch) AS next
         FROM observations
        WHERE ${KINDS_OF_BRANCH}
          AND project = ?
          AND branch > ?`,
    ).get(project, last)
  );
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

/** All that stepping from one to the next gives, in order. */
function stepsOf(next: (last: string) => Record<string, unknown> | undefined): string[] {
  const found: string[] = [];
  for (let last = "";;) {
    const value = next(last)?.["next"];
    if (typeof value !== "string") return found;
    found.push(last = value);
  }
}

/** The branches of what is remembered, the newest first. @param project Null: of all projects. */
export function knownBranches(db: DatabaseSync, project: string | null): string[] {
  const newest = new Map<string, number>();
  for (const one of project === null ? toldProjects(db) : [project]) {
    for (const { branch, atMs } of branchesOf(db, one)) {
      if (branch !== null) newest.set(branch, Math.max(atMs, newest.get(branch) ?? 0));
    }
  }
  return [...newest]
    .sort(([one, atMs], [other, otherAtMs]) => otherAtMs - atMs || (one < other ? -1 : 1))
    .map(([branch]) => branch);
}

/**
 * Whether anything is remembered of a branch. Where nothing but commands and the like was done on it, only the newest
 * observations, and the sessions, are looked through.
 *
 * @param project Null: in any project.
 */
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

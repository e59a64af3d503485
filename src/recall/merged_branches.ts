/** Tells branches that are gone apart: of one that was given up all is over, of one that was merged what was left is not. */
import type { DatabaseSync } from "node:sqlite";
import type { Environment } from "../environment.ts";
import { branchHolding, lastCommit, mergedAtMs } from "../git/merged_into.ts";
import { newId } from "../ids.ts";
import { transaction } from "../store/database.ts";
import { standingCommitsOn } from "../store/branch_observations.ts";
import { givenUpWith, moveOpenEnds, noteEnd } from "../store/merged_branch.ts";
import { mendMerged } from "./merged_failures.ts";

/** Where it is asked. */
interface Here {
  /** Common git directory. */
  readonly project: string;
  readonly branch: string | null;
  readonly root: string | null;
  readonly nowMs: number;
  readonly environment: Environment;
}

/** So many branches are asked about at one start; the next one asks about the others. */
const MAX_ASKED = 3;
/** Git's logs tell seconds. */
const LOG_STEP_MS = 1_000;

/**
 * Moves what was left on branches that are gone to those that they were merged into; git is asked once for each.
 *
 * @returns Whether anything is known now that was not. @throws {Error} What SQLite says.
 */
export async function moveMerged(
  db: DatabaseSync,
  { project, branch, root, nowMs, environment }: Here,
  gone: readonly string[],
): Promise<boolean> {
  if (root === null) return false;
  const asked = gone.flatMap((name) => {
    const of = { project, branch: name };
    const [seen] = standingCommitsOn(db, of);
    const last = lastCommit({ commonDir: project }, name) ??
      (seen === undefined ? null : { id: seen.hash, atMs: seen.atMs });
    return last === null || givenUpWith(db, of) === last.id ? [] : [{ of, last }];
  });
  let isKnown = false;
  for (const { of, last } of asked.slice(0, MAX_ASKED)) {
    const into = await branchHolding({ root, branch, commonDir: project }, last.id, environment);
    isKnown = true;
    if (into === null) {
      transaction(db, () => noteEnd(db, of, { end: "given_up", commit: last.id }));
      continue;
    }
    const merge = { merged: of.branch, into, leftAtMs: last.atMs };
    const sinceMs = mergedAtMs({ commonDir: project }, merge);
    const untilMs = sinceMs === null ? nowMs : sinceMs + LOG_STEP_MS;
    const capture = {
      id: newId(nowMs),
      sessionId: "",
      project,
      branch: into,
      createdAtMs: untilMs,
    };
    transaction(db, () => {
      mendMerged(db, { capture, merged: of.branch, nowMs });
      moveOpenEnds(db, of, { into, sinceMs });
      noteEnd(db, of, { end: "merged", commit: last.id });
    });
  }
  return isKnown;
}

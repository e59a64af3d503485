/** What was left open on a branch goes to the one that it was merged into. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import { FACTS } from "./facts_column.ts";
import { KINDS_OF_BRANCH, type ProjectBranch } from "./memory_context.ts";
import { endPassed } from "./renamed_branch.ts";

/** Where a session was that was on a branch which is gone. */
const BRANCHES = `(SELECT json_group_array(DISTINCT value)
                     FROM (SELECT value FROM json_each(coalesce(${FACTS} -> '$.branches', '[]'))
                            UNION ALL
                           SELECT value FROM json_each(json_array(?2, ?3))))`;

/** A branch that is gone. */
interface Gone extends ProjectBranch {
  readonly branch: string;
}

/**
 * What failed on a branch, what was mended there, and what the sessions left that were on it last is of the branch that it
 * was merged into; its commits and edits stay what was done on it. What passes there since, with the same command, is
 * mended.
 *
 * @param merged `sinceMs`: when it was merged, epoch milliseconds; null where nobody knows.
 */
export function moveOpenEnds(
  db: DatabaseSync,
  { project, branch }: Gone,
  { into, sinceMs }: { readonly into: string; readonly sinceMs: number | null },
): void {
  if (sinceMs !== null) endPassed(db, { project, branch: into }, { from: branch, sinceMs });
  db.prepare(
    `UPDATE observations
        SET branch = ?3,
            facts = iif(kind = 'summary', json_set(${FACTS}, '$.branches', ${BRANCHES}), facts)
      WHERE project = ?1
        AND branch = ?2
        AND ${KINDS_OF_BRANCH}
        AND (kind IN ('summary', 'fix') OR outcome = 'failure' AND resolved_by IS NULL)`,
  ).run(project, branch, into);
}

/** What has become of a branch that is gone: its work is in another one, or its last commit is in none. */
export type BranchEnd = "merged" | "given_up";

/** The commit with which a branch was given up, or how its id begins; null where none is known. */
export function givenUpWith(db: DatabaseSync, gone: Gone): string | null {
  const commit = valueOf(db, keyOf("given_up", gone));
  return typeof commit === "string" ? commit : null;
}

/** What is known to have become of a branch that is gone; null where nobody has asked git. */
export function endOfBranch(db: DatabaseSync, gone: Gone): BranchEnd | null {
  const ends: readonly BranchEnd[] = ["given_up", "merged"];
  return ends.find((end) => valueOf(db, keyOf(end, gone)) !== undefined) ?? null;
}

/** Keeps what has become of a branch with its last commit: nobody asks git again. */
export function noteEnd(
  db: DatabaseSync,
  gone: Gone,
  { end, commit }: { readonly end: BranchEnd; readonly commit: string },
): void {
  const other = end === "merged" ? "given_up" : "merged";
  db.prepare("DELETE FROM meta WHERE key = ?").run(keyOf(other, gone));
  db.prepare(
    `INSERT INTO meta (key, value)
     VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(keyOf(end, gone), commit);
}

function valueOf(db: DatabaseSync, key: string): unknown {
  return db.prepare("SELECT value FROM meta WHERE key = ?").get(key)?.["value"];
}

/** It names nothing, so that there is nothing to forget in it. */
function keyOf(end: BranchEnd, { project, branch }: Gone): string {
  return `${end}:${digestOf(`${project}\n${branch}`)}`;
}

/** A branch that was given up, and another one that was made under its name: what was left on the one is over on the other. */
import type { DatabaseSync } from "node:sqlite";
import { madeAnewAtMs } from "../git/branch_log.ts";
import type { goneBranches } from "../git/gone_branches.ts";
import type { TellableRow } from "../store/memory_context.ts";
import { givenUpWith } from "../store/merged_branch.ts";

/**
 * Calls a branch that was given up otherwise than the one that has its name now, in the rows that are told of it: no branch
 * is called so, so that it is gone.
 *
 * @param isGone Whether a branch is: then nothing has its name. @throws {Error} What SQLite says.
 */
export function setFormerApart(
  db: DatabaseSync,
  project: string,
  rows: readonly TellableRow[],
  isGone: ReturnType<typeof goneBranches>,
): void {
  for (const branch of new Set(rows.map(({ branch }) => branch))) {
    if (branch === null || isGone(branch)) continue;
    const commit = givenUpWith(db, { project, branch });
    if (commit === null) continue;
    const sinceMs = madeAnewAtMs({ commonDir: project }, branch, commit);
    if (sinceMs === null) continue;
    for (const row of rows) {
      if (row.branch !== branch || row.updatedAtMs >= sinceMs) continue;
      Object.assign(row, { branch: `${branch} (deleted)` });
    }
  }
}

/** What is known of a branch goes with it when it gets another name. */
import { FACTS } from "./facts_column.ts";
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { KINDS_OF_BRANCH, type ProjectBranch } from "./memory_context.ts";
import { resolveObservation } from "./open_failures.ts";
import { type Pass, PASS_COLUMNS } from "./session_observations.ts";

/**
 * Gives what is told of a branch its new name, also where sessions say that they were on it. What failed under the old one and passes under the new one since, with the
 * same command, is mended: nothing has looked for it under the old name.
 *
 * @param here The branch as it is called now. @param from As it was called.
 */
export function renameBranch(
  db: DatabaseSync,
  { project, branch }: ProjectBranch & { readonly branch: string },
  from: string,
): void {
  transaction(db, () => {
    endPassed(db, { project, branch }, { from, sinceMs: 0 });
    db.prepare(
      `UPDATE observations
          SET facts = json_set(
                facts,
                '$.branches',
                (SELECT json_group_array(iif(value = ?2, ?3, value))
                   FROM json_each(facts -> '$.branches'))
              )
        WHERE project = ?1
          AND kind = 'summary'
          AND instr(facts, '"branches"') > 0
          AND ?2 IN (SELECT value FROM json_each(${FACTS} -> '$.branches'))`,
    ).run(project, from, branch);
    db.prepare(
      `UPDATE observations
          SET branch = ?2
        WHERE project = ?1
          AND branch = ?3
          AND ${KINDS_OF_BRANCH}`,
    ).run(project, branch, from);
  });
}

/**
 * Closes what failed on one branch and passes on another since, with the same command.
 *
 * @param here The branch that it passes on. @param failed `from`: the branch that it failed on; `sinceMs`: what passed
 *   before, epoch milliseconds, was not the same work yet.
 */
export function endPassed(
  db: DatabaseSync,
  here: ProjectBranch & { readonly branch: string },
  { from, sinceMs }: { readonly from: string; readonly sinceMs: number },
): void {
  const passes = passesOf(db, here);
  for (const { id, command, updatedAtMs } of failuresOf(db, { ...here, branch: from })) {
    const atMs = Math.max(updatedAtMs, sinceMs);
    const by = passes.get(command)?.find((pass) => pass.updatedAtMs >= atMs);
    if (by !== undefined) resolveObservation(db, id, by.id);
  }
}

/** What went well on a branch, by its command, in the order of their numbers. */
function passesOf(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
): ReadonlyMap<string, readonly Pass[]> {
  const rows = db.prepare(
    `SELECT ${PASS_COLUMNS}
       FROM observations
      WHERE session_id IN (SELECT session_id
                             FROM observations
                            WHERE project = ?1
                              AND branch = ?2
                              AND ${KINDS_OF_BRANCH})
        AND branch = ?2
        AND outcome = 'success'
        AND ${FACTS} ->> '$.command' IS NOT NULL
      ORDER BY id`,
  ).all(project, branch) as unknown as Pass[];
  return Map.groupBy(rows, ({ command }) => command);
}

/** What failed on a branch and is not mended. */
function failuresOf(db: DatabaseSync, { project, branch }: ProjectBranch): Pass[] {
  return db.prepare(
    `SELECT ${PASS_COLUMNS}
       FROM observations
      WHERE project = ?1
        AND branch = ?2
        AND kind IN ('failure', 'test')
        AND outcome = 'failure'
        AND resolved_by IS NULL`,
  ).all(project, branch) as unknown as Pass[];
}

/** What is known of a branch goes with it when it gets another name. */
import { FACTS } from "./facts_column.ts";
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { KINDS_OF_BRANCH, type ProjectBranch } from "./memory_context.ts";
import { resolveObservation } from "./open_failures.ts";
import type { Pass } from "./session_observations.ts";

/**
 * Gives what is told of a branch its new name. What failed under the old one and passes under the new one since, with the
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
    const passes = passesOf(db, { project, branch });
    for (const { id, command, updatedAtMs } of failuresOf(db, { project, branch: from })) {
      const by = passes.get(command)?.find((pass) => pass.updatedAtMs >= updatedAtMs);
      if (by !== undefined) resolveObservation(db, id, by.id);
    }
    db.prepare(
      `UPDATE observations
          SET branch = ?2
        WHERE project = ?1
          AND branch = ?3
          AND ${KINDS_OF_BRANCH}`,
    ).run(project, branch, from);
  });
}

/** What went well on a branch, by its command, in the order of their numbers. */
function passesOf(
  db: DatabaseSync,
  { project, branch }: ProjectBranch,
): ReadonlyMap<string, readonly Pass[]> {
  const rows = db.prepare(
    `SELECT id, ${FACTS} ->> '$.command' AS command, updated_at_ms AS updatedAtMs
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
    `SELECT id, ${FACTS} ->> '$.command' AS command, updated_at_ms AS updatedAtMs
       FROM observations
      WHERE project = ?1
        AND branch = ?2
        AND kind IN ('failure', 'test')
        AND outcome = 'failure'
        AND resolved_by IS NULL`,
  ).all(project, branch) as unknown as Pass[];
}

/** What is known of a branch goes with it when it gets another name. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { KINDS_OF_BRANCH, type ProjectBranch } from "./memory_context.ts";
import { resolveFailure } from "./open_failures.ts";

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
    const passed = db.prepare(
      `SELECT failed.id, min(passed.id) AS by
         FROM observations AS failed
         JOIN observations AS passed
           ON passed.session_id IN (SELECT session_id
                                      FROM observations
                                     WHERE project = ?1
                                       AND branch = ?2
                                       AND ${KINDS_OF_BRANCH})
          AND passed.branch = ?2
          AND passed.outcome = 'success'
          AND passed.updated_at_ms >= failed.updated_at_ms
          AND passed.facts ->> '$.command' = failed.facts ->> '$.command'
        WHERE failed.project = ?1
          AND failed.branch = ?3
          AND failed.kind IN ('failure', 'test')
          AND failed.outcome = 'failure'
          AND failed.resolved_by IS NULL
        GROUP BY failed.id`,
    ).all(project, branch, from);
    for (const { id, by } of passed) resolveFailure(db, Number(id), Number(by));
    db.prepare(
      `UPDATE observations
          SET branch = ?2
        WHERE project = ?1
          AND branch = ?3
          AND ${KINDS_OF_BRANCH}`,
    ).run(project, branch, from);
  });
}

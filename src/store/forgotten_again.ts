import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { auditOf, changePlaces } from "./forget_places.ts";
import { forgottenCaptures } from "./stay_away.ts";
import { statement } from "./statement.ts";

/**
 * Takes away captures that were forgotten before, with what the audit trail quotes of them: a hook that runs a second time
 * for the same tool use brings it back, and has no time to ask.
 *
 * @returns The captures that stay, in their order.
 */
export function removeForgottenAgain<Capture extends { readonly id: string }>(
  db: DatabaseSync,
  captures: readonly Capture[],
): readonly Capture[] {
  if (statement(db, "SELECT 1 FROM forgotten LIMIT 1").get() === undefined) return captures;
  const among = captures.map(({ id }) => id);
  const gone = new Set(forgottenCaptures(db, { among, receiptId: null }));
  if (gone.size === 0) return captures;
  transaction(db, () => {
    const how = { mode: "forget", changed: new Map(), receiptId: null } as const;
    changePlaces(db, [auditOf(db, [...gone])], how);
    statement(db, "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify([...gone]));
  });
  return captures.filter(({ id }) => !gone.has(id));
}

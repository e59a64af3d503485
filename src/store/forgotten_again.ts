/** Captures of what was forgotten already: a hook that runs a second time for the same tool use brings it back. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { auditOf } from "./forget_quotes.ts";
import { forgottenCaptures } from "./forgotten_uses.ts";
import { statement } from "./statement.ts";

/**
 * Takes the captures away that were forgotten, by their own id or as the same tool use, with what the audit trail
 * quotes of them: a hook has no time to ask, so who works them into memory does.
 *
 * @returns Those that stay, in their order.
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
    auditOf(db, [...gone], { mode: "forget", changed: new Map() });
    statement(db, "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify([...gone]));
  });
  return captures.filter(({ id }) => !gone.has(id));
}

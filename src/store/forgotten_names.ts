/** Names of what was forgotten. A hook that empties the spool asks for them: nothing here is slow to load. */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../memory/forget_mark.ts";
import type { HookRecord } from "./captures.ts";
import { statement } from "./statement.ts";

/** In `meta`: the key of the names of words. */
export const FORGET_KEY = "forget_key";

/**
 * Whether something was forgotten, so that an import or a second reading of a transcript leaves it out.
 *
 * @param name The uid of an observation, the id of a capture, a {@linkcode useName}, or a name of `forgotten_words.ts`;
 * older versions have named tool uses by their ids alone.
 */
export function isForgotten(db: DatabaseSync, name: string): boolean {
  return statement(db, "SELECT 1 FROM forgotten WHERE name = ?").get(name) !== undefined;
}

/** The name of a tool use in its session. */
export function useName(sessionId: string, toolUseId: string): string {
  return `use/${toolUseId}/${sessionId}`;
}

/** The name that says that something of a session was forgotten, so that its old summary stays away. */
export function sessionName(sessionId: string): string {
  return `session/${sessionId}`;
}

/** Names what must not come back, in the transaction that removes it. */
export function nameForgotten(
  db: DatabaseSync,
  receiptId: string,
  names: readonly string[],
): void {
  db.prepare(
    `INSERT INTO forgotten (name, receipt_id)
     SELECT value, ?1 FROM json_each(?2) WHERE true
     ON CONFLICT (name) DO UPDATE SET receipt_id = excluded.receipt_id`,
  ).run(receiptId, JSON.stringify(names));
}

/** Records without what was forgotten: that something happened stays. To be called in the transaction that writes them. */
export function withoutForgotten(
  db: DatabaseSync,
  records: readonly HookRecord[],
): readonly HookRecord[] {
  if (statement(db, "SELECT 1 FROM forgotten LIMIT 1").get() === undefined) return records;
  return records.map((record) => {
    const { id, sessionId, session, execution, capture } = record;
    const uses = [execution.toolUseId, capture?.toolUseId];
    const names = [id, ...uses, ...uses.map((use) => use && useName(sessionId, use))];
    if (!names.some((name) => name && isForgotten(db, name))) return record;
    const { told: _told, ...rest } = record;
    return {
      ...rest,
      session: session && { ...session, title: null },
      execution: {
        ...execution,
        errorMessage: execution.errorMessage === null ? null : FORGOTTEN_MARK,
        errorStack: null,
        metadata: { forgotten: true },
      },
      capture: null,
    };
  });
}

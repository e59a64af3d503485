/** Reads and writes the names of forgotten content: the rows of the table `forgotten`. */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import type { HookRecord } from "../../db/captures.ts";
import { statement } from "../../db/statement.ts";

/** The name of the row in `meta` with the key for digests of words and of row keys. */
export const FORGET_KEY = "forget_key";

/**
 * Whether a name was forgotten.
 *
 * @param name The uid of an observation, the id of a capture, or one of the names below. Older versions named tool uses
 * by their ids alone.
 */
export function isForgotten(db: DatabaseSync, name: string): boolean {
  return statement(db, "SELECT 1 FROM forgotten WHERE name = ?").get(name) !== undefined;
}

/** Returns the name of a tool use in its session. */
export function useName(sessionId: string, toolUseId: string): string {
  return `use/${toolUseId}/${sessionId}`;
}

/** Returns the name that records that part of a session was forgotten, so that its old summary stays away. */
export function sessionName(sessionId: string): string {
  return `session/${sessionId}`;
}

/** Returns the digest of a text under a key, in hexadecimal. */
export function keyedDigest(key: string, text: string): string {
  // A static import would cost every hook the loading of the module.
  return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(text)
    .digest("hex");
}

/** Digests a text under the database's own key, so that nobody can read the text. */
export type Digest = (text: string) => string;

/** Returns the digest function of the database; null if it has no key yet. */
export function knownDigest(db: DatabaseSync): Digest | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  return row === undefined ? null : (text) => keyedDigest(String(row["value"]), text);
}

/** Returns the name of words in a session. @param key The key of the words, from `capture_keys.ts`. */
export function wordsName(digest: Digest, sessionId: string, key: string): string {
  return `word/${digest(`${sessionId} ${key}`)}`;
}

/** Records names of content that must not come back, in the transaction that removes the content. */
export function nameForgotten(db: DatabaseSync, receiptId: string, names: readonly string[]): void {
  db.prepare(
    `INSERT INTO forgotten (name, receipt_id)
     SELECT value, ?1 FROM json_each(?2) WHERE true
     ON CONFLICT (name) DO UPDATE SET receipt_id = excluded.receipt_id`,
  ).run(receiptId, JSON.stringify(names));
}

/** Returns the names that refer to a receipt. */
export function namesOfReceipt(db: DatabaseSync, receiptId: string): string[] {
  return db.prepare("SELECT name FROM forgotten WHERE receipt_id = ?").all(receiptId)
    .map(({ name }) => String(name));
}

/** Removes names, so that their rows may come in again, in the caller's transaction. */
export function admitAgain(db: DatabaseSync, names: readonly string[]): void {
  db.prepare("DELETE FROM forgotten WHERE name IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(names));
}

/**
 * Removes forgotten content from records, so that only the fact of an event stays. Must be called in the transaction
 * that writes the records.
 */
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

/** Names of what was forgotten: the rows of the table `forgotten`. */
import type { DatabaseSync } from "node:sqlite";
import { FORGOTTEN_MARK } from "../../base/forget_mark.ts";
import type { HookRecord } from "../../db/captures.ts";
import { statement } from "../../db/statement.ts";

/** The row of `meta` with the key that words and keys of rows are digested under. */
export const FORGET_KEY = "forget_key";

/**
 * Whether something was forgotten.
 *
 * @param name The uid of an observation, the id of a capture, or one of the names below. Older versions have named tool uses
 * by their ids alone.
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

/** The digest of a text under a key, in hexadecimal. */
export function keyedDigest(key: string, text: string): string {
  // Hooks load no module for this.
  return process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(text)
    .digest("hex");
}

/** Digests a text under the database's own key, which tells nobody the text. */
export type Digest = (text: string) => string;

/** The digest under the database's key; null where nothing was ever named. */
export function knownDigest(db: DatabaseSync): Digest | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  return row === undefined ? null : (text) => keyedDigest(String(row["value"]), text);
}

/** The name of words of a session. @param key Of the words, from `capture_keys.ts`. */
export function wordsName(digest: Digest, sessionId: string, key: string): string {
  return `word/${digest(`${sessionId} ${key}`)}`;
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

/** What a receipt names: of what the program knows by ids. */
export function namesOfReceipt(db: DatabaseSync, receiptId: string): string[] {
  return db.prepare("SELECT name FROM forgotten WHERE receipt_id = ?").all(receiptId)
    .map(({ name }) => String(name));
}

/** Lets rows come in that were named, in the caller's transaction. */
export function admitAgain(db: DatabaseSync, names: readonly string[]): void {
  db.prepare("DELETE FROM forgotten WHERE name IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(names));
}

/**
 * Takes out of records what was forgotten: only that something happened stays. To be called in the transaction that writes
 * them.
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

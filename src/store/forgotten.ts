/** Receipts of what was forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { createHmac, randomBytes } from "node:crypto";
import { normalizeForgotten } from "../memory/forget_text.ts";
import { FORGET_KEY } from "./forgotten_names.ts";
import { forgottenCaptures } from "./forgotten_uses.ts";
import { copyReadable } from "./table_copy.ts";

/** Rows that were removed, or in which a text was replaced, by table; files by what they are. */
export type ForgottenCounts = Readonly<Record<string, number>>;

/** What was forgotten, without the text itself. */
export interface Receipt {
  readonly id: string;
  /** What was asked for, by flag; a text or file as its digest. */
  readonly chosen: Readonly<Record<string, unknown>>;
  readonly salt: string;
  readonly textDigest: string | null;
  readonly removed: ForgottenCounts;
  /** Of the observations. */
  readonly digests: readonly string[];
  /** Where something was left, in words. */
  readonly remains: readonly string[];
  readonly createdAtMs: number;
  /** Null when it was stopped on the way, or could not be done to the end. */
  readonly finishedAtMs: number | null;
}

/** A key of a receipt's own, so that equal texts have unlike digests in two receipts. */
export function newSalt(): string {
  return randomBytes(16).toString("hex");
}

/** The digest of a text under a receipt's key; the same for all spellings that count as one text. */
export function forgottenDigest(salt: string, text: string): string {
  return createHmac("sha256", salt).update(normalizeForgotten(text)).digest("hex");
}

/** Writes a receipt down before anything is removed, so that what is removed can name it. */
export function beginReceipt(
  db: DatabaseSync,
  receipt: Pick<Receipt, "id" | "chosen" | "salt" | "textDigest" | "createdAtMs">,
): void {
  db.prepare(
    `INSERT INTO forget_receipts (id, chosen, salt, text_digest, created_at_ms)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(
    receipt.id,
    JSON.stringify(receipt.chosen),
    receipt.salt,
    receipt.textDigest,
    receipt.createdAtMs,
  );
}

/** Says what was done, and what is left. */
export function finishReceipt(
  db: DatabaseSync,
  receipt: Pick<Receipt, "id" | "removed" | "digests" | "remains"> & {
    readonly finishedAtMs: number | null;
  },
): void {
  db.prepare(
    `UPDATE forget_receipts
        SET removed = ?2, digests = ?3, remains = ?4, finished_at_ms = ?5
      WHERE id = ?1`,
  ).run(
    receipt.id,
    JSON.stringify(receipt.removed),
    JSON.stringify(receipt.digests),
    JSON.stringify(receipt.remains),
    receipt.finishedAtMs,
  );
}

const RECEIPT =
  `SELECT id, chosen, salt, text_digest AS textDigest, removed, digests, remains, created_at_ms AS createdAtMs,
            finished_at_ms AS finishedAtMs
       FROM forget_receipts`;

/** The ids of all receipts, the oldest first. */
export function receiptIds(db: DatabaseSync): string[] {
  return db.prepare("SELECT id FROM forget_receipts ORDER BY id").all().map(({ id }) => String(id));
}

/** Receipts of what was stopped before it was done, the oldest first. */
export function unfinishedReceipts(db: DatabaseSync): Receipt[] {
  return receiptsWhere(db, "finished_at_ms IS NULL ORDER BY id");
}

/**
 * Says that what was stopped was gone through later.
 *
 * @param options `remains`: what is left of it now; null where that is as before.
 */
export function closeReceipts(
  db: DatabaseSync,
  ids: readonly string[],
  { remains, atMs }: { readonly remains: Receipt["remains"] | null; readonly atMs: number },
): void {
  db.prepare(
    `UPDATE forget_receipts
        SET finished_at_ms = ?2, remains = coalesce(?3, remains)
      WHERE id IN (SELECT value FROM json_each(?1))`,
  ).run(JSON.stringify(ids), atMs, remains === null ? null : JSON.stringify(remains));
}

/** Receipts for which a condition in SQL holds, which may end with an order. */
export function receiptsWhere(db: DatabaseSync, condition: string): Receipt[] {
  return db.prepare(`${RECEIPT} WHERE ${condition}`).all().map(receiptOf);
}

/** Receipts whose ids begin like this, at most `limit`, the newest first. */
export function findReceipts(db: DatabaseSync, beginning: string, limit: number): Receipt[] {
  return db.prepare(
    `${RECEIPT}
      WHERE substr(id, 1, length(?1)) = ?1
      ORDER BY id DESC
      LIMIT ?2`,
  ).all(beginning, limit).map(receiptOf);
}

function receiptOf(row: Readonly<Record<string, unknown>>): Receipt {
  return {
    ...row,
    chosen: JSON.parse(String(row["chosen"])),
    removed: JSON.parse(String(row["removed"])),
    digests: JSON.parse(String(row["digests"])),
    remains: JSON.parse(String(row["remains"])),
  } as unknown as Receipt;
}

/** What a receipt names that is there again: observations by their numbers, captures by their ids. */
export function cameBack(
  db: DatabaseSync,
  receiptId: string,
): { readonly observations: readonly number[]; readonly captures: readonly string[] } {
  const observations = db.prepare(
    `SELECT o.id AS id
       FROM forgotten AS f
       JOIN observations AS o ON o.uid = f.name
      WHERE f.receipt_id = ?`,
  ).all(receiptId).map((row) => Number(row["id"]));
  return { observations, captures: forgottenCaptures(db, { among: null, receiptId }) };
}

/** An observation with what its digest is made of. */
export interface DigestedRow {
  readonly sessionId: unknown;
  readonly title: unknown;
  readonly text: unknown;
}

/**
 * The digest of an observation: with its session, since every session has a prompt such as `continue` and the output of
 * the same commands.
 */
export function digestOfRow(salt: string, { sessionId, title, text }: DigestedRow): string {
  return forgottenDigest(salt, `${sessionId}\n${title}\n${text}`);
}

/**
 * The digests without those of rows that are still there, to be asked when all that was chosen is gone: these were not
 * chosen, so they say nothing of what comes back.
 */
export function digestsOfGone(
  db: DatabaseSync,
  receipt: Pick<Receipt, "salt" | "digests" | "createdAtMs">,
): string[] {
  const left = new Set(sameRows(db, receipt).map(({ digest }) => digest));
  return receipt.digests.filter((digest) => !left.has(digest));
}

/** Observations from before a receipt that tell the same as one of which it has the digest. */
export function sameAgain(
  db: DatabaseSync,
  receipt: Pick<Receipt, "salt" | "digests" | "createdAtMs">,
): number[] {
  return sameRows(db, receipt).map(({ id }) => id);
}

function sameRows(
  db: DatabaseSync,
  { salt, digests, createdAtMs }: Pick<Receipt, "salt" | "digests" | "createdAtMs">,
): { readonly id: number; readonly digest: string }[] {
  if (digests.length === 0) return [];
  const known = new Set(digests);
  // What a session does once more afterwards is new.
  const next = db.prepare(
    `SELECT id, session_id AS sessionId, title, text, created_at_ms AS createdAtMs
       FROM observations
      WHERE id > ?
      ORDER BY id
      LIMIT 500`,
  );
  const found: { readonly id: number; readonly digest: string }[] = [];
  for (let after = 0;;) {
    const rows = next.all(after);
    for (const row of rows) {
      if (Number(row["createdAtMs"]) > createdAtMs) continue;
      const digest = digestOfRow(salt, row as unknown as DigestedRow);
      if (known.has(digest)) found.push({ id: Number(row["id"]), digest });
    }
    const last = rows.at(-1);
    if (last === undefined) return found;
    after = Number(last["id"]);
  }
}

/** What a receipt names that is there: for a copy of the database, in which the same is to be forgotten. */
export function namedAgain(
  db: DatabaseSync,
  receiptId: string,
): { readonly observations: readonly number[]; readonly captures: readonly string[] } {
  const captures = db.prepare(
    `SELECT q.id
       FROM forgotten AS f
       JOIN pending_queue AS q ON q.id = f.name
      WHERE f.receipt_id = ?`,
  ).all(receiptId).map(({ id }) => String(id));
  return { observations: cameBack(db, receiptId).observations, captures };
}

/** Takes over what says what was forgotten, with its key, so that it stays away from a copy, too. */
export function takeReceipts(from: DatabaseSync, to: DatabaseSync): void {
  for (const table of ["forget_receipts", "forgotten"]) {
    copyReadable(from, to, { table, keepsNumbers: false });
  }
  const key = from.prepare("SELECT value FROM meta WHERE key = ?").get(FORGET_KEY);
  if (key === undefined) return;
  to.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(
    FORGET_KEY,
    key["value"]!,
  );
}

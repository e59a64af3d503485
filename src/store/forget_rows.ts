/** Takes observations and captures away, with what other rows quote of them. */
import type { DatabaseSync } from "node:sqlite";
import { summaryUid } from "./observations.ts";
import type { HookRecord } from "./captures.ts";
import { transaction } from "./database.ts";
import type { ChangedRows } from "./changed_rows.ts";
import { auditOf, titlesAfter } from "./forget_quotes.ts";
import { type DigestedRow, digestOfRow } from "./forgotten.ts";
import { nameForgotten, sessionName } from "./forgotten_names.ts";
import { namesOfCapture, namesOfObservations, wordNames } from "./forgotten_words.ts";
import { type CapturedUse, namesOfUse } from "./forgotten_uses.ts";
import { payloadText, type StoredPayload } from "./payloads.ts";
import { askForSummary } from "./queue_work.ts";

/** Rows that one transaction removes: few enough that a hook never waits long for its turn. */
const FORGET_BATCH = 100;

/** A list in batches, each with how much of the list is done with it. */
export function* batchesOf<Item>(
  all: readonly Item[],
): Generator<{ readonly batch: readonly Item[]; readonly until: number }> {
  for (let at = 0; at < all.length; at += FORGET_BATCH) {
    const batch = all.slice(at, at + FORGET_BATCH);
    yield { batch, until: at + batch.length };
  }
}

/** A receipt that what is removed is written down with. */
export interface ReceiptKey {
  readonly id: string;
  readonly salt: string;
}

/**
 * Removes observations, at most {@linkcode FORGET_BATCH}, in one transaction; the summaries that were made here of their
 * sessions go too and are asked for anew.
 *
 * @param options `changed`: takes the sessions that lose their title.
 * @returns The digests of those that are to stay away, how many went, and how many sessions lost their title.
 */
export function removeObservations(
  db: DatabaseSync,
  ids: readonly number[],
  { receipt, changed }: { readonly receipt: ReceiptKey; readonly changed: ChangedRows },
): { readonly count: number; readonly titles: number; readonly digests: readonly string[] } {
  return transaction(db, () => {
    const rows = db.prepare(
      `SELECT uid, session_id AS sessionId, kind, title, text
         FROM observations
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids));
    const sessions = JSON.stringify([...new Set(rows.map(({ sessionId }) => String(sessionId)))]);
    // A summary is written anew under the same name.
    const lasting = rows.filter(({ uid, sessionId }) => uid !== summaryUid(String(sessionId)));
    nameForgotten(db, receipt.id, [
      ...lasting.map(({ uid }) => String(uid)),
      ...rows.map(({ sessionId }) => sessionName(String(sessionId))),
      ...namesOfObservations(wordNames(db), rows),
    ]);
    const titles = titlesAfter(db, ids, { mode: "forget", changed });
    const gone = db.prepare(
      `DELETE FROM observations
        WHERE id IN (SELECT value FROM json_each(?1))
           OR uid IN (SELECT 'summary/' || value FROM json_each(?2))
       RETURNING uid, session_id AS sessionId`,
    ).all(JSON.stringify(ids), sessions);
    // What was never summed up here was imported, with a summary of its own.
    for (const { uid, sessionId } of gone) {
      if (uid === summaryUid(String(sessionId))) askForSummary(db, String(sessionId));
    }
    return {
      count: gone.length,
      titles,
      digests: lasting.map((row) => digestOfRow(receipt.salt, row as unknown as DigestedRow)),
    };
  });
}

/**
 * Removes captures, at most {@linkcode FORGET_BATCH}, in one transaction; their rows of the audit trail stay, without
 * what they quote.
 *
 * @param options `changed`: takes these rows.
 */
export function removeCaptures(
  db: DatabaseSync,
  ids: readonly string[],
  { receipt, changed }: { readonly receipt: ReceiptKey; readonly changed: ChangedRows },
): { readonly captures: number; readonly executions: number } {
  return transaction(db, () => {
    const rows = db.prepare(
      `SELECT session_id AS sessionId, tool_use_id AS toolUseId, tool_name AS toolName, encoding, payload,
              raw_bytes AS rawBytes
         FROM pending_queue
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids));
    const captured = rows.map((row) => captureOfRow(row as unknown as CaptureRow));
    const sessions = [...new Set(rows.map(({ sessionId }) => String(sessionId)))];
    const name = wordNames(db);
    nameForgotten(db, receipt.id, [
      ...ids,
      ...sessions.map(sessionName),
      ...captured.flatMap((capture) => [
        ...namesOfUse(name, capture),
        ...capture.payload === null
          ? []
          : namesOfCapture(name, { ...capture, payload: capture.payload }),
      ]),
    ]);
    const executions = auditOf(db, ids, { mode: "forget", changed });
    const { changes } = db.prepare(
      "DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))",
    ).run(JSON.stringify(ids));
    return { captures: Number(changes), executions };
  });
}

interface CaptureRow extends StoredPayload, Omit<CapturedUse, "payload"> {}

function captureOfRow(row: CaptureRow): CapturedUse {
  try {
    return { ...row, payload: payloadText(row) };
  } catch {
    // What cannot be read any more nobody can compare.
    return { ...row, payload: null };
  }
}

/** Names a record that waited in the spool and is removed there. */
export function nameRecord(
  db: DatabaseSync,
  { id, sessionId, capture }: HookRecord,
  receipt: ReceiptKey,
): void {
  transaction(db, () => {
    const name = wordNames(db);
    nameForgotten(db, receipt.id, [
      id,
      ...capture === null ? [] : namesOfUse(name, { sessionId, ...capture }),
      ...capture === null ? [] : namesOfCapture(name, { sessionId, ...capture }),
    ]);
  });
}

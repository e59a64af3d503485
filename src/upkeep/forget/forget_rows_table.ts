/** Removes observations and captures, and what other rows quote of them. */
import type { DatabaseSync } from "node:sqlite";
import { deleteObservations, observedTexts, summaryUid } from "../../memory/store.ts";
import { readablePayload } from "../../db/payloads.ts";
import { transaction } from "../../db/transaction.ts";
import { auditOf, changePlaces, type PlaceChange, titlesAfter } from "./forget_places_table.ts";
import { digestOfRow, type Receipt } from "./forget_receipts_table.ts";
import { nameForgotten, sessionName } from "./forgotten_names_table.ts";
import { namesOfCapture, namesOfObservations, ownDigest } from "./stay_away_table.ts";

/** Rows that one transaction removes: few enough that a hook never waits long for its turn. */
const FORGET_BATCH = 100;

/** Goes through a list in batches. */
export function* batchesOf<Item>(all: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < all.length; at += FORGET_BATCH) yield all.slice(at, at + FORGET_BATCH);
}

/** The receipt that names the removed rows, and how places that quote them are changed. */
export interface RemoveRows extends PlaceChange {
  readonly receipt: Pick<Receipt, "id" | "salt">;
}

/**
 * Removes a batch of observations in one transaction. Summaries of their sessions that were made here go too, and are asked
 * for anew.
 *
 * @returns The digests of those that are to stay away, and how many rows that quote them were changed.
 */
export function removeObservations(
  db: DatabaseSync,
  ids: readonly number[],
  how: RemoveRows,
): { readonly digests: readonly string[]; readonly quoting: Record<string, number> } {
  const { receipt } = how;
  return transaction(db, () => {
    const rows = observedTexts(db, ids);
    const sessions = [...new Set(rows.map(({ sessionId }) => String(sessionId)))];
    // A summary is written anew under the same name.
    const lasting = rows.filter(({ uid, sessionId }) => uid !== summaryUid(String(sessionId)));
    nameForgotten(db, receipt.id, [
      ...lasting.map(({ uid }) => String(uid)),
      ...sessions.map(sessionName),
      ...namesOfObservations(ownDigest(db), rows),
    ]);
    const quoting = changePlaces(db, titlesAfter(db, ids), how);
    deleteObservations(db, ids, sessions);
    return { digests: lasting.map((row) => digestOfRow(receipt.salt, row)), quoting };
  });
}

/**
 * Removes a batch of captures in one transaction. Their rows of the audit trail stay, without what they quote.
 *
 * @returns How many rows that quote them were changed.
 */
export function removeCaptures(
  db: DatabaseSync,
  ids: readonly string[],
  how: RemoveRows,
): Record<string, number> {
  return transaction(db, () => {
    const captures = db.prepare(
      `SELECT session_id AS sessionId, tool_use_id AS toolUseId, tool_name AS toolName, encoding, payload,
              raw_bytes AS rawBytes
         FROM pending_queue
        WHERE id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids)).map((row) => ({
      sessionId: String(row["sessionId"]),
      toolUseId: row["toolUseId"] as string | null,
      toolName: String(row["toolName"]),
      payload: readablePayload(row),
    }));
    const digest = ownDigest(db);
    nameForgotten(db, how.receipt.id, [
      ...ids,
      ...captures.map(({ sessionId }) => sessionName(sessionId)),
      ...captures.flatMap((capture) => namesOfCapture(digest, capture)),
    ]);
    const quoting = changePlaces(db, [auditOf(db, ids)], how);
    db.prepare("DELETE FROM pending_queue WHERE id IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(ids));
    return quoting;
  });
}

/**
 * The key under which words and keys of rows were named that were forgotten is lost: their names tell nothing any more,
 * and what comes a second time is not known by them.
 */
import type { DatabaseSync } from "node:sqlite";
import { FORGET_KEY } from "./forgotten_names.ts";
import { type Receipt, receiptsWhere } from "./forgotten.ts";

/** What names under a lost key begin with, once there is another key. */
const LOST = "lost/";

const IS_DIGEST = "(name GLOB 'word/*' OR name GLOB 'row/*')";

/** The receipts of whose names the key is lost, the newest first; empty when none is. */
export function receiptsWithoutKey(db: DatabaseSync): Receipt[] {
  return receiptsWhere(
    db,
    `id IN (SELECT receipt_id
              FROM forgotten
             WHERE name GLOB '${LOST}*'
                OR ${IS_DIGEST}
               AND NOT EXISTS (SELECT 1 FROM meta WHERE key = '${FORGET_KEY}'))
      ORDER BY id DESC`,
  );
}

/** Tells names under a key that is lost from those under a new one; to be called when that is made. */
export function setLostNamesApart(db: DatabaseSync): void {
  db.exec(`UPDATE forgotten SET name = '${LOST}' || name WHERE ${IS_DIGEST}`);
}

/** Takes the names of receipts away that tell nothing any more: the same was forgotten once more. */
export function dropLostNames(db: DatabaseSync, receiptIds: readonly string[]): void {
  db.prepare(
    `DELETE FROM forgotten
      WHERE receipt_id IN (SELECT value FROM json_each(?))
        AND name GLOB '${LOST}*'`,
  ).run(JSON.stringify(receiptIds));
}

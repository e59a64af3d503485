/** Failures whose fix is gone: they stay mended, by no observation. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";

/** Rows that one transaction changes. */
const BATCH_ROWS = 500;

/** Takes the numbers of observations that are gone out of the failures that these had mended. */
export function closeMends(db: DatabaseSync): void {
  const ids = db.prepare(
    `SELECT id
       FROM observations
      WHERE resolved_by > 0
        AND resolved_by NOT IN (SELECT id FROM observations)`,
  ).all().map(({ id }) => Number(id));
  const close = db.prepare(
    `UPDATE observations
        SET resolved_by = 0
      WHERE id IN (SELECT value FROM json_each(?))`,
  );
  for (let at = 0; at < ids.length; at += BATCH_ROWS) {
    transaction(db, () => close.run(JSON.stringify(ids.slice(at, at + BATCH_ROWS))));
  }
}

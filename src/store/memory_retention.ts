/** What of memory has been kept long enough. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";

/** How many observations were seen last before a moment. Notes always stay, so they do not count. */
export function countOldObservations(db: DatabaseSync, seenBeforeMs: number): number {
  const row = db.prepare(
    `SELECT count(*) AS n
       FROM observations
      WHERE kind <> 'note'
        AND updated_at_ms < ?`,
  ).get(seenBeforeMs);
  return Number(row!["n"]);
}

/**
 * Removes at most `limit` observations that were seen last before a moment, the oldest first, in one transaction. Notes
 * stay.
 *
 * @returns How many; fewer than `limit` when that was the rest.
 */
export function removeOldObservations(
  db: DatabaseSync,
  seenBeforeMs: number,
  limit: number,
): number {
  const some = db.prepare(
    `SELECT 1
       FROM observations
      WHERE kind <> 'note'
        AND updated_at_ms < ?
      LIMIT 1`,
  ).get(seenBeforeMs);
  if (some === undefined) return 0;
  const { changes } = transaction(db, () =>
    db.prepare(
      `DELETE FROM observations
        WHERE id IN (
          SELECT id
            FROM observations
           WHERE kind <> 'note'
             AND updated_at_ms < ?
           ORDER BY updated_at_ms
           LIMIT ?)`,
    ).run(seenBeforeMs, limit));
  return Number(changes);
}

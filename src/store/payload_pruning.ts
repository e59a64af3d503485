/**
 * Payloads that were taken away to save room: of what is worked into memory, the observation stays. In their place lies
 * JSON that says so, `{"pruned":true,"bytes":N}`, with the size that the payload had; `raw_bytes` is, as ever, the size of
 * the JSON that is there.
 */
import type { DatabaseSync } from "node:sqlite";
import { damagedPayloads } from "./damaged_payloads.ts";
import { transaction } from "./database.ts";

/** What is pruned: worked in, and captured before a moment, but for the newest of these. */
export interface Pruning {
  readonly beforeMs: number;
  readonly keepNewest: number;
}

/** How many payloads, and how many bytes less they take as they are stored. */
export interface PruneCounts {
  readonly pruned: number;
  readonly freedBytes: number;
}

/** What a pruned payload begins with; it is never compressed, since it is too short. */
const PRUNED = '{"pruned":true,';

const IN_ITS_PLACE = `'${PRUNED}"bytes":' || max(raw_bytes, 0) || '}'`;
/** Sets a row of the queue to it. */
const TO_PRUNED =
  `encoding = 'json', payload = ${IN_ITS_PLACE}, raw_bytes = length(${IN_ITS_PLACE})`;

/** Of a row of the queue: whether its payload was pruned. */
export const IS_PRUNED = `(encoding = 'json' AND raw_bytes < 64 AND payload LIKE '${PRUNED}%')`;

/** Captures that are to be pruned, with what their payloads take. The newest are counted with those that were pruned. */
const TO_PRUNE = `
     SELECT id, octet_length(payload) AS bytes
       FROM pending_queue
      WHERE status = 'done'
        AND created_at_ms < ?1
        AND NOT ${IS_PRUNED}
        AND id NOT IN (
          SELECT id
            FROM pending_queue
           WHERE status = 'done'
             AND created_at_ms < ?1
           ORDER BY created_at_ms DESC, id DESC
           LIMIT ?2)`;

/**
 * Gives payloads up that nobody can read any more, whatever their age: what waits, or was given up, for their sake is done
 * then.
 *
 * @returns How many, and the bytes that they took.
 */
export function pruneUnreadable(
  db: DatabaseSync,
  { dryRun }: { readonly dryRun: boolean },
): PruneCounts {
  return transaction(db, () => {
    const ids = JSON.stringify(damagedPayloads(db).map(({ id }) => id));
    const of = "id IN (SELECT value FROM json_each(?)) AND status IN ('done', 'error', 'raw')";
    const counts = db.prepare(
      `SELECT count(*) AS pruned, coalesce(sum(octet_length(payload)), 0) AS freedBytes
         FROM pending_queue
        WHERE ${of}`,
    ).get(ids) as unknown as PruneCounts;
    if (!dryRun) {
      db.prepare(
        `UPDATE pending_queue SET ${TO_PRUNED}, status = 'done', error_message = NULL WHERE ${of}`,
      ).run(ids);
    }
    return counts;
  });
}

/** The size that a pruned payload had, in bytes; null when the text is no pruned payload. */
export function prunedBytes(payload: string): number | null {
  const [, bytes] = /^\{"pruned":true,"bytes":(\d+)\}$/.exec(payload) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

/** What {@linkcode prunePayloads} would do. */
export function previewPruning(
  db: DatabaseSync,
  { beforeMs, keepNewest }: Pruning,
): PruneCounts {
  return db.prepare(
    `SELECT count(*) AS pruned, coalesce(sum(bytes), 0) AS freedBytes
       FROM (${TO_PRUNE})`,
  ).get(beforeMs, keepNewest) as unknown as PruneCounts;
}

/**
 * Takes payloads away, some in a transaction, after each of which it tells what was done so far. Which ones is decided at
 * the beginning.
 */
export function* prunePayloads(
  db: DatabaseSync,
  { beforeMs, keepNewest }: Pruning,
  batchRows: number,
): Generator<PruneCounts, void> {
  const ids = db.prepare(`SELECT id FROM (${TO_PRUNE}) ORDER BY id`).all(beforeMs, keepNewest)
    .map(({ id }) => String(id));
  const done = { pruned: 0, freedBytes: 0 };
  for (let at = 0; at < ids.length; at += batchRows) {
    const some = JSON.stringify(ids.slice(at, at + batchRows));
    const step = transaction(db, () => {
      const { bytes } = db.prepare(
        `SELECT coalesce(sum(octet_length(payload)), 0) AS bytes
           FROM pending_queue
          WHERE id IN (SELECT value FROM json_each(?))
            AND status = 'done'`,
      ).get(some) as { readonly bytes: number };
      const { changes } = db.prepare(
        `UPDATE pending_queue
            SET ${TO_PRUNED}
          WHERE id IN (SELECT value FROM json_each(?))
            AND status = 'done'`,
      ).run(some);
      return { pruned: Number(changes), freedBytes: bytes };
    });
    done.pruned += step.pruned;
    done.freedBytes += step.freedBytes;
    yield { ...done };
  }
}

/**
 * Prunes payloads to save space; the observations that were made of them stay. The JSON `{"pruned":true,"bytes":N}` takes
 * the place of a payload of N bytes, and `raw_bytes` is the size of that JSON.
 */
import type { DatabaseSync } from "node:sqlite";
import { damagedPayloads } from "./damaged_payloads.ts";
import { transaction } from "./database.ts";

/** Which payloads are pruned: of captures that are done and older than a moment, except for the newest of these. */
export interface Pruning {
  readonly beforeMs: number;
  readonly keepNewest: number;
}

/** How many payloads, and the bytes that they took. */
export interface PruneCounts {
  readonly pruned: number;
  readonly freedBytes: number;
}

/** How a pruned payload begins. It is too short to be compressed. */
const PRUNED = '{"pruned":true,';

const IN_ITS_PLACE = `'${PRUNED}"bytes":' || max(raw_bytes, 0) || '}'`;
/** The assignments that prune a row of the queue. */
const TO_PRUNED =
  `encoding = 'json', payload = ${IN_ITS_PLACE}, raw_bytes = length(${IN_ITS_PLACE})`;

/** SQL: whether the payload of a row of the queue is pruned. */
export const IS_PRUNED = `(encoding = 'json' AND raw_bytes < 64 AND payload LIKE '${PRUNED}%')`;

/** The captures to prune and the size of their payloads. Pruned captures count among the newest. */
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
 * Prunes payloads that nobody can read, whatever their age. A capture that waits or was given up for its payload is done
 * then.
 */
export function pruneUnreadable(
  db: DatabaseSync,
  { dryRun }: { readonly dryRun: boolean },
): PruneCounts {
  return transaction(db, () => {
    const ids = damagedPayloads(db).map(({ id }) => id);
    const status = "('done', 'error', 'raw')";
    return pruneRows(db, ids, { status, and: ", status = 'done', error_message = NULL", dryRun });
  });
}

/** Prunes captures with one of these ids and states. @param how `and`: what else is set. */
function pruneRows(
  db: DatabaseSync,
  ids: readonly string[],
  { status, and = "", dryRun = false }: {
    readonly status: string;
    readonly and?: string;
    readonly dryRun?: boolean;
  },
): PruneCounts {
  const where = `WHERE id IN (SELECT value FROM json_each(?)) AND status IN ${status}`;
  const list = JSON.stringify(ids);
  const counts = db.prepare(
    `SELECT count(*) AS pruned, coalesce(sum(octet_length(payload)), 0) AS freedBytes
       FROM pending_queue
     ${where}`,
  ).get(list) as unknown as PruneCounts;
  if (!dryRun) db.prepare(`UPDATE pending_queue SET ${TO_PRUNED}${and} ${where}`).run(list);
  return counts;
}

/** The size in bytes of a payload before it was pruned; null when the text is no pruned payload. */
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

/** Prunes payloads, some in each transaction, and yields the counts so far. It decides at the beginning which ones. */
export function* prunePayloads(
  db: DatabaseSync,
  { beforeMs, keepNewest }: Pruning,
  batchRows: number,
): Generator<PruneCounts, void> {
  const ids = db.prepare(`SELECT id FROM (${TO_PRUNE}) ORDER BY id`).all(beforeMs, keepNewest)
    .map(({ id }) => String(id));
  const done = { pruned: 0, freedBytes: 0 };
  for (let at = 0; at < ids.length; at += batchRows) {
    const some = ids.slice(at, at + batchRows);
    const { pruned, freedBytes } = transaction(
      db,
      () => pruneRows(db, some, { status: "('done')" }),
    );
    done.pruned += pruned;
    done.freedBytes += freedBytes;
    yield { ...done };
  }
}

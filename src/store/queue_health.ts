import type { DatabaseSync } from "node:sqlite";

/** How the queue of captures is doing. */
export interface QueueHealth {
  /** Captures that are not worked in yet. */
  readonly waiting: number;
  /** Captures that somebody began to work on before the given time, and did not finish. */
  readonly stuck: number;
  /** All payloads together, as JSON. */
  readonly rawBytes: number;
}

/** Counts over the whole queue; reads no payload. */
export function queueHealth(db: DatabaseSync, stuckBeforeMs: number): QueueHealth {
  const row = db.prepare(
    `SELECT count(*) FILTER (WHERE status IN ('raw', 'processing'))            AS waiting,
            count(*) FILTER (WHERE status = 'processing' AND updated_at_ms < ?) AS stuck,
            coalesce(sum(max(raw_bytes, 0)), 0)                                AS rawBytes
       FROM pending_queue`,
  ).get(stuckBeforeMs);
  return row as unknown as QueueHealth;
}

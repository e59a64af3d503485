/** Decides how much a long job writes at once: little while hooks are at work, because they wait for the database. */
import type { DatabaseSync } from "node:sqlite";
import type { BatchSize } from "./queue_work.ts";
import { dataVersionReader } from "./transaction.ts";

/** How long after a write of another process more writes are usually expected, in milliseconds. */
const EXPECTED_MS = 2_000;
/** The batch while hooks are at work: a transaction of about two milliseconds. */
const SMALL: BatchSize = { maxRows: 16, maxBytes: 100_000 };
/** How long the database is left alone between two small batches, in milliseconds. */
const PAUSE_MS = 4;

/**
 * Returns a function that gives the present pace: small batches while other processes write, with a pause between them
 * in milliseconds.
 * @param options `small`: the largest such batch. `forMs`: how long after another's write batches stay small.
 */
export function paceBesideHooks(
  db: DatabaseSync,
  batch: BatchSize,
  { small = SMALL, forMs = EXPECTED_MS }: Readonly<{ small?: BatchSize; forMs?: number }> = {},
): () => { readonly batch: BatchSize; readonly pauseMs: number } {
  const readVersion = dataVersionReader(db);
  let version = readVersion();
  let expectedUntilMs = -Infinity;
  return () => {
    const seen = readVersion();
    if (seen !== version) expectedUntilMs = performance.now() + forMs;
    version = seen;
    if (performance.now() >= expectedUntilMs) return { batch, pauseMs: 0 };
    const least = {
      ...batch,
      maxRows: Math.min(batch.maxRows, small.maxRows),
      maxBytes: Math.min(batch.maxBytes, small.maxBytes),
    };
    return { batch: least, pauseMs: PAUSE_MS };
  };
}

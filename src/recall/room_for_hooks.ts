/** Makes room for hooks while a drain or an import works: who waits for a database looks only now and then whether it is free. */
import type { DatabaseSync } from "node:sqlite";
import { dataVersionReader } from "../store/database.ts";
import type { BatchSize } from "../store/queue_work.ts";

/** So long after somebody else has written more is expected, in milliseconds. */
const EXPECTED_MS = 2_000;
/** What is taken at once while hooks are at work: a transaction of about two milliseconds. */
const SMALL: BatchSize = { maxRows: 16, maxBytes: 100_000 };
/** How long the database is left alone between two of them, in milliseconds. */
const PAUSE_MS = 4;

/** How a drain goes on. */
export interface Pace {
  readonly batch: BatchSize;
  /** To be left between this batch and the next, in milliseconds. */
  readonly pauseMs: number;
}

/**
 * Looks whether others write into the same database.
 *
 * @param batch What is taken at once where nobody does.
 * @param small What is taken at once where somebody does, if that is less.
 * @returns A function that tells the pace of the moment; it takes a few microseconds.
 */
export function paceBesideHooks(
  db: DatabaseSync,
  batch: BatchSize,
  small: BatchSize = SMALL,
): () => Pace {
  const readVersion = dataVersionReader(db);
  let version = readVersion();
  let expectedUntilMs = -Infinity;
  return () => {
    const seen = readVersion();
    if (seen !== version) expectedUntilMs = performance.now() + EXPECTED_MS;
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

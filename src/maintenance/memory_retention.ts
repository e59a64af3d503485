import type { DatabaseSync } from "node:sqlite";
import { countOldObservations, removeOldObservations } from "../store/memory_retention.ts";
import { daysMs } from "../time.ts";

/** How long observations stay. */
export interface MemoryRetention {
  readonly nowMs: number;
  /** Days since an observation was seen last; 0 keeps everything for ever. */
  readonly retentionDays: number;
}

/** Observations in one transaction: each takes its words out of the index. */
const BATCH = 50;

/** {@linkcode removeOldMemory} in steps, each a transaction that tells how many it removed. */
export function* memoryRetentionSteps(
  db: DatabaseSync,
  { nowMs, retentionDays }: MemoryRetention,
): Generator<number, void> {
  if (retentionDays === 0) return;
  for (let removed = BATCH; removed === BATCH;) {
    removed = removeOldObservations(db, nowMs - daysMs(retentionDays), BATCH);
    yield removed;
  }
}

/**
 * Removes observations that were seen last longer ago than they are to be kept. Notes stay.
 *
 * @param options `untilMs`: stop at this time, in milliseconds since the process started (`performance.now()`).
 * @returns How many.
 */
export function removeOldMemory(
  db: DatabaseSync,
  options: MemoryRetention & {
    readonly untilMs?: number;
    /** Called after every step, with what has been removed so far. */
    readonly onProgress?: (removed: number) => void;
  },
): number {
  let sum = 0;
  if (performance.now() >= (options.untilMs ?? Infinity)) return sum;
  for (const removed of memoryRetentionSteps(db, options)) {
    sum += removed;
    options.onProgress?.(sum);
    if (performance.now() >= (options.untilMs ?? Infinity)) break;
  }
  return sum;
}

/** What {@linkcode removeOldMemory} would remove. */
export function previewMemoryRetention(
  db: DatabaseSync,
  { nowMs, retentionDays }: MemoryRetention,
): number {
  return retentionDays === 0 ? 0 : countOldObservations(db, nowMs - daysMs(retentionDays));
}

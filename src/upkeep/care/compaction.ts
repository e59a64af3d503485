/** Makes a database smaller: compresses payloads, and gives free room back to the disk. */
import type { DatabaseSync } from "node:sqlite";
import { collectGarbage } from "../../system/process/garbage.ts";
import { checkpoint } from "../../db/database.ts";
import {
  compressPayload,
  lastPlace,
  plainPayloads,
  type Replacement,
  replacePayloads,
} from "../../db/payloads.ts";
import { releasePages, type SpaceUse, spaceUse, withBusyTimeout } from "./care_table.ts";

/** What one transaction replaces at most: a hook never waits long. */
const BATCH = { maxRows: 64, maxBytes: 4 * 1024 * 1024 };

/** After so many steps the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_STEPS = 8;

/** After so many batches dead compressors are collected: each holds 7 kB and its payload. */
const COLLECT_EVERY_BATCHES = 4;

interface StepOptions<Done> {
  /** Stop at this time, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
  /** Called after every step, with what has been done so far. */
  readonly onProgress?: (done: Done) => void;
}

/** What a compaction did. */
export interface CompactionReport {
  /** Payloads that were text before. */
  readonly compressed: number;
  /** By how many bytes these became smaller. */
  readonly savedBytes: number;
  /** False when the time ran out first; the next run goes on there. */
  readonly complete: boolean;
}

/**
 * Compresses the payloads that are still text and become smaller by it.
 *
 * It compresses without a lock, and replaces in short transactions each payload that is still the text that was read. So
 * hooks and a second compaction may work at the same time, and a killed process leaves every payload whole.
 *
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function compactPayloads(
  db: DatabaseSync,
  options: StepOptions<CompactionReport> = {},
): CompactionReport {
  const upTo = lastPlace(db);
  const done = { compressed: 0, savedBytes: 0, complete: false };
  let after = 0;
  for (let batch = 1; performance.now() < (options.untilMs ?? Infinity); batch++) {
    const plain = plainPayloads(db, { after, upTo }, BATCH);
    const last = plain.at(-1);
    if (last === undefined) return { ...done, complete: true };
    after = last.place;
    const smaller = plain.flatMap(({ id, bytes }): Replacement[] => {
      const compressed = compressPayload(bytes);
      return compressed === null ? [] : [{ id, bytes, compressed }];
    });
    const { count, savedBytes } = replacePayloads(db, smaller);
    done.compressed += count;
    done.savedBytes += savedBytes;
    if (batch % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
    if (batch % COLLECT_EVERY_BATCHES === 0) collectGarbage();
    options.onProgress?.(done);
  }
  return done;
}

/** From this share of free pages on they are given back; fewer are filled by later captures. */
const MIN_FREE_SHARE = 0.25;

/**
 * Gives the free room of a database back to the disk when it is more than a quarter of the file, in short transactions,
 * so that hooks may work at the same time; then empties the write-ahead log, if nobody is using it.
 *
 * @returns By how many bytes the database became smaller; 0 when it was left as it is, or cannot shrink.
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function giveBackSpace(db: DatabaseSync, options: StepOptions<SpaceUse> = {}): number {
  const before = spaceUse(db);
  const isWorthIt = before.canShrink && before.freeBytes > before.fileBytes * MIN_FREE_SHARE;
  let use = before;
  for (let step = 1; isWorthIt && use.freeBytes > 0; step++) {
    if (performance.now() >= (options.untilMs ?? Infinity)) break;
    releasePages(db);
    if (step % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
    use = spaceUse(db);
    options.onProgress?.(use);
  }
  // While this process waited for the log, hooks would have to wait as well.
  withBusyTimeout(db, 0, () => checkpoint(db, "TRUNCATE"));
  return before.fileBytes - use.fileBytes;
}

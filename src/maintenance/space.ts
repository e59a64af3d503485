import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../store/database.ts";
import { releasePages, type SpaceUse, spaceUse, withBusyTimeout } from "../store/space.ts";

/** From this part of free pages on they are given back; below, later captures fill them. */
const MIN_FREE_SHARE = 0.25;

/** Pages that one transaction gives back: about 30 ms, so that a hook never waits long for its turn. */
const STEP_PAGES = 512;

/** The batches between two checkpoints, so that the write-ahead log does not grow with the whole run. */
const CHECKPOINT_EVERY_STEPS = 8;

/** How far giving back goes. */
export interface SpaceOptions {
  /** Stop at this time, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
  /** Called after every step. */
  readonly onProgress?: (use: SpaceUse) => void;
}

/**
 * Gives the free room of a database back to the disk when it is more than a quarter of the file, in short transactions,
 * so that hooks may work at the same time; then empties the write-ahead log, if nobody is using it.
 *
 * @returns By how many bytes the database became smaller; 0 when it was left as it is, or cannot shrink.
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function giveBackSpace(db: DatabaseSync, options: SpaceOptions = {}): number {
  const before = spaceUse(db);
  let use = before;
  if (use.canShrink && use.freeBytes > use.fileBytes * MIN_FREE_SHARE) {
    for (let step = 1; use.freeBytes > 0; step++) {
      if (performance.now() >= (options.untilMs ?? Infinity)) break;
      releasePages(db, STEP_PAGES);
      if (step % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
      use = spaceUse(db);
      options.onProgress?.(use);
    }
  }
  // Waiting here would keep hooks waiting too.
  withBusyTimeout(db, 0, () => checkpoint(db, "TRUNCATE"));
  return before.fileBytes - use.fileBytes;
}

import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../store/database.ts";
import { releasePages, type SpaceUse, spaceUse, withBusyTimeout } from "../store/space.ts";

/** From this share of free pages on they are given back; fewer are filled by later captures. */
const MIN_FREE_SHARE = 0.25;

/** Pages that one transaction gives back, in about 30 ms: a hook never waits long. */
const STEP_PAGES = 512;

/** After so many steps the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_STEPS = 8;

interface SpaceOptions {
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

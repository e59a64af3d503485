/** Measures how much room a database takes, and gives free room back to the disk. */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "./database.ts";

/** Free pages that one transaction gives back, in about 30 ms: a hook never waits long. */
const STEP_PAGES = 512;

/** The steps after which the write-ahead log is moved into the database, so that it stays short. */
const CHECKPOINT_EVERY_STEPS = 8;

/** Free pages are given back when they exceed this share of the file; later captures fill a smaller share. */
const MIN_FREE_SHARE = 0.25;

/** How much room a database takes, the write-ahead log included. */
interface SpaceUse {
  readonly pageBytes: number;
  readonly pages: number;
  /** Pages that hold nothing: later writes fill them before the file grows. */
  readonly freePages: number;
  readonly fileBytes: number;
  readonly freeBytes: number;
  /** 0 for a database that was not made with `auto_vacuum`: its free pages stay in the file. */
  readonly canShrink: 0 | 1;
}

/** Reads the page counts of a database; nothing of its content. */
export function spaceUse(db: DatabaseSync): SpaceUse {
  const row = db.prepare(
    `SELECT page_size AS pageBytes, page_count AS pages, freelist_count AS freePages,
            page_count * page_size AS fileBytes, freelist_count * page_size AS freeBytes,
            auto_vacuum <> 0 AS canShrink
       FROM pragma_page_count, pragma_page_size, pragma_freelist_count, pragma_auto_vacuum`,
  ).get();
  return row as unknown as SpaceUse;
}

/**
 * Gives free pages back to the disk in short transactions, so that hooks may work at the same time; then empties the
 * write-ahead log, if nobody is using it. `VACUUM` cannot do it: it attaches a second database, which the runtime
 * forbids to a program without every permission.
 * @param options `minFreeShare`: less free room, as a share of the file, is left for later writes.
 * @returns By how many bytes the database became smaller; 0 when it was left as it is, or cannot shrink.
 * @throws {Error} What SQLite says; what was done before stays done.
 */
export function giveBackSpace(
  db: DatabaseSync,
  { minFreeShare = MIN_FREE_SHARE, onProgress }: {
    readonly minFreeShare?: number;
    readonly onProgress?: (use: SpaceUse) => void;
  } = {},
): number {
  const before = spaceUse(db);
  const isWorthIt = before.canShrink === 1 && before.freeBytes > before.fileBytes * minFreeShare;
  let use = before;
  for (let step = 1; isWorthIt && use.freePages > 0; step++) {
    // Each row that is read frees one page.
    db.prepare(`PRAGMA incremental_vacuum(${STEP_PAGES})`).all();
    if (step % CHECKPOINT_EVERY_STEPS === 0) checkpoint(db, "PASSIVE");
    use = spaceUse(db);
    onProgress?.(use);
  }
  // While this process waited for the log, hooks would have to wait as well.
  const waitedMs = Number(db.prepare("PRAGMA busy_timeout").get()!["timeout"]);
  db.exec("PRAGMA busy_timeout = 0");
  try {
    checkpoint(db, "TRUNCATE");
  } finally {
    db.exec(`PRAGMA busy_timeout = ${waitedMs}`);
  }
  return before.fileBytes - use.fileBytes;
}

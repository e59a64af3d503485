import type { DatabaseSync } from "node:sqlite";

/** How much room a database takes, in bytes. */
export interface SpaceUse {
  /** The database file once everything of the write-ahead log is in it. */
  readonly fileBytes: number;
  /** Bytes of these in free pages, which later writes fill before the file grows. */
  readonly freeBytes: number;
  /** False for a database that was not made with `auto_vacuum`: its free pages stay in the file. */
  readonly canShrink: boolean;
}

/** Reads the page counts of a database; nothing of its content. */
export function spaceUse(db: DatabaseSync): SpaceUse {
  const row = db.prepare(
    `SELECT page_count * page_size AS fileBytes, freelist_count * page_size AS freeBytes, auto_vacuum
       FROM pragma_page_count, pragma_page_size, pragma_freelist_count, pragma_auto_vacuum`,
  ).get()!;
  return {
    fileBytes: Number(row["fileBytes"]),
    freeBytes: Number(row["freeBytes"]),
    canShrink: row["auto_vacuum"] !== 0,
  };
}

/** Removes at most so many free pages in one short transaction; the next checkpoint shortens the file. */
export function releasePages(db: DatabaseSync, pages: number): void {
  // Each row that is read frees one page.
  db.prepare(`PRAGMA incremental_vacuum(${pages})`).all();
}

/** Runs `work` with another time to wait for locks, in milliseconds, and sets the former one back. */
export function withBusyTimeout<Result>(
  db: DatabaseSync,
  timeoutMs: number,
  work: () => Result,
): Result {
  const former = Number(db.prepare("PRAGMA busy_timeout").get()?.["timeout"] ?? 0);
  db.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  try {
    return work();
  } finally {
    db.exec(`PRAGMA busy_timeout = ${former}`);
  }
}

/** Keeps the write-ahead log short that hooks have to read. */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../../db/database.ts";
import { drainLockPath, isLocked } from "../../db/process_lock.ts";

/**
 * Moves a long log into the database and empties it, if nobody else is at work: SQLite's own checkpoint would copy it at
 * every commit and never begin it again. A drain moves the log by itself, and while it is there nobody has to read it.
 */
export function shortenLog(db: DatabaseSync, database: string): void {
  try {
    if (isLocked(drainLockPath(database))) return;
    db.exec("PRAGMA busy_timeout = 0");
    checkpoint(db, "TRUNCATE");
  } catch {
    // Another process holds the database; a later hook tries again.
  }
}

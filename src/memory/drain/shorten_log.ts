/** Keeps the write-ahead log short, since every hook reads it. */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../../db/database.ts";
import { drainLockPath, isLocked } from "../../db/process_lock.ts";

/**
 * Moves a long log into the database and empties it, unless another process works. SQLite's own checkpoint would copy it at
 * every commit and never empty it. A drain does this by itself.
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

/** Keeps SQLite's write-ahead log short, since every hook reads it. */
import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../../db/database.ts";
import { drainLockPath, isLocked, teamLockPath } from "../../db/process_lock.ts";

/**
 * Copies a long log into the database and empties it, unless another process is writing. SQLite's own checkpoint would
 * copy the log at every commit and never empty it. A drain and a team's sync shorten the log themselves.
 */
export function shortenLog(db: DatabaseSync, database: string): void {
  try {
    if ([drainLockPath, teamLockPath].some((lockPath) => isLocked(lockPath(database)))) return;
    db.exec("PRAGMA busy_timeout = 0");
    checkpoint(db, "TRUNCATE");
  } catch {
    // Another process holds the database; a later hook tries again.
  }
}

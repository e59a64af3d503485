import { DatabaseSync } from "node:sqlite";
import { parentOf } from "../base/paths.ts";
import { isAlreadyExists, mkdirSync, openSync } from "../system/files.ts";

/** The lock file of a database's drain. */
export function drainLockPath(database: string): string {
  return `${database}-drain`;
}

/** The lock file of a database's summarizer. */
export function summarizerLockPath(database: string): string {
  return `${database}-summarizer`;
}

/** A lock that is held; `release()` gives it up, and so does the end of the process, however it comes. */
export interface ProcessLock {
  release(): void;
}

/** A moment's wait: somebody may just be looking whether the lock is held. */
const WAIT_MS = 500;

/**
 * Takes a lock that one process at a time holds: the operating system's own lock on a small file, which nobody inherits and
 * which is gone with the process, so it can never be stale. SQLite knows how to hold one on every system.
 *
 * Nothing else in the process may open the file: such a lock is lost when any descriptor of the file is closed.
 *
 * @param options `waitMs`: how long it may be waited for, in milliseconds.
 * @returns `null` when another process holds it. @throws {Error} When the file cannot be made.
 */
export function takeLock(path: string, { waitMs = WAIT_MS } = {}): ProcessLock | null {
  mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
  try {
    openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
  const db = new DatabaseSync(path, { timeout: waitMs });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (thrown) {
    db.close();
    if (isBusy(thrown)) return null;
    throw thrown;
  }
  return { release: () => db.close() };
}

/** Whether a daemon holds the lock. Never to be asked in the process that holds it. */
export function isLocked(path: string): boolean {
  let db: DatabaseSync;
  try {
    db = new DatabaseSync(path, { readOnly: true });
  } catch {
    return false; // No lock was ever taken.
  }
  try {
    // The runtime passes over `timeout` where it opens for reading only, and would wait for seconds.
    db.exec("PRAGMA busy_timeout = 1");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (thrown) {
    return isBusy(thrown);
  } finally {
    db.close();
  }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && /\b(locked|busy)\b/i.test(thrown.message);
}

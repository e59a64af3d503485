/** Locks that end with their process: of the drain, the summarizer, the daemon. */
import { DatabaseSync } from "node:sqlite";
import { parentOf } from "../base/paths.ts";
import { isAlreadyExists, mkdirSync, openSync } from "../system/files.ts";

export function drainLockPath(database: string): string {
  return `${database}-drain`;
}

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
 * Takes a lock that one process at a time holds: the system's own lock on a small file, gone with the process and so never
 * stale. Nothing else in the process may open the file: closing any descriptor of it loses the lock.
 *
 * @returns Null when another process holds it.
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

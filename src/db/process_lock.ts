/** Takes locks that end with their process: of the drain, the summarizer, a team's sync, the daemon. */
import { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../base/errors.ts";
import { makePrivateFile } from "../system/files.ts";

export function drainLockPath(database: string): string {
  return `${database}-drain`;
}

export function summarizerLockPath(database: string): string {
  return `${database}-summarizer`;
}

/** Returns the path of the lock that is held while a project is synchronised with a team's server. */
export function teamLockPath(database: string): string {
  return `${database}-team`;
}

/** A lock that is held. It ends with `release()`, with its block, or with the process, however that ends. */
export interface ProcessLock extends Disposable {
  release(): void;
}

/** How long a lock is waited for, in milliseconds: `isLocked()` of another process holds the file for a moment. */
const WAIT_MS = 500;

/**
 * Takes a lock that one process at a time holds: the system's own lock on a small file, gone with the process and so
 * never stale. Nothing else in the process may open the file: closing any descriptor of it loses the lock.
 * @returns Null when another process holds it.
 */
export function takeLock(path: string, { waitMs = WAIT_MS } = {}): ProcessLock | null {
  makePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: waitMs });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (thrown) {
    db.close();
    if (isDatabaseBusy(thrown)) return null;
    throw thrown;
  }
  const release = () => db.close();
  return { release, [Symbol.dispose]: release };
}

/** Tells whether another process holds a lock. The process that holds it must not ask: that would release the lock. */
export function isLocked(path: string): boolean {
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    // The runtime ignores `timeout` for a read-only connection, and would wait for seconds.
    db.exec("PRAGMA busy_timeout = 1");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (thrown) {
    // Where no lock was ever taken, there is no file.
    return isDatabaseBusy(thrown);
  }
}

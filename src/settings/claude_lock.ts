/**
 * The lock under which Claude Code changes the file that it keeps for itself: a folder beside it, there as long as
 * somebody writes (seen in 2.1.329). Without it, Claude Code could read the file before our change and write it after.
 */
import { waitMs } from "../store/wait.ts";

/** How long another one's lock is waited for, in milliseconds: longer than anybody needs to write a file. */
const WAIT_MS = 5_000;
const PAUSE_MS = 20;
/** Claude Code takes a lock of this age for a dead one's. */
const STALE_MS = 10_000;

/**
 * Runs `act` with the lock of a file. A lock that does not go away is passed over and left where it is: whoever replaces
 * the file looks once more whether it has changed.
 *
 * @param path The file, as Claude Code names it.
 */
export function whileLocked<T>(path: string, act: () => T): T {
  const lock = `${path}.lock`;
  const isOurs = take(lock);
  try {
    return act();
  } finally {
    if (isOurs) removeQuietly(lock);
  }
}

function take(lock: string): boolean {
  for (const untilMs = performance.now() + WAIT_MS; performance.now() < untilMs;) {
    try {
      Deno.mkdirSync(lock);
      return true;
    } catch (thrown) {
      // Where no folder can be made, no file can be replaced: that is told by who tries.
      if (!(thrown instanceof Deno.errors.AlreadyExists) || isStale(lock)) return false;
    }
    waitMs(PAUSE_MS);
  }
  return false;
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - (Deno.statSync(lock).mtime?.getTime() ?? 0) > STALE_MS;
  } catch {
    return false; // It is gone by now.
  }
}

function removeQuietly(lock: string): void {
  try {
    Deno.removeSync(lock);
  } catch {
    // Somebody took it for stale.
  }
}

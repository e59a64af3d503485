/** Takes a lock that is a folder: the lock is held as long as the folder exists. */
import { quietly } from "../base/errors.ts";
import { waitMs } from "./processes.ts";
import { removeQuietly } from "./write_file.ts";

const PAUSE_MS = 20;

/** Runs `act` under the lock; after `waitMs`, or when the lock is older than `staleMs`, without it. */
export function whileLocked<T>(
  lock: string,
  act: () => T,
  options: { readonly waitMs: number; readonly staleMs: number },
): T {
  const isOurs = take(lock, options);
  try {
    return act();
  } finally {
    if (isOurs) removeQuietly(lock);
  }
}

function take(
  lock: string,
  limits: { readonly waitMs: number; readonly staleMs: number },
): boolean {
  for (const untilMs = performance.now() + limits.waitMs; performance.now() < untilMs;) {
    try {
      Deno.mkdirSync(lock);
      return true;
    } catch (thrown) {
      // Where no folder can be made, the file cannot be replaced either, and the caller reports that.
      if (!(thrown instanceof Deno.errors.AlreadyExists)) return false;
      if (isStale(lock, limits.staleMs)) return false;
    }
    waitMs(PAUSE_MS);
  }
  return false;
}

function isStale(lock: string, staleMs: number): boolean {
  // Another process may have removed the lock by now.
  const info = quietly(() => Deno.statSync(lock));
  return info !== undefined && Date.now() - (info.mtime?.getTime() ?? 0) > staleMs;
}

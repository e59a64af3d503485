import type { DatabaseSync } from "node:sqlite";
import { requireIndex, withIndex } from "../store/memory_index.ts";
import { drainLockPath, takeLock } from "../store/process_lock.ts";
import {
  type CaptureDrainOptions,
  type CaptureDrainReport,
  drainCaptures,
} from "./capture_drain.ts";

/**
 * Works off the queue of a database, unless another process does.
 *
 * @param database Its path; `:memory:` needs no lock. @returns Null when another process is at it.
 * @throws {Error} As {@linkcode drainCaptures}, and when the lock cannot be made.
 */
export function drainAlone(
  db: DatabaseSync,
  database: string,
  options: CaptureDrainOptions & {
    readonly waitMs?: number;
    /** False leaves a damaged index as it is: making it anew may take seconds. */
    readonly mendsIndex?: boolean;
    /** Called before a damaged index is made anew: this is worth telling. */
    readonly onRebuild?: (why: string) => void;
  },
): CaptureDrainReport | null {
  if (database === ":memory:") return drainCaptures(db, options);
  const lock = takeLock(drainLockPath(database), { waitMs: options.waitMs ?? 0 });
  if (lock === null) return null;
  try {
    // What is written goes into the index as well: one that is damaged would keep everything waiting. Of one that is gone
    // SQLite says what it says of a capture that it does not take.
    const drain = () => {
      requireIndex(db);
      return drainCaptures(db, options);
    };
    return options.mendsIndex === false ? drain() : withIndex(db, drain, options.onRebuild);
  } finally {
    lock.release();
  }
}

import type { DatabaseSync } from "node:sqlite";
import { incrementCounter, readCounter, resetCounters } from "./counters.ts";
import { transaction } from "./database.ts";

/** The counter of the rounds that a session has come to an end of. */
export const ROUNDS = "stop_rounds";
/** The counter of the stops that were held back in a row. */
export const BLOCKS_IN_ROW = "stop_blocks";
/** The counter of those that requirements held. */
export const REQUIREMENTS_HELD = "stop_requirements";

/** Whose counter, and when. */
interface Counted {
  readonly sessionId: string;
  readonly atMs: number;
}

/**
 * Counts the end of a round. No two processes get the same number.
 *
 * @param who `isFollowed`: the last round is followed by something without an end, so that none begins before the next
 * turn; `isContinued`: the turn is the same as at the stop before.
 * @returns Which round it was, from 1; null when it was the last one, and the count begins anew.
 */
export function countRound(
  db: DatabaseSync,
  rounds: number,
  who: Counted & { readonly isFollowed?: boolean; readonly isContinued?: boolean },
): number | null {
  const { sessionId, atMs, isFollowed = false, isContinued = false } = who;
  return transaction(db, () => {
    if (isFollowed && readCounter(db, sessionId, ROUNDS) >= rounds) {
      if (isContinued) return null;
      resetCounters(db, sessionId, ROUNDS);
    }
    const round = incrementCounter(db, { sessionId, atMs, type: ROUNDS });
    if (round < rounds) return round;
    if (!isFollowed) resetCounters(db, sessionId, ROUNDS);
    return null;
  });
}

/**
 * Counts a stop that is to be held back.
 *
 * @returns Which one in a row it is, from 1; null when that would be one too many, as all are until a new row begins.
 */
export function countBlock(db: DatabaseSync, maxBlocks: number, who: Counted): number | null {
  const block = incrementCounter(db, { ...who, type: BLOCKS_IN_ROW });
  return block <= maxBlocks ? block : null;
}

/** Begins a new row. */
export function resetRow(db: DatabaseSync, sessionId: string): void {
  for (const type of [BLOCKS_IN_ROW, REQUIREMENTS_HELD]) {
    if (readCounter(db, sessionId, type) > 0) resetCounters(db, sessionId, type);
  }
}

/** Whether what is written outlives this process: a database in memory knows nothing of the stop before. */
export function isLasting(db: DatabaseSync): boolean {
  const row = db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get();
  return typeof row?.["file"] === "string" && row["file"] !== "";
}

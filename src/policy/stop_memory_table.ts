/** What is kept for the stops of a session: counters, the files of the folder, the first prompt, notices. */
import type { DatabaseSync } from "node:sqlite";
import { incrementCounter, readCounter, resetCounters } from "../db/counters.ts";
import { transaction } from "../db/transaction.ts";
import type { QueuePlace } from "./guards/stop_policy.ts";

/** The counter of the rounds that a session has come to an end of. */
export const ROUNDS = "stop_rounds";
/** The counter of the stops that were held back in a row. */
export const BLOCKS_IN_ROW = "stop_blocks";
/** The counter of those that requirements held. */
export const REQUIREMENTS_HELD = "stop_requirements";

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

/** Counts a stop that is to be held back. @returns Its number in the row, from 1; null when it is one too many. */
export function countBlock(db: DatabaseSync, maxBlocks: number, who: Counted): number | null {
  const block = incrementCounter(db, { ...who, type: BLOCKS_IN_ROW });
  return block <= maxBlocks ? block : null;
}

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

/** Whose files are meant: those in a folder, as a session found them. */
export interface SnapshotKey {
  readonly sessionId: string;
  readonly root: string;
}

/** Keeps which files are there, in the place of what was known before. */
export function saveSnapshot(
  db: DatabaseSync,
  { sessionId, root }: SnapshotKey,
  taken: { readonly names: readonly string[]; readonly atMs: number },
): void {
  db.prepare(
    `INSERT INTO root_snapshots (session_id, root, names, created_at_ms)
     VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id, root) DO UPDATE SET
       names = excluded.names,
       created_at_ms = excluded.created_at_ms`,
  ).run(sessionId, root, JSON.stringify(taken.names), taken.atMs);
}

/** The files that were there; null when nobody looked, or the row cannot be read. */
export function readSnapshot(
  db: DatabaseSync,
  { sessionId, root }: SnapshotKey,
): ReadonlySet<string> | null {
  const row = db.prepare(
    `SELECT names
       FROM root_snapshots
      WHERE session_id = ?
        AND root = ?`,
  ).get(sessionId, root);
  try {
    const names: unknown = JSON.parse(String(row?.["names"]));
    return Array.isArray(names) ? new Set(names.map(String)) : null;
  } catch {
    return null;
  }
}

/** Keeps how the first prompt of a session began; a later one changes nothing. */
export function keepFirstPrompt(
  db: DatabaseSync,
  first: { readonly sessionId: string; readonly prompt: string; readonly atMs: number },
): void {
  db.prepare(
    `INSERT INTO prompt_queues (session_id, initial_prompt, created_at_ms, updated_at_ms)
     VALUES (?1, ?2, ?3, ?3)
     ON CONFLICT (session_id) DO NOTHING`,
  ).run(first.sessionId, first.prompt, first.atMs);
}

/** How a session began, and how far it has come; null when no prompt of it is known. */
export function readQueue(
  db: DatabaseSync,
  sessionId: string,
): QueuePlace & { readonly prompt: string } | null {
  const row = db.prepare(
    `SELECT initial_prompt AS prompt, queue_position AS position, repeats_left AS timesLeft
       FROM prompt_queues
      WHERE session_id = ?`,
  ).get(sessionId);
  return (row ?? null) as unknown as QueuePlace & { readonly prompt: string } | null;
}

export function advanceQueue(
  db: DatabaseSync,
  sessionId: string,
  to: QueuePlace & { readonly atMs: number },
): void {
  db.prepare(
    `UPDATE prompt_queues
        SET queue_position = ?2,
            repeats_left = ?3,
            updated_at_ms = ?4
      WHERE session_id = ?1`,
  ).run(sessionId, to.position, to.timesLeft, to.atMs);
}

/** Notes that something is told. @returns False when it was told before. @throws {Error} What SQLite says. */
export function isFirstTelling(db: DatabaseSync, what: string): boolean {
  const key = `told:${what}`;
  if (db.prepare("SELECT 1 FROM meta WHERE key = ?").get(key) !== undefined) return false;
  return db.prepare("INSERT OR IGNORE INTO meta (key, value) VALUES (?, '')").run(key).changes > 0;
}

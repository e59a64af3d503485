/** Stores what the stops of a session need: counters, the files of the project's folder, the first prompt. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../../base/errors.ts";
import { incrementCounter, readCounter, resetCounters } from "../../db/counters.ts";
import { putRow } from "../../db/statement.ts";
import { transaction } from "../../db/transaction.ts";

export const ROUNDS = "stop_rounds";
export const BLOCKS_IN_ROW = "stop_blocks";
export const REQUIREMENTS_HELD = "stop_requirements";

/**
 * Counts the end of a round; no two processes get the same number. `isFollowed`: `stop.infinite` follows the last
 * round, so that no new round begins in this turn. `isContinued`: the turn is the same as at the previous stop. Returns
 * the number of the round, from 1; null for the last round, after which the count begins anew.
 */
export function countRound(
  db: DatabaseSync,
  rounds: number,
  who: {
    readonly sessionId: string;
    readonly atMs: number;
    readonly isFollowed?: boolean;
    readonly isContinued?: boolean;
  },
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

export function resetRow(db: DatabaseSync, sessionId: string): void {
  for (const type of [BLOCKS_IN_ROW, REQUIREMENTS_HELD]) {
    if (readCounter(db, sessionId, type) > 0) resetCounters(db, sessionId, type);
  }
}

/** Tells whether the database outlives this process; a database in memory knows nothing of earlier stops. */
export function isLasting(db: DatabaseSync): boolean {
  const row = db.prepare("SELECT file FROM pragma_database_list WHERE name = 'main'").get();
  return typeof row?.["file"] === "string" && row["file"] !== "";
}

/**
 * Tells whether a session used one of these tools, or a tool of an MCP server, since its last stop that was let
 * through. The events before the uses decide; an event after a use may come late, and counts only if none came before.
 */
export function hasUsedTools(
  db: DatabaseSync,
  sessionId: string,
  tools: readonly string[],
): boolean {
  return db.prepare(
    `SELECT 1
       FROM hook_executions AS used
      WHERE session_id = ?1
        AND (   hook_name = 'PreToolUse' AND status <> 'blocked'
             OR hook_name IN ('PostToolUse', 'PostToolUseFailure')
            AND NOT EXISTS (
                  SELECT 1
                    FROM hook_executions
                   WHERE session_id = ?1
                     AND tool_use_id = used.tool_use_id
                     AND hook_name = 'PreToolUse'))
        AND (tool_name IN (SELECT value FROM json_each(?2)) OR tool_name LIKE 'mcp\\_\\_%' ESCAPE '\\')
        AND created_at_ms >= coalesce((
              SELECT max(created_at_ms)
                FROM hook_executions
               WHERE session_id = ?1
                 AND hook_name = 'Stop'
                 AND status = 'success'), 0)
      LIMIT 1`,
  ).get(sessionId, JSON.stringify(tools)) !== undefined;
}

export interface SnapshotKey {
  readonly sessionId: string;
  readonly root: string;
}

/** Stores which files are present, and replaces the earlier list. */
export function saveSnapshot(
  db: DatabaseSync,
  { sessionId, root }: SnapshotKey,
  { names, atMs }: { readonly names: readonly string[]; readonly atMs: number },
): void {
  const row = { sessionId, root, names: JSON.stringify(names), createdAtMs: atMs };
  putRow(db, "root_snapshots", row);
}

/** Reads the stored files; null when nothing readable is stored. */
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
  const names: unknown = quietly(() => JSON.parse(String(row?.["names"])));
  return Array.isArray(names) ? new Set(names.map(String)) : null;
}

/** Stores the first prompt of a session; later prompts change nothing. */
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

/** How far a session has come in the queue of messages. */
export interface QueuePlace {
  readonly position: number;
  /** How many more stops get the message at this position; null for all of them. */
  readonly timesLeft: number | null;
}

/** Reads the first prompt of a session and its place in the queue; null when no prompt is stored. */
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
  next: QueuePlace & { readonly atMs: number },
): void {
  db.prepare(
    `UPDATE prompt_queues
        SET queue_position = ?2,
            repeats_left = ?3,
            updated_at_ms = ?4
      WHERE session_id = ?1`,
  ).run(sessionId, next.position, next.timesLeft, next.atMs);
}

const SESSION_TABLES = [
  "pauses",
  "requirements",
  "root_snapshots",
  "prompt_queues",
  "effect_snapshots",
  "violations",
];

/** Removes what gates and stops store about sessions, in the transaction of the caller. */
export function removeGateState(db: DatabaseSync, sessionIds: readonly string[]): void {
  for (const table of SESSION_TABLES) {
    db.prepare(`DELETE FROM ${table} WHERE session_id IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(sessionIds));
  }
}

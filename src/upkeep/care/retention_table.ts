/** Removes old sessions with their rows, rows of no session, and old observations. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../../db/transaction.ts";

/** Rows by table. */
export interface RowCounts {
  readonly sessions: number;
  readonly executions: number;
  readonly captures: number;
  readonly counters: number;
}

/** The captures that may go: all, or only those that are worked into memory or given up. */
export type GoneCaptures = "all" | "worked";

/** A capture that may go; `?3` is 1 when all may. */
const GONE = "(?3 OR status IN ('done', 'error'))";

/**
 * The session that ended the longest ago, before `endedBeforeMs`. Where only worked captures may go, a session with
 * others stays: memory still needs it.
 */
export function oldestExpiredSession(
  db: DatabaseSync,
  endedBeforeMs: number,
  captures: GoneCaptures,
): string | undefined {
  const row = db.prepare(
    `SELECT session_id AS id
       FROM sessions AS s
      WHERE s.status IN ('ended', 'abandoned')
        AND s.ended_at_ms < ?1
        AND (?2 OR NOT EXISTS (
          SELECT 1
            FROM pending_queue AS q
           WHERE q.session_id = s.session_id
             AND q.status IN ('raw', 'processing')))
      ORDER BY s.ended_at_ms
      LIMIT 1`,
  ).get(endedBeforeMs, captures === "all" ? 1 : 0);
  return row === undefined ? undefined : String(row["id"]);
}

/**
 * Removes at most `limit` rows of a session, in one transaction, and the session itself when nothing else of it is left.
 * The caller repeats this until `done`. A capture that may not go keeps its session.
 */
export function removeSessionRows(
  db: DatabaseSync,
  sessionId: string,
  { limit, captures: gone }: { readonly limit: number; readonly captures: GoneCaptures },
): RowCounts & { readonly done: boolean } {
  return transaction(db, () => {
    const captures = changes(
      db,
      `DELETE FROM pending_queue
        WHERE id IN (SELECT id FROM pending_queue WHERE session_id = ?1 AND ${GONE} LIMIT ?2)`,
      [sessionId, limit, gone === "all" ? 1 : 0],
    );
    if (captures < limit && hasCaptures(db, sessionId)) {
      return { sessions: 0, executions: 0, captures, counters: 0, done: true };
    }
    const executions = captures >= limit ? 0 : changes(
      db,
      `DELETE FROM hook_executions
        WHERE id IN (SELECT id FROM hook_executions WHERE session_id = ?1 LIMIT ?2)`,
      [sessionId, limit - captures],
    );
    if (captures + executions >= limit) {
      return { sessions: 0, executions, captures, counters: 0, done: false };
    }
    const counters = changes(db, "DELETE FROM counters WHERE session_id = ?", [sessionId]);
    for (const table of ["pauses", "requirements", "root_snapshots", "prompt_queues"]) {
      changes(db, `DELETE FROM ${table} WHERE session_id = ?`, [sessionId]);
    }
    // Agents and questions of the daemon go with their task.
    changes(db, "DELETE FROM agents WHERE session_id = ? AND kind = 'subagent'", [sessionId]);
    changes(
      db,
      "DELETE FROM questions WHERE session_id = ? AND source IN ('notification', 'elicitation')",
      [sessionId],
    );
    const sessions = changes(db, "DELETE FROM sessions WHERE session_id = ?", [sessionId]);
    return { sessions, executions, captures, counters, done: true };
  });
}

function hasCaptures(db: DatabaseSync, sessionId: string): boolean {
  return db.prepare("SELECT 1 FROM pending_queue WHERE session_id = ? LIMIT 1").get(sessionId) !==
    undefined;
}

/**
 * Removes at most `limit` rows of each table that belong to no known session and were made before an id.
 *
 * @param beforeId A UUIDv7; rows with smaller ids are older.
 */
export function removeOrphanRows(
  db: DatabaseSync,
  beforeId: string,
  { limit, captures }: { readonly limit: number; readonly captures: GoneCaptures },
): RowCounts {
  const orphans = (table: "pending_queue" | "hook_executions", condition: string) =>
    changes(
      db,
      `DELETE FROM ${table}
        WHERE id IN (
          SELECT id FROM ${table} AS row
           WHERE row.id < ?1
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = row.session_id)
             AND ${condition}
           LIMIT ?2)`,
      [beforeId, limit, captures === "all" ? 1 : 0],
    );
  return transaction(db, () => ({
    sessions: 0,
    captures: orphans("pending_queue", GONE),
    executions: orphans("hook_executions", "?3 = ?3"),
    counters: 0,
  }));
}

/** What a full run would remove now. */
export function countExpired(db: DatabaseSync, endedBeforeMs: number, beforeId: string): RowCounts {
  const row = db.prepare(
    `WITH expired AS (
       SELECT session_id FROM sessions
        WHERE status IN ('ended', 'abandoned') AND ended_at_ms < ?1
     )
     SELECT (SELECT count(*) FROM expired) AS sessions,
            (SELECT count(*) FROM hook_executions AS row
              WHERE row.session_id IN expired
                 OR (row.id < ?2 AND row.session_id NOT IN (SELECT session_id FROM sessions))) AS executions,
            (SELECT count(*) FROM pending_queue AS row
              WHERE row.session_id IN expired
                 OR (row.id < ?2 AND row.session_id NOT IN (SELECT session_id FROM sessions))) AS captures,
            (SELECT count(*) FROM counters WHERE session_id IN expired) AS counters`,
  ).get(endedBeforeMs, beforeId);
  return row as unknown as RowCounts;
}

/** How many observations were seen last before a moment. Notes always stay, so they do not count. */
export function countOldObservations(db: DatabaseSync, seenBeforeMs: number): number {
  const row = db.prepare(`SELECT count(*) AS n FROM observations WHERE ${IS_OLD}`).get(
    seenBeforeMs,
  );
  return Number(row!["n"]);
}

/** An observation that was seen last before a moment; notes stay. */
const IS_OLD = "kind <> 'note' AND updated_at_ms < ?1";

/** Removes at most `limit` old observations, the oldest first, in one transaction. @returns How many. */
export function removeOldObservations(
  db: DatabaseSync,
  seenBeforeMs: number,
  limit: number,
): number {
  // Without any, no transaction keeps others waiting.
  const some = db.prepare(`SELECT 1 FROM observations WHERE ${IS_OLD} LIMIT 1`).get(seenBeforeMs);
  if (some === undefined) return 0;
  return transaction(db, () =>
    changes(
      db,
      `DELETE FROM observations
        WHERE id IN (SELECT id FROM observations WHERE ${IS_OLD} ORDER BY updated_at_ms LIMIT ?2)`,
      [seenBeforeMs, limit],
    ));
}

function changes(db: DatabaseSync, sql: string, values: (string | number)[]): number {
  return Number(db.prepare(sql).run(...values).changes);
}

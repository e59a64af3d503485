import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";

/** Rows by table. */
export interface RowCounts {
  readonly sessions: number;
  readonly executions: number;
  readonly captures: number;
  readonly counters: number;
}

/** The session that ended the longest ago, if that is before `endedBeforeMs`. Active sessions never. */
export function oldestExpiredSession(db: DatabaseSync, endedBeforeMs: number): string | undefined {
  const row = db.prepare(
    `SELECT session_id AS id
       FROM sessions
      WHERE status IN ('ended', 'abandoned')
        AND ended_at_ms < ?
      ORDER BY ended_at_ms
      LIMIT 1`,
  ).get(endedBeforeMs);
  return row === undefined ? undefined : String(row["id"]);
}

/**
 * Removes at most `limit` rows of a session, in one transaction; the session itself goes last, when nothing else of it
 * is left. It must be called again until `done`.
 */
export function removeSessionRows(
  db: DatabaseSync,
  sessionId: string,
  limit: number,
): RowCounts & { readonly done: boolean } {
  return transaction(db, () => {
    const captures = changes(
      db,
      `DELETE FROM pending_queue
        WHERE id IN (SELECT id FROM pending_queue WHERE session_id = ?1 LIMIT ?2)`,
      [sessionId, limit],
    );
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
    changes(db, "DELETE FROM pauses WHERE session_id = ?", [sessionId]);
    changes(db, "DELETE FROM requirements WHERE session_id = ?", [sessionId]);
    changes(db, "DELETE FROM root_snapshots WHERE session_id = ?", [sessionId]);
    changes(db, "DELETE FROM prompt_queues WHERE session_id = ?", [sessionId]);
    // What the daemon has started or asked goes with its task.
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

/**
 * Removes at most `limit` rows of each table that belong to no known session and were made before an id.
 *
 * @param beforeId A UUIDv7; rows with smaller ids are older.
 */
export function removeOrphanRows(db: DatabaseSync, beforeId: string, limit: number): RowCounts {
  const orphans = (table: "pending_queue" | "hook_executions") =>
    changes(
      db,
      `DELETE FROM ${table}
        WHERE id IN (
          SELECT id FROM ${table} AS row
           WHERE row.id < ?1
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = row.session_id)
           LIMIT ?2)`,
      [beforeId, limit],
    );
  return transaction(db, () => ({
    sessions: 0,
    captures: orphans("pending_queue"),
    executions: orphans("hook_executions"),
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

function changes(db: DatabaseSync, sql: string, values: (string | number)[]): number {
  return Number(db.prepare(sql).run(...values).changes);
}

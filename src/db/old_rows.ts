/** Removes old sessions with the rows of this room, and rows of no known session. */
import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../base/ids.ts";
import { statement } from "./statement.ts";
import { transaction } from "./transaction.ts";

/** How many rows of each table are old, or were removed. */
export interface OldRows {
  readonly sessions: number;
  readonly executions: number;
  readonly captures: number;
  readonly counters: number;
}

/** The captures that may be removed: all, or only those that are worked into memory or given up. */
export type GoneCaptures = "all" | "worked";

/** Which sessions may be removed: those that ended before `beforeMs`, in epoch milliseconds. */
export type OldSessions = Readonly<{ beforeMs: number; captures: GoneCaptures; limit: number }>;

/** Returns sessions that ended before a moment, the oldest first; with `worked`, those without waiting captures. */
export function oldSessions(
  db: DatabaseSync,
  { beforeMs, captures, limit }: OldSessions,
): string[] {
  return statement(db)`
    SELECT session_id AS id
      FROM sessions AS s
     WHERE s.status IN ('ended', 'abandoned')
       AND s.ended_at_ms < ?1
       AND (?2 OR NOT EXISTS (
         SELECT 1
           FROM pending_queue AS q
          WHERE q.session_id = s.session_id
            AND q.status IN ('raw', 'processing')))
     ORDER BY s.ended_at_ms
     LIMIT ?3`.all(beforeMs, captures === "all" ? 1 : 0, limit).map(({ id }) => String(id));
}

const MAX_SESSIONS = 10;

/**
 * Removes at most `limit` captures and executions of old sessions, in one transaction, and those sessions when nothing
 * else of them is left. The caller repeats this until nothing is removed.
 * @param removeOthers Removes what other rooms have of these sessions.
 */
export function removeOldSessions(
  db: DatabaseSync,
  { limit, ...which }: OldSessions,
  removeOthers: (sessionIds: readonly string[]) => void,
): OldRows {
  return transaction(db, () => {
    const ids = oldSessions(db, { ...which, limit: MAX_SESSIONS });
    const removed = { sessions: 0, executions: 0, captures: 0, counters: 0 };
    const remove = (table: string, key: string) =>
      Number(
        statement(db)`
          DELETE FROM ${table}
           WHERE ${key} IN (SELECT ${key} FROM ${table}
                             WHERE session_id IN (SELECT value FROM json_each(?1))
                             LIMIT ?2)
        `.run(JSON.stringify(ids), limit - removed.captures - removed.executions).changes,
      );
    removed.captures = remove("pending_queue", "id");
    removed.executions = remove("hook_executions", "id");
    if (removed.captures + removed.executions >= limit) return removed;
    removeOthers(ids);
    removed.counters = Number(
      db.prepare("DELETE FROM counters WHERE session_id IN (SELECT value FROM json_each(?))")
        .run(JSON.stringify(ids)).changes,
    );
    removed.sessions = remove("sessions", "session_id");
    return removed;
  });
}

/** Removes at most `limit` rows of each table that belong to no known session and were made before a moment. */
export function removeOrphanRows(
  db: DatabaseSync,
  { beforeMs, captures, limit }: OldSessions,
): OldRows {
  const remove = (table: "pending_queue" | "hook_executions", mayGo: string) =>
    Number(
      statement(db)`
        DELETE FROM ${table}
         WHERE id IN (
           SELECT id FROM ${table} AS row
            WHERE row.id < ?1
              AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = row.session_id)
              AND ${mayGo}
            LIMIT ?2)`.run(firstIdAt(beforeMs), limit).changes,
    );
  return transaction(db, () => ({
    sessions: 0,
    captures: remove("pending_queue", captures === "all" ? "1" : "status IN ('done', 'error')"),
    executions: remove("hook_executions", "1"),
    counters: 0,
  }));
}

/** Returns how many rows of old sessions and of no known session there are. */
export function countOldRows(db: DatabaseSync, beforeMs: number): OldRows {
  const isOld =
    `row.session_id IN expired OR (row.id < ?2 AND row.session_id NOT IN (SELECT session_id FROM sessions))`;
  const row = statement(db)`
    WITH expired AS (
      SELECT session_id FROM sessions
       WHERE status IN ('ended', 'abandoned') AND ended_at_ms < ?1
    )
    SELECT (SELECT count(*) FROM expired) AS sessions,
           (SELECT count(*) FROM hook_executions AS row WHERE ${isOld}) AS executions,
           (SELECT count(*) FROM pending_queue AS row WHERE ${isOld}) AS captures,
           (SELECT count(*) FROM counters WHERE session_id IN expired) AS counters
  `.get(beforeMs, firstIdAt(beforeMs));
  return row as unknown as OldRows;
}

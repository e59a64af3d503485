import type { DatabaseSync } from "node:sqlite";
import type { SessionProcess } from "../session/liveness.ts";

/** What SessionStart asks of the sessions table, and what it marks there. */

/** Active sessions with a known process, the ones that were quiet the longest first. */
export function activeSessions(
  db: DatabaseSync,
  options: { readonly except: string; readonly limit: number },
): SessionProcess[] {
  return db.prepare(
    `SELECT session_id AS sessionId, claude_pid AS claudePid, claude_process AS claudeProcess
       FROM sessions
      WHERE status = 'active'
        AND claude_pid IS NOT NULL
        AND session_id <> ?
      ORDER BY updated_at_ms
      LIMIT ?`,
  ).all(options.except, options.limit) as unknown as SessionProcess[];
}

/** Whether the mark of a session's process is still to be kept. */
export function lacksMark(db: DatabaseSync, sessionId: string, claudePid: number): boolean {
  return db.prepare(
    `SELECT 1
       FROM sessions
      WHERE session_id = ?
        AND claude_pid = ?
        AND claude_process IS NULL`,
  ).get(sessionId, claudePid) !== undefined;
}

/** Keeps the mark of a session's process, unless another process runs the session by now. */
export function keepMark(
  db: DatabaseSync,
  sessionId: string,
  { claudePid, mark }: { readonly claudePid: number; readonly mark: string },
): void {
  db.prepare(
    `UPDATE sessions
        SET claude_process = ?3
      WHERE session_id = ?1
        AND claude_pid = ?2
        AND claude_process IS NULL`,
  ).run(sessionId, claudePid, mark);
}

/**
 * Marks sessions as abandoned; they ended with their last sign of life. A session that is not active any more, or
 * showed life after `seenBeforeMs`, is left alone.
 *
 * @returns How many were marked.
 */
export function markAbandoned(
  db: DatabaseSync,
  sessionIds: readonly string[],
  seenBeforeMs: number,
): number {
  const marked = db.prepare(
    `UPDATE sessions
        SET status = 'abandoned', ended_at_ms = updated_at_ms
      WHERE status = 'active'
        AND updated_at_ms <= ?
        AND session_id IN (SELECT value FROM json_each(?))
     RETURNING session_id AS sessionId`,
  ).all(seenBeforeMs, JSON.stringify(sessionIds));
  for (const { sessionId } of marked) askForSummaryOfEnd(db, String(sessionId));
  return marked.length;
}

/** Has the summary of a session that ended written anew, since it says how; of one that is not known there is none. */
export function askForSummaryOfEnd(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `INSERT OR IGNORE INTO sessions_to_summarize (session_id)
     SELECT ?1
      WHERE EXISTS (SELECT 1 FROM observations WHERE session_id = ?1)`,
  ).run(sessionId);
}

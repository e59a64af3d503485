/** What waits in the queue to be worked in. */
import type { DatabaseSync } from "node:sqlite";
import type { StoredPayload } from "./payloads.ts";

/** Whether anything waits to be worked in. */
export function hasWaiting(db: DatabaseSync, nowMs: number): boolean {
  return db.prepare(
    `SELECT 1
       FROM pending_queue
      WHERE status IN ('raw', 'processing')
        AND (retry_at_ms IS NULL OR retry_at_ms <= ?)
      LIMIT 1`,
  ).get(nowMs) !== undefined;
}

/** So many captures that wait are counted at most. */
const MAX_COUNTED = 1_000;

/** How many captures of a project wait to be worked in, but for those of one session; 1000 is as many or more. */
export function countWaiting(
  db: DatabaseSync,
  { project, except }: { readonly project: string; readonly except: string },
): number {
  const row = db.prepare(
    `SELECT count(*) AS n
       FROM (SELECT 1
               FROM pending_queue AS q
               JOIN sessions AS s ON s.session_id = q.session_id
              WHERE q.status IN ('raw', 'processing')
                AND q.session_id <> ?
                AND coalesce(s.repository, s.project_dir) = ?
              LIMIT ${MAX_COUNTED})`,
  ).get(except, project);
  return Number(row!["n"]);
}

/** A capture that waits, as it is stored. */
export interface WaitingCapture extends StoredPayload {
  readonly sessionId: string;
  /** For what is no tool use, the event. */
  readonly toolName: string;
  readonly outcome: "success" | "failure";
  readonly createdAtMs: number;
}

/** Sessions that are looked at: those with the newest signs of life. */
const MAX_LOOKED_AT = 20;
/** The payload of a larger tool use, in bytes, is not read to be told by its title. */
const MAX_BYTES = 100_000;

/**
 * Of a project's newest sessions that have captures waiting the last prompt, then so many of the last tool uses, but for looks; one session
 * after the other, the newest sign of life first.
 */
export function newestWaiting(
  db: DatabaseSync,
  { project, except, sessions, uses }: {
    readonly project: string;
    /** The session of which none is wanted. */
    readonly except: string;
    readonly sessions: number;
    readonly uses: number;
  },
): WaitingCapture[] {
  const wait = "session_id = s.session_id AND status IN ('raw', 'processing')";
  const behind = db.prepare(
    `SELECT session_id AS id
       FROM (SELECT session_id, updated_at_ms
               FROM sessions
              WHERE coalesce(repository, project_dir) = ?
                AND session_id <> ?
              ORDER BY updated_at_ms DESC
              LIMIT ${MAX_LOOKED_AT}) AS s
      WHERE EXISTS (SELECT 1 FROM pending_queue WHERE ${wait})
      ORDER BY updated_at_ms DESC
      LIMIT ?`,
  ).all(project, except, sessions);
  const newest = db.prepare(
    `SELECT id, session_id AS sessionId, tool_name AS toolName, outcome, encoding, payload, raw_bytes AS rawBytes,
            created_at_ms AS createdAtMs
       FROM pending_queue
      WHERE session_id = ?1
        AND status IN ('raw', 'processing')
        AND iif(?2, tool_name = 'UserPromptSubmit',
                tool_name NOT IN ('UserPromptSubmit', 'Stop', 'StopFailure', 'PostCompact', 'Read', 'NotebookRead',
                                  'Grep', 'Glob', 'LS')
                AND raw_bytes <= ${MAX_BYTES})
      ORDER BY created_at_ms DESC, id DESC
      LIMIT ?3`,
  );
  return behind.flatMap(({ id }) =>
    [...newest.all(id!, 1, 1), ...newest.all(id!, 0, uses)] as unknown as WaitingCapture[]
  );
}

/** How many captures of all sessions are not worked in yet. */
export function countAllWaiting(db: DatabaseSync): number {
  const row = db.prepare(
    "SELECT count(*) AS n FROM pending_queue WHERE status IN ('raw', 'processing')",
  ).get();
  return Number(row!["n"]);
}

/** Of some sessions those whose captures are not all worked in. */
export function sessionsWaiting(
  db: DatabaseSync,
  of: readonly { readonly sessionId: string }[],
): ReadonlySet<string> {
  const rows = db.prepare(
    `SELECT value AS id
       FROM json_each(?)
      WHERE EXISTS (SELECT 1
                      FROM pending_queue
                     WHERE session_id = value
                       AND status IN ('raw', 'processing'))`,
  ).all(JSON.stringify([...new Set(of.map(({ sessionId }) => sessionId))]));
  return new Set(rows.map(({ id }) => String(id)));
}

/** When the first capture is tried again that could not be worked in, in epoch milliseconds; null when there is none. */
export function nextRetryAtMs(db: DatabaseSync): number | null {
  const row = db.prepare(
    `SELECT min(retry_at_ms) AS atMs
       FROM pending_queue
      WHERE status IN ('raw', 'processing')
        AND retry_at_ms IS NOT NULL`,
  ).get();
  return row?.["atMs"] == null ? null : Number(row["atMs"]);
}

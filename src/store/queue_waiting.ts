/** What waits in the queue to be worked in. */
import type { DatabaseSync } from "node:sqlite";

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

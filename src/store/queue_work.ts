/** The queue as a drain works it off: claim, then confirm. Only one process drains at a time. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import type { StoredPayload } from "./payloads.ts";
import { DRAIN_ORDER } from "./queue.ts";
import { statement } from "./statement.ts";

/** A capture that is being worked on. */
export interface ClaimedCapture extends StoredPayload {
  readonly sessionId: string;
  readonly toolName: string;
  readonly outcome: "success" | "failure";
  /** How often it was taken, this time included; see {@linkcode DEATHS_APART_MS}. */
  readonly attempts: number;
  readonly createdAtMs: number;
  /** As it was when the tool was used, or as the session's is where that was not told; null where `HEAD` was on none. */
  readonly branch: string | null;
  /** The common git directory, or the folder where there is none; null when no session tells. */
  readonly project: string | null;
  readonly projectDir: string | null;
}

/** How much is taken at once. */
export interface BatchSize {
  readonly maxRows: number;
  /** Of payloads as they are unpacked; one capture is always taken. */
  readonly maxBytes: number;
  /** Larger captures, and what comes after them, are left to a drain that has more time. */
  readonly maxRowBytes?: number;
  /** Leaves what was taken before and not finished, and what comes after it, to a drain that nobody waits for. */
  readonly isFirstTry?: boolean;
}

/**
 * What was taken so often and not finished, drains seem to die over. What was taken once already is taken alone: with it
 * in its batch may have been the one over which the drain died. So every try but the first is of one capture alone, and
 * none is counted for what another did. It keeps its place: what is made of a capture depends on those before it.
 */
export const SUSPECT_ATTEMPTS = 2;

/**
 * Drains that die sooner after each other, in milliseconds, have died once. Whatever kills drains one after another, on
 * a busy machine hits each of them while it begins, at the same capture; over a bad one the drains of later turns die.
 */
export const DEATHS_APART_MS = 10_000;

/** Whether a capture that is taken once more was taken so shortly before that it is the same try. */
const IS_SAME_TRY =
  `attempts > 0 AND retry_at_ms IS NULL AND updated_at_ms BETWEEN ?1 - ${DEATHS_APART_MS} AND ?1`;

/** Lets captures wait again that a drain took and did not finish: it is dead, for only one works at a time. */
export function releaseClaims(db: DatabaseSync): void {
  const held = db.prepare(
    `SELECT 1
       FROM pending_queue
      WHERE status IN ('raw', 'processing')
        AND status = 'processing'
      LIMIT 1`,
  ).get();
  if (held === undefined) return;
  transaction(db, () =>
    db.prepare(
      `UPDATE pending_queue
          SET status = 'raw'
        WHERE status IN ('raw', 'processing')
          AND status = 'processing'`,
    ).run());
}

/** Takes the next captures, in the order of the queue. Empty when nothing waits. */
export function claimCaptures(
  db: DatabaseSync,
  nowMs: number,
  size: BatchSize,
): ClaimedCapture[] {
  return transaction(db, () => {
    const ids = nextIds(db, nowMs, size);
    if (ids.length === 0) return [];
    statement(
      db,
      `UPDATE pending_queue
          SET status = 'processing',
              attempts = iif(${IS_SAME_TRY}, attempts, attempts + 1),
              updated_at_ms = iif(${IS_SAME_TRY}, updated_at_ms, ?1)
        WHERE id IN (SELECT value FROM json_each(?2))`,
    ).run(nowMs, JSON.stringify(ids));
    return readCaptures(db, ids);
  });
}

/** Captures with these ids, in that order, as they are worked on. */
export function readCaptures(db: DatabaseSync, ids: readonly string[]): ClaimedCapture[] {
  return statement(
    db,
    `SELECT q.id, q.session_id AS sessionId, q.tool_name AS toolName, q.outcome, q.attempts, q.encoding, q.payload,
            q.raw_bytes AS rawBytes, q.created_at_ms AS createdAtMs,
            iif(q.branch = '', NULL, coalesce(q.branch, s.branch)) AS branch,
            coalesce(s.repository, s.project_dir) AS project, s.project_dir AS projectDir
       FROM json_each(?) AS taken
       JOIN pending_queue AS q ON q.id = taken.value
       LEFT JOIN sessions AS s ON s.session_id = q.session_id
      ORDER BY taken.key`,
  ).all(JSON.stringify(ids)) as unknown as ClaimedCapture[];
}

function nextIds(
  db: DatabaseSync,
  nowMs: number,
  { maxRows, maxBytes, maxRowBytes = Infinity, isFirstTry = false }: BatchSize,
): string[] {
  const rows = statement(
    db,
    `SELECT id, raw_bytes AS bytes, attempts
       FROM pending_queue
      WHERE status IN ('raw', 'processing')
        AND status = 'raw'
        AND (retry_at_ms IS NULL OR retry_at_ms <= ?)
      ORDER BY ${DRAIN_ORDER}
      LIMIT ?`,
  ).all(nowMs, maxRows);
  const ids: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const isAlone = Number(row["attempts"]) > 0;
    bytes += Number(row["bytes"]);
    if (Number(row["bytes"]) > maxRowBytes || isAlone && isFirstTry) break;
    if (ids.length > 0 && (isAlone || bytes > maxBytes)) break;
    ids.push(String(row["id"]));
    if (isAlone) break;
  }
  return ids;
}

/** A capture that is worked in, and what was made of it. */
export interface WorkedCapture extends Pick<ClaimedCapture, "id" | "attempts"> {
  readonly observationId: number | null;
}

/**
 * Captures are worked in.
 *
 * @returns False when one of them is not this drain's any more; then nothing of what was made of them may stay.
 */
export function confirmCaptures(
  db: DatabaseSync,
  worked: readonly WorkedCapture[],
  atMs: number,
): boolean {
  const { changes } = statement(
    db,
    `UPDATE pending_queue AS q
        SET status = 'done', observation_id = w.value ->> 2, error_message = NULL, retry_at_ms = NULL, updated_at_ms = ?2
       FROM json_each(?1) AS w
      WHERE q.id = w.value ->> 0
        AND q.status = 'processing'
        AND q.attempts = w.value ->> 1`,
  ).run(
    JSON.stringify(worked.map(({ id, attempts, observationId }) => [id, attempts, observationId])),
    atMs,
  );
  return changes === worked.length;
}

/** A capture could not be worked in: it waits until it is tried again, or is given up. */
export function failCapture(
  db: DatabaseSync,
  { id, attempts }: Pick<ClaimedCapture, "id" | "attempts">,
  failed: {
    readonly errorMessage: string;
    /** Null gives it up. */
    readonly retryAtMs: number | null;
    readonly atMs: number;
  },
): void {
  statement(
    db,
    `UPDATE pending_queue
        SET status = iif(?3 IS NULL, 'error', 'raw'), retry_at_ms = ?3, error_message = ?4, updated_at_ms = ?5
      WHERE id = ?1
        AND status = 'processing'
        AND attempts = ?2`,
  ).run(id, attempts, failed.retryAtMs, failed.errorMessage, failed.atMs);
}

/** What was captured of a tool use of a session; null when nothing was, or it has left the queue. */
export function captureOfToolUse(
  db: DatabaseSync,
  sessionId: string,
  toolUseId: string,
): StoredPayload | null {
  const row = statement(
    db,
    `SELECT id, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE session_id = ?
        AND tool_use_id = ?
      ORDER BY created_at_ms, id
      LIMIT 1`,
  ).get(sessionId, toolUseId);
  return row === undefined ? null : row as unknown as StoredPayload;
}

/** The summary of a session is older than what is known of it now. */
export function askForSummary(db: DatabaseSync, sessionId: string): void {
  statement(db, "INSERT OR IGNORE INTO sessions_to_summarize (session_id) VALUES (?)").run(
    sessionId,
  );
}

/** Sessions whose summary is to be written anew. */
export function sessionsToSummarize(db: DatabaseSync, limit: number): string[] {
  const rows = db.prepare("SELECT session_id AS id FROM sessions_to_summarize LIMIT ?").all(limit);
  return rows.map((row) => String(row["id"]));
}

/** The summary of a session is as new as what is known of it. */
export function forgetSummaryRequest(db: DatabaseSync, sessionId: string): void {
  statement(db, "DELETE FROM sessions_to_summarize WHERE session_id = ?").run(sessionId);
}

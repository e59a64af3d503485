/** Lets a drain claim captures and confirm them. Only one process drains at a time. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./transaction.ts";
import type { StoredPayload } from "./payloads.ts";
import { DRAIN_ORDER } from "./queue.ts";
import { statement } from "./statement.ts";

export interface ClaimedCapture extends StoredPayload {
  readonly sessionId: string;
  /** The name of the event when it is not a tool use. */
  readonly toolName: string;
  readonly outcome: "success" | "failure";
  /** How often it was claimed, this time included; see {@linkcode DEATHS_APART_MS}. */
  readonly attempts: number;
  readonly createdAtMs: number;
  /** The branch of the tool use, or of its session if the capture does not say; null without a branch. */
  readonly branch: string | null;
  /** The common git directory, or the project folder; null when the session is not known. */
  readonly project: string | null;
  readonly projectDir: string | null;
}

export interface BatchSize {
  readonly maxRows: number;
  /** Bytes of payloads, not compressed; at least one capture is claimed. */
  readonly maxBytes: number;
  /** A larger capture, and all after it, are left to a drain with more time. */
  readonly maxRowBytes?: number;
  /** A capture that was claimed before, and all after it, are left to a drain that nobody waits for. */
  readonly isFirstTry?: boolean;
}

/**
 * A capture that was claimed this often and never finished probably kills the drains. Its second try claims it alone,
 * since another capture of the batch may have killed the first drain. It keeps its place in the order, because an
 * observation depends on the captures before it.
 */
export const SUSPECT_ATTEMPTS = 2;

/**
 * Drains that die within this time count as one. What kills several drains at once hits each of them at the same
 * capture; a bad capture also kills the drains of later turns.
 */
export const DEATHS_APART_MS = 10_000;

/** SQL that tells whether the last claim of a capture is so recent that this claim is the same try. */
const IS_SAME_TRY =
  `attempts > 0 AND retry_at_ms IS NULL AND updated_at_ms BETWEEN ?1 - ${DEATHS_APART_MS} AND ?1`;

/** Returns the captures of dead drains to the queue. Only one drain works at a time, so every other claim is dead. */
export function releaseClaims(db: DatabaseSync): void {
  const held = statement(db)`
    SELECT 1
      FROM pending_queue
     WHERE status IN ('raw', 'processing')
       AND status = 'processing'
     LIMIT 1`.get();
  if (held === undefined) return;
  transaction(db, () =>
    statement(db)`
      UPDATE pending_queue
         SET status = 'raw'
       WHERE status IN ('raw', 'processing')
         AND status = 'processing'`.run());
}

/** Claims the next captures, in the order of the queue. */
export function claimCaptures(db: DatabaseSync, nowMs: number, size: BatchSize): ClaimedCapture[] {
  return transaction(db, () => {
    const ids = nextIds(db, nowMs, size);
    if (ids.length === 0) return [];
    statement(db)`
      UPDATE pending_queue
         SET status = 'processing',
             attempts = iif(${IS_SAME_TRY}, attempts, attempts + 1),
             updated_at_ms = iif(${IS_SAME_TRY}, updated_at_ms, ?1)
       WHERE id IN (SELECT value FROM json_each(?2))`.run(nowMs, JSON.stringify(ids));
    return readCaptures(db, ids);
  });
}

export function readCaptures(db: DatabaseSync, ids: readonly string[]): ClaimedCapture[] {
  return statement(db)`
    SELECT q.id, q.session_id AS sessionId, q.tool_name AS toolName, q.outcome, q.attempts, q.encoding, q.payload,
           q.raw_bytes AS rawBytes, q.created_at_ms AS createdAtMs,
           iif(q.branch = '', NULL, coalesce(q.branch, s.branch)) AS branch,
           coalesce(s.repository, s.project_dir) AS project, s.project_dir AS projectDir
      FROM json_each(?) AS taken
      JOIN pending_queue AS q ON q.id = taken.value
      LEFT JOIN sessions AS s ON s.session_id = q.session_id
     ORDER BY taken.key`.all(JSON.stringify(ids)) as unknown as ClaimedCapture[];
}

function nextIds(
  db: DatabaseSync,
  nowMs: number,
  { maxRows, maxBytes, maxRowBytes = Infinity, isFirstTry = false }: BatchSize,
): string[] {
  const rows = statement(db)`
    SELECT id, raw_bytes AS bytes, attempts
      FROM pending_queue
     WHERE status IN ('raw', 'processing')
       AND status = 'raw'
       AND (retry_at_ms IS NULL OR retry_at_ms <= ?)
     ORDER BY ${DRAIN_ORDER}
     LIMIT ?`.all(nowMs, maxRows);
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

/** A capture that is done, and the observation that was made of it. */
export interface WorkedCapture extends Pick<ClaimedCapture, "id" | "attempts"> {
  readonly observationId: number | null;
}

/** Marks claimed captures as done. @returns False when another drain has claimed one: the caller must roll back. */
export function confirmCaptures(
  db: DatabaseSync,
  worked: readonly WorkedCapture[],
  atMs: number,
): boolean {
  const { changes } = statement(db)`
    UPDATE pending_queue AS q
       SET status = 'done', observation_id = w.value ->> 2, error_message = NULL, retry_at_ms = NULL, updated_at_ms = ?2
      FROM json_each(?1) AS w
     WHERE q.id = w.value ->> 0
       AND q.status = 'processing'
       AND q.attempts = w.value ->> 1`.run(
    JSON.stringify(worked.map(({ id, attempts, observationId }) => [id, attempts, observationId])),
    atMs,
  );
  return changes === worked.length;
}

/** Marks a claimed capture as failed: it waits for another try, or is given up. */
export function failCapture(
  db: DatabaseSync,
  { id, attempts }: Pick<ClaimedCapture, "id" | "attempts">,
  failed: {
    readonly errorMessage: string;
    /** Null gives the capture up. */
    readonly retryAtMs: number | null;
    readonly atMs: number;
  },
): void {
  statement(db)`
    UPDATE pending_queue
       SET status = iif(?3 IS NULL, 'error', 'raw'), retry_at_ms = ?3, error_message = ?4, updated_at_ms = ?5
     WHERE id = ?1
       AND status = 'processing'
       AND attempts = ?2`.run(id, attempts, failed.retryAtMs, failed.errorMessage, failed.atMs);
}

export function captureOfToolUse(
  db: DatabaseSync,
  sessionId: string,
  toolUseId: string,
): StoredPayload | null {
  const row = statement(db)`
    SELECT id, encoding, payload, raw_bytes AS rawBytes
      FROM pending_queue
     WHERE session_id = ?
       AND tool_use_id = ?
     ORDER BY created_at_ms, id
     LIMIT 1`.get(sessionId, toolUseId);
  return row === undefined ? null : row as unknown as StoredPayload;
}

export function askForSummary(db: DatabaseSync, sessionId: string): void {
  statement(db, "INSERT OR IGNORE INTO sessions_to_summarize (session_id) VALUES (?)").run(
    sessionId,
  );
}

export function sessionsToSummarize(db: DatabaseSync, limit: number): string[] {
  const rows = db.prepare("SELECT session_id AS id FROM sessions_to_summarize LIMIT ?").all(limit);
  return rows.map((row) => String(row["id"]));
}

/** Notes that the summary of a session is up to date. */
export function forgetSummaryRequest(db: DatabaseSync, sessionId: string): void {
  statement(db, "DELETE FROM sessions_to_summarize WHERE session_id = ?").run(sessionId);
}

export function hasWaiting(db: DatabaseSync, nowMs: number): boolean {
  return statement(db)`
    SELECT 1
      FROM pending_queue
     WHERE status IN ('raw', 'processing')
       AND (retry_at_ms IS NULL OR retry_at_ms <= ?)
     LIMIT 1`.get(nowMs) !== undefined;
}

/** Tells whether anything was ever forgotten: then a drain may have to drop captures of it. */
export function isAnyForgotten(db: DatabaseSync): boolean {
  return statement(db, "SELECT 1 FROM forgotten LIMIT 1").get() !== undefined;
}

const MAX_COUNTED = 1_000;

/** Returns how many captures of a project wait, without those of one session; 1000 stands for as many or more. */
export function countWaiting(
  db: DatabaseSync,
  { project, except }: { readonly project: string; readonly except: string },
): number {
  const row = statement(db)`
    SELECT count(*) AS n
      FROM (SELECT 1
              FROM pending_queue AS q
              JOIN sessions AS s ON s.session_id = q.session_id
             WHERE q.status IN ('raw', 'processing')
               AND q.session_id <> ?
               AND coalesce(s.repository, s.project_dir) = ?
             LIMIT ${MAX_COUNTED})`.get(except, project);
  return Number(row!["n"]);
}

export type WaitingCapture =
  & StoredPayload
  & Pick<ClaimedCapture, "sessionId" | "toolName" | "outcome" | "createdAtMs">;

/** How many of the sessions with the latest activity are searched. */
const MAX_LOOKED_AT = 20;
/** A larger payload, in bytes, is not read for a title. */
const MAX_BYTES = 100_000;

/**
 * Returns waiting captures of the newest sessions of a project: of each session the last prompt, then some of the last
 * tool uses that do more than look.
 */
export function newestWaiting(
  db: DatabaseSync,
  { project, except, sessions, uses }: {
    readonly project: string;
    readonly except: string;
    readonly sessions: number;
    readonly uses: number;
  },
): WaitingCapture[] {
  const isWaiting = "session_id = s.session_id AND status IN ('raw', 'processing')";
  const waitingSessions = statement(db)`
    SELECT session_id AS id
      FROM (SELECT session_id, updated_at_ms
              FROM sessions
             WHERE coalesce(repository, project_dir) = ?
               AND session_id <> ?
             ORDER BY updated_at_ms DESC
             LIMIT ${MAX_LOOKED_AT}) AS s
     WHERE EXISTS (SELECT 1 FROM pending_queue WHERE ${isWaiting})
     ORDER BY updated_at_ms DESC
     LIMIT ?`.all(project, except, sessions);
  const newest = statement(db)`
    SELECT id, session_id AS sessionId, tool_name AS toolName, outcome, encoding, payload, raw_bytes AS rawBytes,
           created_at_ms AS createdAtMs
      FROM pending_queue
     WHERE session_id = ?1
       AND status IN ('raw', 'processing')
       AND iif(?2, tool_name = 'UserPromptSubmit',
               tool_name NOT IN ('UserPromptSubmit', 'Stop', 'StopFailure', 'PostCompact', 'Read', 'NotebookRead',
                                 'Grep', 'Glob', 'LS')
               AND raw_bytes <= ${MAX_BYTES})
     ORDER BY created_at_ms DESC, id DESC
     LIMIT ?3`;
  return waitingSessions.flatMap(({ id }) =>
    [...newest.all(id!, 1, 1), ...newest.all(id!, 0, uses)] as unknown as WaitingCapture[]
  );
}

export function countAllWaiting(db: DatabaseSync): number {
  const row = statement(db)`
    SELECT count(*) AS n FROM pending_queue WHERE status IN ('raw', 'processing')`.get();
  return Number(row!["n"]);
}

export function sessionsWaiting(
  db: DatabaseSync,
  candidates: readonly { readonly sessionId: string }[],
): ReadonlySet<string> {
  const rows = statement(db)`
    SELECT value AS id
      FROM json_each(?)
     WHERE EXISTS (SELECT 1
                     FROM pending_queue
                    WHERE session_id = value
                      AND status IN ('raw', 'processing'))
  `.all(JSON.stringify([...new Set(candidates.map(({ sessionId }) => sessionId))]));
  return new Set(rows.map(({ id }) => String(id)));
}

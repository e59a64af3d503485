/** Lists and counts the captures in the queue. A drain turns them into observations; see `queue_work.ts`. */
import { quietly } from "../base/errors.ts";
import type { DatabaseSync } from "node:sqlite";
import type { Capture } from "./captures.ts";
import { transaction } from "./transaction.ts";
import { shortestUniquePrefix } from "../base/ids.ts";
import { filterOf, statement } from "./statement.ts";
import type { StoredPayload } from "./payloads.ts";

/** A capture waits (`raw`), is with a drain (`processing`), is `done`, or was given up after errors (`error`). */
export type QueueStatus = "raw" | "processing" | "done" | "error";

export type QueuePriority = Capture["priority"];

/** A capture in the queue, without its payload. */
export interface QueueItem extends Omit<Capture, "payload"> {
  readonly id: string;
  readonly sessionId: string;
  readonly status: QueueStatus;
  /** How often a drain took it since it came or was retried. */
  readonly attempts: number;
  /** Size of the payload's JSON, in bytes of UTF-8; null when it is damaged. */
  readonly rawBytes: number | null;
  readonly errorMessage: string | null;
  /** When a capture that failed is tried again; null when it did not fail, or was given up. */
  readonly retryAtMs: number | null;
  readonly createdAtMs: number;
  /** When its status last changed. */
  readonly updatedAtMs: number;
}

const COLUMNS =
  `id, session_id AS sessionId, tool_name AS toolName, tool_use_id AS toolUseId, outcome, priority, status,
            attempts, files_touched AS filesTouched, raw_bytes AS rawBytes, cut_bytes AS cutBytes,
            error_message AS errorMessage, retry_at_ms AS retryAtMs, created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs`;

/** The order of a drain; the index `pending_queue_to_drain` has the same expression. */
export const DRAIN_ORDER =
  "CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, created_at_ms, id";

/** Returns the captures in the order of a drain: by priority, the oldest first. A null filter lets all through. */
export function listQueue(
  db: DatabaseSync,
  filter: {
    readonly sessionId: string | null;
    readonly status: QueueStatus | null;
    readonly priority: QueuePriority | null;
    readonly limit: number;
  },
): QueueItem[] {
  const pending = filter.status === "raw" || filter.status === "processing";
  const { sql, values } = filterOf([
    ["session_id = ?", filter.sessionId],
    ["priority = ?", filter.priority],
    // SQLite uses the partial index only if its condition stands here word for word.
    ["status IN ('raw', 'processing') AND status = ?", pending ? filter.status : null],
    ["status = ?", pending ? null : filter.status],
  ]);
  return statement(db)`
    SELECT ${COLUMNS}
      FROM pending_queue
      ${sql}
     ORDER BY ${DRAIN_ORDER}
     LIMIT ?`.all(...values, filter.limit).map(itemOf);
}

/** Returns the captures whose ids begin with a text, the oldest first, at most `limit`; none for an empty text. */
export function findQueueItems(db: DatabaseSync, id: string, limit: number): QueueItem[] {
  if (id === "") return [];
  return statement(db)`
    SELECT ${COLUMNS}
      FROM pending_queue
     WHERE id >= ?1
       AND id < ?1 || char(0x10ffff)
     ORDER BY id
     LIMIT ?2`.all(id, limit).map(itemOf);
}

const MIN_TELLING = 8;

/** Returns the shortest beginning of a capture's id that no other capture has: 8 characters or more. */
export function tellingQueueId(db: DatabaseSync, id: string): string {
  const { before, after } = statement(db)`
    SELECT (SELECT max(id) FROM pending_queue WHERE id < ?1) AS before,
           (SELECT min(id) FROM pending_queue WHERE id > ?1) AS after`.get(id)!;
  return shortestUniquePrefix(id, [String(before ?? ""), String(after ?? "")], MIN_TELLING);
}

/** A capture of a session, and the observation that it was worked into; null while it waits, and where it gave none. */
export type SessionCapture =
  & Pick<QueueItem, "id" | "toolName" | "toolUseId" | "outcome" | "createdAtMs">
  & { readonly observationId: number | null };

/** A span of time in epoch milliseconds; its end does not belong to it. */
export type Span = Readonly<{ sinceMs: number; untilMs: number }>;

/** Returns when the first of the newest `count` captures of a session before a moment came; 0 for fewer captures. */
export function beginOfNewest(
  db: DatabaseSync,
  sessionId: string,
  { count, untilMs }: { readonly count: number; readonly untilMs: number },
): number {
  const row = statement(db)`
    SELECT created_at_ms AS atMs
      FROM pending_queue
     WHERE session_id = ?
       AND created_at_ms < ?
     ORDER BY created_at_ms DESC
     LIMIT 1 OFFSET ?`.get(sessionId, untilMs, count - 1);
  return Number(row?.["atMs"] ?? 0);
}

/** The rows of a table after a number and up to another one, in the order of writing. */
export type Written = Readonly<{ after: number; upTo: number }>;

/** Returns conditions for rows of a session. Newly written rows are few in all sessions, so their numbers find them. */
export function ofSession(
  sessionId: string,
  part: Span | Written,
): readonly (readonly [sql: string, value: string | number])[] {
  return "after" in part
    ? [["+session_id = ?", sessionId], ["rowid > ?", part.after], ["rowid <= ?", part.upTo]]
    : [
      ["session_id = ?", sessionId],
      ["created_at_ms >= ?", part.sinceMs],
      ["created_at_ms < ?", part.untilMs],
    ];
}

/** Returns the number of the newest capture, in the order of writing; 0 where there is none. */
export function captureMark(db: DatabaseSync): number {
  return Number(statement(db, "SELECT max(rowid) AS newest FROM pending_queue").get()!["newest"]);
}

/** Returns the captures of a session in a span of time or in a range of rows, in the order of time. */
export function capturesOfSession(
  db: DatabaseSync,
  sessionId: string,
  part: Span | Written,
): SessionCapture[] {
  const { sql, values } = filterOf(ofSession(sessionId, part));
  return statement(db)`
    SELECT id, tool_name AS toolName, tool_use_id AS toolUseId, outcome, created_at_ms AS createdAtMs,
           observation_id AS observationId
      FROM pending_queue
      ${sql}
     ORDER BY created_at_ms, id`.all(...values) as unknown as SessionCapture[];
}

/** Returns when the newest capture with this name before a moment came, in epoch milliseconds; null where none did. */
export function lastCaptureAtMs(
  db: DatabaseSync,
  sessionId: string,
  { toolName, untilMs }: { readonly toolName: string; readonly untilMs: number },
): number | null {
  const row = statement(db)`
    SELECT max(created_at_ms) AS atMs
      FROM pending_queue
     WHERE session_id = ?
       AND tool_name = ?
       AND created_at_ms < ?`.get(sessionId, toolName, untilMs);
  return row?.["atMs"] as number | null;
}

/** Returns the payload of a capture as it is stored; undefined when there is no such capture. */
export function readStoredPayload(db: DatabaseSync, id: string): StoredPayload | undefined {
  const row = statement(db)`
    SELECT id, encoding, payload, raw_bytes AS rawBytes FROM pending_queue WHERE id = ?`.get(id);
  return row as unknown as StoredPayload | undefined;
}

/** Lets captures that were given up wait again. @param ids Null for all. @returns How many wait again. */
export function retryQueueItems(
  db: DatabaseSync,
  ids: readonly string[] | null,
  atMs: number,
): number {
  const { changes } = transaction(db, () =>
    statement(db)`
      UPDATE pending_queue
         SET status = 'raw', attempts = 0, error_message = NULL, retry_at_ms = NULL, updated_at_ms = ?1
       WHERE status = 'error'
         AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
    `.run(atMs, ids === null ? null : JSON.stringify(ids)));
  return Number(changes);
}

function itemOf(row: Readonly<Record<string, unknown>>): QueueItem {
  const rawBytes = Number(row["rawBytes"]);
  return {
    ...row,
    rawBytes: rawBytes >= 0 ? rawBytes : null,
    filesTouched: namesOf(String(row["filesTouched"])),
  } as unknown as QueueItem;
}

/** Returns the names in a JSON list; none when the text is not a list. */
function namesOf(text: string): string[] {
  const value: unknown = quietly(() => JSON.parse(text));
  return Array.isArray(value) ? value.map(String) : [];
}

interface QueueGroup {
  readonly status: QueueStatus;
  readonly priority: QueuePriority;
  readonly count: number;
  /** Size of the payloads' JSON, in bytes of UTF-8. */
  readonly rawBytes: number;
  /** Bytes that these take in the database, compressed or not. */
  readonly storedBytes: number;
  readonly oldestAtMs: number;
}

/** Sums up the queue by status and priority; groups without captures are left out. */
export function summarizeQueue(db: DatabaseSync): QueueGroup[] {
  return statement(db)`
    SELECT status, priority, count(*) AS count, sum(max(raw_bytes, 0)) AS rawBytes,
           sum(octet_length(payload)) AS storedBytes, min(created_at_ms) AS oldestAtMs
      FROM pending_queue
     GROUP BY status, priority
     ORDER BY status, priority`.all() as unknown as QueueGroup[];
}

/** Adds up groups; `oldestAtMs` says when the oldest waiting capture came, null when none waits. */
export function totalsOf(groups: readonly QueueGroup[]) {
  const totals = {
    items: 0,
    byStatus: { raw: 0, processing: 0, done: 0, error: 0 },
    byPriority: { high: 0, normal: 0, low: 0 },
    rawBytes: 0,
    storedBytes: 0,
    oldestAtMs: null as number | null,
  };
  for (const { status, priority, count, rawBytes, storedBytes, oldestAtMs } of groups) {
    totals.items += count;
    totals.byStatus[status] += count;
    totals.byPriority[priority] += count;
    totals.rawBytes += rawBytes;
    totals.storedBytes += storedBytes;
    if (status !== "raw" && status !== "processing") continue;
    totals.oldestAtMs = Math.min(totals.oldestAtMs ?? Infinity, oldestAtMs);
  }
  return totals;
}

/**
 * Counts the captures that wait for another try, also those whose time has come: the next drain takes them.
 * `nextRetryAtMs` is when the first of them is tried again, null when none waits.
 */
export function queueRetries(
  db: DatabaseSync,
): { readonly retrying: number; readonly nextRetryAtMs: number | null } {
  return statement(db)`
    SELECT count(*) AS retrying, min(retry_at_ms) AS nextRetryAtMs
      FROM pending_queue
     WHERE status IN ('raw', 'processing')
       AND retry_at_ms IS NOT NULL`.get() as unknown as ReturnType<typeof queueRetries>;
}

/**
 * Counts the captures that wait or are with a drain, and those that a drain took before a moment and did not finish;
 * `rawBytes` are all payloads together, as JSON.
 */
export function queueHealth(
  db: DatabaseSync,
  stuckBeforeMs: number,
): Readonly<Record<"waiting" | "stuck" | "rawBytes", number>> {
  const row = statement(db)`
    SELECT count(*) FILTER (WHERE status IN ('raw', 'processing'))            AS waiting,
           count(*) FILTER (WHERE status = 'processing' AND updated_at_ms < ?) AS stuck,
           coalesce(sum(max(raw_bytes, 0)), 0)                                AS rawBytes
      FROM pending_queue`.get(stuckBeforeMs);
  return row as unknown as ReturnType<typeof queueHealth>;
}

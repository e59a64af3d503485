import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { filterOf } from "./filter.ts";
import type { StoredPayload } from "./payloads.ts";

/** How far a capture is: waiting, taken by a worker, worked in, or given up after errors. */
export type QueueStatus = "raw" | "processing" | "done" | "error";

/** How soon a capture is worth looking at. */
export type QueuePriority = "high" | "normal" | "low";

/** A capture in the queue, without its payload. */
export interface QueueItem {
  readonly id: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly toolUseId: string | null;
  readonly outcome: "success" | "failure";
  readonly priority: QueuePriority;
  readonly status: QueueStatus;
  /** How often a worker took it since it came or was retried. */
  readonly attempts: number;
  readonly filesTouched: readonly string[];
  /** Size of the payload's JSON, in bytes of UTF-8; null when a damaged page gives what is no size. */
  readonly rawBytes: number | null;
  /** How much of the tool use the payload cap took out, in bytes. */
  readonly cutBytes: number;
  readonly errorMessage: string | null;
  /** When it is tried again, of one that could not be worked in; null when nothing holds it up. */
  readonly retryAtMs: number | null;
  readonly createdAtMs: number;
  /** When its status last changed. */
  readonly updatedAtMs: number;
}

const COLUMNS =
  `id, session_id AS sessionId, tool_name AS toolName, tool_use_id AS toolUseId, outcome, priority, status,
            attempts, files_touched AS filesTouched, raw_bytes AS rawBytes, cut_bytes AS cutBytes,
            error_message AS errorMessage, retry_at_ms AS retryAtMs, created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs`;

/** The order in which captures are worked in; the index `pending_queue_to_drain` has the same expression. */
export const DRAIN_ORDER =
  "CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, created_at_ms, id";

/** The captures in the order in which they are drained: high, normal, low, each the oldest first. Null lets all through. */
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
    // The condition of the partial index, in its own words, lets SQLite take what is asked for from there.
    ["status IN ('raw', 'processing') AND status = ?", pending ? filter.status : null],
    ["status = ?", pending ? null : filter.status],
  ]);
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM pending_queue
       ${sql}
      ORDER BY ${DRAIN_ORDER}
      LIMIT ?`,
  ).all(...values, filter.limit).map(itemOf);
}

/**
 * The capture with this id, else those whose ids begin with it, the oldest first.
 *
 * @returns At most `limit`; none for an empty text.
 */
export function findQueueItems(db: DatabaseSync, id: string, limit: number): QueueItem[] {
  if (id === "") return [];
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM pending_queue
      WHERE id >= ?1
        AND id < ?1 || char(0x10ffff)
      ORDER BY id
      LIMIT ?2`,
  ).all(id, limit).map(itemOf);
}

/** The payload of a capture as it is stored; `undefined` when there is no such capture. */
export function readStoredPayload(db: DatabaseSync, id: string): StoredPayload | undefined {
  const row = db.prepare(
    `SELECT id, encoding, payload, raw_bytes AS rawBytes
       FROM pending_queue
      WHERE id = ?`,
  ).get(id);
  return row as unknown as StoredPayload | undefined;
}

/**
 * Lets captures that were given up wait again, with no attempts counted and no error. Those with another status are left
 * alone.
 *
 * @param ids `null` means all. @returns How many wait again.
 */
export function retryQueueItems(
  db: DatabaseSync,
  ids: readonly string[] | null,
  atMs: number,
): number {
  const { changes } = transaction(db, () =>
    db.prepare(
      `UPDATE pending_queue
          SET status = 'raw', attempts = 0, error_message = NULL, retry_at_ms = NULL, updated_at_ms = ?1
        WHERE status = 'error'
          AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))`,
    ).run(atMs, ids === null ? null : JSON.stringify(ids)));
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

/** The list of names in a JSON text; none when it is no list. */
function namesOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}

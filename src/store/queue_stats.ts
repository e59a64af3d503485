import type { DatabaseSync } from "node:sqlite";
import type { QueuePriority, QueueStatus } from "./queue.ts";

/** Captures of one status and one priority. */
export interface QueueGroup {
  readonly status: QueueStatus;
  readonly priority: QueuePriority;
  readonly count: number;
  /** Size of the payloads' JSON, in bytes of UTF-8. */
  readonly rawBytes: number;
  /** What these take as they are stored, compressed or not. */
  readonly storedBytes: number;
  /** Epoch milliseconds of the oldest one. */
  readonly oldestAtMs: number;
}

/** The queue by status and priority; groups without captures are left out. */
export function summarizeQueue(db: DatabaseSync): QueueGroup[] {
  return db.prepare(
    `SELECT status, priority, count(*) AS count, sum(max(raw_bytes, 0)) AS rawBytes,
            sum(octet_length(payload)) AS storedBytes, min(created_at_ms) AS oldestAtMs
       FROM pending_queue
      GROUP BY status, priority
      ORDER BY status, priority`,
  ).all() as unknown as QueueGroup[];
}

/** The whole queue in numbers. */
export interface QueueTotals {
  readonly items: number;
  readonly byStatus: Readonly<Record<QueueStatus, number>>;
  readonly byPriority: Readonly<Record<QueuePriority, number>>;
  readonly rawBytes: number;
  readonly storedBytes: number;
  /** The oldest capture that is not worked in yet, in epoch milliseconds; null when none waits. */
  readonly oldestAtMs: number | null;
}

/** Adds the groups up; what does not occur is 0. */
export function totalsOf(groups: readonly QueueGroup[]): QueueTotals {
  const sum = (pick: (group: QueueGroup) => number, of = groups) =>
    of.reduce((total, group) => total + pick(group), 0);
  const count = (name: "status" | "priority", value: string) =>
    sum((group) => group.count, groups.filter((group) => group[name] === value));
  const waiting = groups.filter(({ status }) => status === "raw" || status === "processing");
  return {
    items: sum((group) => group.count),
    byStatus: {
      raw: count("status", "raw"),
      processing: count("status", "processing"),
      done: count("status", "done"),
      error: count("status", "error"),
    },
    byPriority: {
      high: count("priority", "high"),
      normal: count("priority", "normal"),
      low: count("priority", "low"),
    },
    rawBytes: sum((group) => group.rawBytes),
    storedBytes: sum((group) => group.storedBytes),
    oldestAtMs: waiting.length === 0 ? null : Math.min(...waiting.map((group) => group.oldestAtMs)),
  };
}

/** Captures that could not be worked in and are tried again. */
export interface QueueRetries {
  readonly retrying: number;
  /** When the first of them is, in epoch milliseconds; null when there is none. */
  readonly nextRetryAtMs: number | null;
}

/** What waits for another try; a time that is over counts as well, since the next drain takes it. */
export function queueRetries(db: DatabaseSync): QueueRetries {
  return db.prepare(
    `SELECT count(*) AS retrying, min(retry_at_ms) AS nextRetryAtMs
       FROM pending_queue
      WHERE status IN ('raw', 'processing')
        AND retry_at_ms IS NOT NULL`,
  ).get() as unknown as QueueRetries;
}

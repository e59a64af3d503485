/** Counts waiting and failed captures, for `doctor` and `status`. */
import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../../base/ids.ts";
import { SUSPECT_ATTEMPTS } from "../../db/queue_work.ts";
import { statement } from "../../db/statement.ts";

export interface MemoryHealth {
  readonly observations: number;
  /** Captures that are not worked in yet. */
  readonly waiting: number;
  /** Raw captures older than the given time, with no retry scheduled. */
  readonly overdue: number;
  /** Whether a hook has run since the given time. */
  readonly hooksRan: boolean;
  /** Captures that several drains have claimed and not finished, the most tried first; at most three. */
  readonly suspects: readonly Suspect[];
  readonly givenUp: number;
  /** The reasons for which captures were given up, the most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
}

/** A capture that probably kills drains. */
export interface Suspect {
  readonly id: string;
  readonly toolName: string;
  readonly rawBytes: number;
  readonly attempts: number;
}

const MAX_REASONS = 3;
const MAX_SUSPECTS = 3;

/** Counts observations, and captures that are not worked in. @param overdueBeforeMs Epoch milliseconds. */
export function memoryHealth(db: DatabaseSync, overdueBeforeMs: number): MemoryHealth {
  const row = statement(db)`
    SELECT (SELECT count(*) FROM observations)                                            AS observations,
           count(*) FILTER (WHERE status IN ('raw', 'processing'))                        AS waiting,
           count(*) FILTER (WHERE status = 'raw' AND retry_at_ms IS NULL AND created_at_ms < ?1) AS overdue,
           EXISTS (SELECT 1 FROM hook_executions WHERE id >= ?2) AS hooksRan,
           count(*) FILTER (WHERE status = 'error')                                       AS givenUp
      FROM pending_queue`.get(overdueBeforeMs, firstIdAt(overdueBeforeMs)) as unknown as Omit<
    MemoryHealth,
    "reasons" | "suspects"
  >;
  return {
    ...row,
    suspects: row.waiting === 0 ? [] : suspectsIn(db),
    hooksRan: Number(row.hooksRan) === 1,
    reasons: row.givenUp === 0 ? [] : reasonsIn(db),
  };
}

/** Returns the suspects. A capture that failed with a reason is not among them, and waits for a retry. */
function suspectsIn(db: DatabaseSync): readonly Suspect[] {
  return statement(db)`
    SELECT id, tool_name AS toolName, raw_bytes AS rawBytes, attempts
      FROM pending_queue
     WHERE status IN ('raw', 'processing')
       AND attempts >= ?
       AND error_message IS NULL
     ORDER BY attempts DESC, created_at_ms
     LIMIT ?`.all(SUSPECT_ATTEMPTS, MAX_SUSPECTS) as unknown as readonly Suspect[];
}

function reasonsIn(db: DatabaseSync): MemoryHealth["reasons"] {
  return statement(db)`
    SELECT coalesce(nullif(error_message, ''), 'no reason was written down') AS reason, count(*) AS count
      FROM pending_queue
     WHERE status = 'error'
     GROUP BY reason
     ORDER BY count DESC, min(updated_at_ms)
     LIMIT ?`.all(MAX_REASONS) as unknown as MemoryHealth["reasons"];
}

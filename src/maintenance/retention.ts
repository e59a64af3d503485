import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../ids.ts";
import {
  countExpired,
  type GoneCaptures,
  oldestExpiredSession,
  removeOrphanRows,
  removeSessionRows,
  type RowCounts,
} from "../store/retention.ts";
import { daysMs } from "../time.ts";

/** How long things stay, and how much one step may remove. */
export interface RetentionOptions {
  readonly nowMs: number;
  /** Days after a session's end; 0 keeps everything for ever. */
  readonly retentionDays: number;
  /** Where captures are worked into memory, those that are not yet stay, with their session. */
  readonly captures: GoneCaptures;
  /** Rows in one transaction. */
  readonly batchRows: number;
  /** Stop at this time, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
  /** Also look for rows of no known session; reads every row older than the limit. */
  readonly orphans?: boolean;
  /** Called after every step, with what has been removed so far. */
  readonly onProgress?: (removed: RowCounts) => void;
}

const NOTHING: RowCounts = { sessions: 0, executions: 0, captures: 0, counters: 0 };

/**
 * Removes sessions that ended longer ago than the retention time, with all that belongs to them, in small
 * transactions. Active sessions are never touched.
 *
 * @returns What was removed; `complete` is false when the time ran out first.
 */
export function runRetention(
  db: DatabaseSync,
  options: RetentionOptions,
): { readonly removed: RowCounts; readonly complete: boolean } {
  let removed = NOTHING;
  if (options.retentionDays === 0) return { removed, complete: true };
  const limitMs = options.nowMs - daysMs(options.retentionDays);
  const size = { limit: options.batchRows, captures: options.captures };
  const tell = (step: RowCounts) => {
    removed = add(removed, step);
    options.onProgress?.(removed);
  };
  const inTime = () => performance.now() < (options.untilMs ?? Infinity);
  for (
    let id = oldestExpiredSession(db, limitMs, options.captures);
    id !== undefined;
    id = oldestExpiredSession(db, limitMs, options.captures)
  ) {
    if (!inTime()) return { removed, complete: false };
    tell(removeSessionRows(db, id, size));
  }
  while (options.orphans) {
    if (!inTime()) return { removed, complete: false };
    const step = removeOrphanRows(db, firstIdAt(limitMs), size);
    tell(step);
    if (step.captures < options.batchRows && step.executions < options.batchRows) break;
  }
  return { removed, complete: true };
}

/** What {@linkcode runRetention} with `orphans` would remove. */
export function previewRetention(
  db: DatabaseSync,
  options: Pick<RetentionOptions, "nowMs" | "retentionDays">,
): RowCounts {
  if (options.retentionDays === 0) return NOTHING;
  const limitMs = options.nowMs - daysMs(options.retentionDays);
  return countExpired(db, limitMs, firstIdAt(limitMs));
}

function add(a: RowCounts, b: RowCounts): RowCounts {
  return {
    sessions: a.sessions + b.sessions,
    executions: a.executions + b.executions,
    captures: a.captures + b.captures,
    counters: a.counters + b.counters,
  };
}

import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../ids.ts";
import { type Filter, filterOf } from "./filter.ts";

/** Which rows are exported; null lets everything through. */
export interface ExportFilter {
  readonly sessionId: string | null;
  /** Epoch milliseconds: sessions and counters that changed since then, events and captures from then on. */
  readonly sinceMs: number | null;
}

/** A row of a table with all its columns, by their names in the database. */
export interface ExportRow {
  readonly type: "session" | "execution" | "capture" | "counter";
  readonly columns: Readonly<Record<string, string | number | null | Uint8Array>>;
}

/** A table, the order of its rows, and the column that says when one of them was written. */
const TABLES = [
  { type: "session", table: "sessions", order: "started_at_ms, session_id", time: "updated_at_ms" },
  { type: "execution", table: "hook_executions", order: "id", time: "id" },
  { type: "capture", table: "pending_queue", order: "id", time: "id" },
  { type: "counter", table: "counters", order: "session_id, type", time: "updated_at_ms" },
] as const;

/**
 * Every row that hooks wrote, table by table, one at a time. All come from one moment: what others write meanwhile is
 * not in it. The connection is in a read transaction until the last row is taken or the loop is left.
 */
export function* exportRows(db: DatabaseSync, filter: ExportFilter): Generator<ExportRow> {
  db.exec("BEGIN");
  try {
    for (const { type, table, order, time } of TABLES) {
      const { sql, values } = whereOf(time, filter);
      // All columns, so that one of a later migration cannot be forgotten.
      const rows = db.prepare(
        `SELECT *
           FROM ${table}
           ${sql}
          ORDER BY ${order}`,
      ).iterate(...values);
      for (const columns of rows) yield { type, columns: columns as ExportRow["columns"] };
    }
  } finally {
    db.exec("COMMIT");
  }
}

function whereOf(time: "id" | "updated_at_ms", { sessionId, sinceMs }: ExportFilter): Filter {
  const since = sinceMs === null ? null : time === "id" ? firstIdAt(sinceMs) : sinceMs;
  return filterOf([["session_id = ?", sessionId], [`${time} >= ?`, since]]);
}

/** Writes and reads events, and counts the state with which a stream of events begins. */
import type { DatabaseSync } from "node:sqlite";
import { columnsOf, type Fields, type RowOf } from "./row_fields.ts";
import { filterOf, insertRow, statement } from "../db/statement.ts";

export const EVENT_FIELDS = {
  /** A number that grows with every event and is never reused. */
  id: "integer",
  type: "text",
  entityType: ["task", "agent", "workflow", "question"],
  entityId: "text",
  data: "object",
  createdAtMs: "integer",
} as const satisfies Fields;

export type EventRow = RowOf<typeof EVENT_FIELDS>;

export type Change = Omit<EventRow, "id" | "createdAtMs"> & { readonly atMs: number };

/** An event with its data as JSON. */
export type StoredEvent = Omit<EventRow, "data"> & { readonly data: string };

/** Selects events. A filter that is missing or null lets all events through. */
export interface EventFilter {
  readonly afterId?: number | undefined;
  readonly sinceMs?: number | null;
  /** Selects a type, with `*` for any text: `agent.*`. */
  readonly type?: string | null;
  readonly entityId?: string | null;
  readonly limit: number;
  /** Selects the newest instead of the oldest when there are more than `limit`. */
  readonly newest?: boolean;
}

/** Returns the time after which events are sent, even if older ones are stored. @param keptHours 0 means for ever. */
export function toldSinceMs(keptHours: number, nowMs: number): number {
  return keptHours === 0 ? 0 : nowMs - keptHours * 3_600_000;
}

/** Stores an event, in the transaction of the change that it reports. */
export function recordEvent(db: DatabaseSync, { data, atMs, ...change }: Change): void {
  insertRow(db, "events", { ...change, data: JSON.stringify(data), createdAtMs: atMs });
}

/** Lists events, the oldest first. */
export function listEvents(db: DatabaseSync, filter: EventFilter): EventRow[] {
  return listStoredEvents(db, filter).map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

/** Does the same as {@linkcode listEvents} for callers that pass the data on as JSON. */
export function listStoredEvents(
  db: DatabaseSync,
  { afterId = 0, sinceMs, type, entityId, limit, newest = false }: EventFilter,
): StoredEvent[] {
  const { sql, values } = filterOf([
    ["id > ?", afterId],
    ["created_at_ms > ?", sinceMs],
    ["type GLOB ?", type],
    ["entity_id = ?", entityId],
  ]);
  const rows = statement(
    db,
    `SELECT ${columnsOf(EVENT_FIELDS)}
       FROM events
      ${sql}
      ORDER BY id ${newest ? "DESC" : "ASC"}
      LIMIT ?`,
  ).all(...values, limit);
  const events = rows as unknown as StoredEvent[];
  return newest ? events.reverse() : events;
}

/** Returns the id of the newest event ever written; 0 before the first event. */
export function lastEventId(db: DatabaseSync): number {
  const row = statement(db, "SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
  return Number(row?.["seq"] ?? 0);
}

export type StateCounts = ReturnType<typeof countState>;

/**
 * Counts the state. In a transaction all counts belong to the same moment.
 * @param toldSinceMs Events up to this time count as gone, since retention will remove them.
 */
export function countState(db: DatabaseSync, toldSinceMs = 0) {
  const byStatus = (table: string): Readonly<Record<string, number>> => {
    const rows = statement(db, `SELECT status, count(*) AS n FROM ${table} GROUP BY status`).all();
    return Object.fromEntries(rows.map((row) => [String(row["status"]), Number(row["n"])]));
  };
  // The plus keeps SQLite from using the index of times: in the order of ids, the first match is the oldest event.
  const oldest = statement(
    db,
    "SELECT id FROM events WHERE +created_at_ms > ? ORDER BY id LIMIT 1",
  ).get(toldSinceMs);
  return {
    lastEventId: lastEventId(db),
    /** The oldest event that is still sent: a client whose last event is older may have missed some. */
    oldestEventId: oldest === undefined ? null : Number(oldest["id"]),
    tasks: byStatus("tasks WHERE deleted_at_ms IS NULL"),
    agents: byStatus("agents"),
    workflows: byStatus("workflows"),
    pendingQuestions: byStatus("questions WHERE status = 'pending'")["pending"] ?? 0,
  };
}

export function countQueued(db: DatabaseSync): number {
  const sql = `SELECT count(*) AS n FROM tasks
                WHERE queued_at_ms IS NOT NULL AND status = 'open' AND deleted_at_ms IS NULL`;
  return Number(statement(db, sql).get()!["n"]);
}

/** Returns the id of the newest event up to a time in epoch milliseconds; 0 when there is none. */
export function eventIdAt(db: DatabaseSync, atMs: number): number {
  const row = statement(db, "SELECT min(id) AS id FROM events WHERE created_at_ms > ?").get(atMs)!;
  return row["id"] === null ? lastEventId(db) : Number(row["id"]) - 1;
}

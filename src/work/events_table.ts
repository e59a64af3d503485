import type { DatabaseSync } from "node:sqlite";
import { columnsOf, type Fields, type RowOf } from "./row_fields.ts";
import { filterValues, insertRow, statement } from "../db/statement.ts";

export const EVENT_FIELDS = {
  /** Grows with every event, and is never reused. */
  id: "integer",
  type: "text",
  entityType: ["task", "agent", "workflow", "question"],
  entityId: "text",
  data: "object",
  createdAtMs: "integer",
} as const satisfies Fields;

export type EventRow = RowOf<typeof EVENT_FIELDS>;

/** A change, as an event tells it. */
export type Change = Omit<EventRow, "id" | "createdAtMs"> & { readonly atMs: number };

/** An event with its data as JSON. */
export type StoredEvent = Omit<EventRow, "data"> & { readonly data: string };

/** Which events are wanted. A filter that is left out, or null, lets everything through. */
export interface EventFilter {
  /** Only events after this one. */
  readonly afterId?: number | undefined;
  /** Only events that are younger, in epoch milliseconds. */
  readonly sinceMs?: number | null;
  /** A type with `*` for any text: `agent.*`. */
  readonly type?: string | null;
  readonly entityId?: string | null;
  readonly limit: number;
  /** When there are more than `limit`: the newest instead of the oldest. */
  readonly newest?: boolean;
}

/**
 * The moment after which events are told, whether older ones are still kept or not.
 *
 * @param keptHours 0 is for ever.
 */
export function toldSinceMs(keptHours: number, nowMs: number): number {
  return keptHours === 0 ? 0 : nowMs - keptHours * 3_600_000;
}

/** Keeps an event, in the transaction of the change that it tells of. */
export function recordEvent(db: DatabaseSync, { data, atMs, ...change }: Change): void {
  insertRow(db, "events", { ...change, data: JSON.stringify(data), createdAtMs: atMs });
}

/** Events, oldest first. */
export function listEvents(db: DatabaseSync, filter: EventFilter): EventRow[] {
  return listStoredEvents(db, filter).map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

/** {@linkcode listEvents} for callers that pass the data on as JSON. */
export function listStoredEvents(
  db: DatabaseSync,
  { afterId = 0, sinceMs, type, entityId, limit, newest = false }: EventFilter,
): StoredEvent[] {
  const rows = statement(
    db,
    `SELECT ${columnsOf(EVENT_FIELDS)}
       FROM events
      WHERE id > ?1
        AND (?2 IS NULL OR created_at_ms > ?2)
        AND (?3 IS NULL OR type GLOB ?3)
        AND (?4 IS NULL OR entity_id = ?4)
      ORDER BY id ${newest ? "DESC" : "ASC"}
      LIMIT ?5`,
  ).all(...filterValues(afterId, sinceMs, type, entityId, limit));
  const events = rows as unknown as StoredEvent[];
  return newest ? events.reverse() : events;
}

/** The number of the newest event that was ever written; 0 before the first. */
export function lastEventId(db: DatabaseSync): number {
  const row = statement(db, "SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
  return Number(row?.["seq"] ?? 0);
}

/** A number that changes with every commit of another connection: cheaper to read than the events. */
export function dataVersion(db: DatabaseSync): number {
  return Number(statement(db, "PRAGMA data_version").get()?.["data_version"] ?? 0);
}

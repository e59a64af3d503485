import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/** What an event tells of. */
export type EntityType = "task" | "agent" | "workflow" | "question";

/** A change, as it is told. */
export interface Change {
  /** `task.updated`, `agent.started`. */
  readonly type: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** An event as people and programs see it. */
export interface EventRow {
  /** Grows with every event, and is never given out twice. */
  readonly id: number;
  readonly type: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
}

/** An event as it is kept: what it tells is JSON still. */
export type StoredEvent = Omit<EventRow, "data"> & { readonly data: string };

/** Which events are wanted. Null filters let everything through. */
export interface EventFilter {
  /** Only events after this one. */
  readonly afterId: number;
  /** Only events that are younger, in epoch milliseconds. */
  readonly sinceMs: number | null;
  /** A type with `*` for any text: `agent.*`. */
  readonly type: string | null;
  readonly entityId: string | null;
  readonly limit: number;
  /** Of more than `limit` the newest, instead of the oldest. */
  readonly newest?: boolean;
}

/**
 * Only events that are younger than this moment are told, whether older ones are still there or not.
 *
 * @param keptHours 0 is for ever.
 */
export function toldSinceMs(keptHours: number, nowMs: number): number {
  return keptHours === 0 ? 0 : nowMs - keptHours * 3_600_000;
}

/** Writes an event down, in the transaction of the change that it tells of. */
export function recordEvent(db: DatabaseSync, change: Change): void {
  statement(
    db,
    `INSERT INTO events (type, entity_type, entity_id, data, created_at_ms)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(
    change.type,
    change.entityType,
    change.entityId,
    JSON.stringify(change.data),
    change.atMs,
  );
}

/** Events, oldest first. */
export function listEvents(db: DatabaseSync, filter: EventFilter): EventRow[] {
  return listStoredEvents(db, filter).map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

/** {@linkcode listEvents} for whoever passes on what they tell as it is. */
export function listStoredEvents(db: DatabaseSync, filter: EventFilter): StoredEvent[] {
  const rows = statement(
    db,
    `SELECT id, type, entity_type AS entityType, entity_id AS entityId, data, created_at_ms AS createdAtMs
       FROM events
      WHERE id > ?1
        AND (?2 IS NULL OR created_at_ms > ?2)
        AND (?3 IS NULL OR type GLOB ?3)
        AND (?4 IS NULL OR entity_id = ?4)
      ORDER BY id ${filter.newest === true ? "DESC" : "ASC"}
      LIMIT ?5`,
  ).all(filter.afterId, filter.sinceMs, filter.type, filter.entityId, filter.limit);
  const events = rows as unknown as StoredEvent[];
  return filter.newest === true ? events.reverse() : events;
}

/** The number of the newest event that was ever written; 0 before the first. */
export function lastEventId(db: DatabaseSync): number {
  const row = statement(db, "SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
  return Number(row?.["seq"] ?? 0);
}

/** A number that is another one after every commit of another connection: cheaper to ask for than the events. */
export function dataVersion(db: DatabaseSync): number {
  return Number(statement(db, "PRAGMA data_version").get()?.["data_version"] ?? 0);
}

/** Reads and changes the counters of sessions. */
import type { DatabaseSync } from "node:sqlite";
import { putRow, statement } from "./statement.ts";

/** Begins the type of rows that are no counters: they say which process handles an event; see `event_claims.ts`. */
export const CLAIM = "claim:";

export interface CounterRow {
  readonly sessionId: string;
  readonly type: string;
  readonly value: number;
  readonly updatedAtMs: number;
}

/** Raises a counter in one statement, so that parallel processes count right. @returns Its new value. */
export function incrementCounter(
  db: DatabaseSync,
  counter: {
    readonly sessionId: string;
    readonly type: string;
    /** By how much the counter is raised, by default 1; may be negative. */
    readonly by?: number;
    readonly atMs: number;
  },
): number {
  const row = statement(db)`
    INSERT INTO counters (session_id, type, value, updated_at_ms)
    VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (session_id, type) DO UPDATE SET value = value + ?3, updated_at_ms = ?4
    RETURNING value`.get(counter.sessionId, counter.type, counter.by ?? 1, counter.atMs);
  return Number(row!["value"]);
}

/** Sets a row that is not a counter, such as a place in a file. */
export function setCounter(
  db: DatabaseSync,
  { sessionId, type, value, atMs }: Omit<CounterRow, "updatedAtMs"> & { readonly atMs: number },
): void {
  putRow(db, "counters", { sessionId, type, value, updatedAtMs: atMs });
}

export function readCounter(db: DatabaseSync, sessionId: string, type: string): number {
  const row = statement(db)`
    SELECT value FROM counters WHERE session_id = ? AND type = ?`.get(sessionId, type);
  return Number(row?.["value"] ?? 0);
}

/** Resets one type of counter of a session, or all types if `type` is null. @returns How many counters it has reset. */
export function resetCounters(db: DatabaseSync, sessionId: string, type: string | null): number {
  const { changes } = statement(db)`
    DELETE FROM counters
     WHERE session_id = ?1
       AND (?2 IS NULL OR type = ?2)
       AND type NOT GLOB ?3`.run(sessionId, type, `${CLAIM}*`);
  return Number(changes);
}

/** Returns the counters of one session, or of all sessions if `sessionId` is null. */
export function listCounters(db: DatabaseSync, sessionId: string | null): CounterRow[] {
  return statement(db)`
    SELECT session_id AS sessionId, type, value, updated_at_ms AS updatedAtMs
      FROM counters
     WHERE (?1 IS NULL OR session_id = ?1)
       AND type NOT GLOB ?2
     ORDER BY session_id, type`.all(sessionId, `${CLAIM}*`) as unknown as CounterRow[];
}

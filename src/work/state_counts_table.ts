import type { DatabaseSync } from "node:sqlite";
import { lastEventId } from "./events_table.ts";
import { statement } from "../db/statement.ts";

/** The state of tasks, agents, workflows and questions in a few numbers. */
export interface StateCounts {
  readonly lastEventId: number;
  /** The oldest event that is still sent: a client that saw none since before it has missed some. */
  readonly oldestEventId: number | null;
  /** How many there are by status, without deleted ones. */
  readonly tasks: Readonly<Record<string, number>>;
  readonly agents: Readonly<Record<string, number>>;
  readonly workflows: Readonly<Record<string, number>>;
  readonly pendingQuestions: number;
}

/**
 * Counts the state. In a transaction all numbers are of one moment.
 *
 * @param toldSinceMs Events up to then count as gone, because retention will remove them.
 */
export function countState(db: DatabaseSync, toldSinceMs = 0): StateCounts {
  const byStatus = (sql: string) =>
    Object.fromEntries(
      statement(db, sql).all().map((row) => [String(row["status"]), Number(row["n"])]),
    );
  // The plus keeps SQLite from the index of times: in the order of ids the first match is the oldest event.
  const oldest = statement(
    db,
    "SELECT id FROM events WHERE +created_at_ms > ? ORDER BY id LIMIT 1",
  ).get(toldSinceMs);
  const pending = statement(db, "SELECT count(*) AS n FROM questions WHERE status = 'pending'")
    .get()!;
  return {
    lastEventId: lastEventId(db),
    oldestEventId: oldest === undefined ? null : Number(oldest["id"]),
    tasks: byStatus(
      "SELECT status, count(*) AS n FROM tasks WHERE deleted_at_ms IS NULL GROUP BY status",
    ),
    agents: byStatus("SELECT status, count(*) AS n FROM agents GROUP BY status"),
    workflows: byStatus("SELECT status, count(*) AS n FROM workflows GROUP BY status"),
    pendingQuestions: Number(pending["n"]),
  };
}

/** How many tasks wait for the scheduler. */
export function countQueued(db: DatabaseSync): number {
  const sql = `SELECT count(*) AS n FROM tasks
                WHERE queued_at_ms IS NOT NULL AND status = 'open' AND deleted_at_ms IS NULL`;
  return Number(statement(db, sql).get()!["n"]);
}

/** The number of the newest event up to a time in epoch milliseconds; 0 when there is none. */
export function eventIdAt(db: DatabaseSync, atMs: number): number {
  const row = statement(db, "SELECT min(id) AS id FROM events WHERE created_at_ms > ?").get(atMs)!;
  return row["id"] === null ? lastEventId(db) : Number(row["id"]) - 1;
}

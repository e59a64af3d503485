import type { DatabaseSync } from "node:sqlite";
import { putRow, statement } from "../db/statement.ts";

export type PauseSubject = "guards" | "requirements";

export interface Pause {
  readonly sessionId: string;
  readonly subject: PauseSubject;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
}

/** Lifts the guards or the requirements for a session until a moment; a later call replaces an earlier one. */
export function savePause(db: DatabaseSync, pause: Pause): void {
  putRow(db, "pauses", { ...pause });
}

/** Selects the pauses that hold at a moment. */
const HOLDING =
  `SELECT session_id AS sessionId, subject, reason, created_at_ms AS createdAtMs, ends_at_ms AS endsAtMs
     FROM pauses
    WHERE ends_at_ms > ?`;

/** Lists the pauses that hold at a moment, in the order in which they end. */
export function listPauses(db: DatabaseSync, atMs: number): Pause[] {
  return statement(db, `${HOLDING} ORDER BY ends_at_ms`).all(atMs) as unknown as Pause[];
}

/** Finds the pause that holds for a session at a moment; undefined when there is none. */
export function findPause(
  db: DatabaseSync,
  { sessionId, subject, atMs }: Pick<Pause, "sessionId" | "subject"> & { readonly atMs: number },
): Pause | undefined {
  return statement(db, `${HOLDING} AND session_id = ? AND subject = ?`)
    .get(atMs, sessionId, subject) as Pause | undefined;
}

export function isPaused(db: DatabaseSync, which: Parameters<typeof findPause>[1]): boolean {
  return findPause(db, which) !== undefined;
}

/** Ends a pause. Returns whether there was one. */
export function removePause(db: DatabaseSync, sessionId: string, subject: PauseSubject): boolean {
  const { changes } = db.prepare(
    `DELETE FROM pauses
      WHERE session_id = ?
        AND subject = ?`,
  ).run(sessionId, subject);
  return changes > 0;
}

/** Returns a number that differs once a requirement, a pause or a violation has changed. */
export function policyMark(db: DatabaseSync): number {
  const row = statement(
    db,
    `SELECT (SELECT count(*) + coalesce(max(updated_at_ms), 0) FROM requirements) +
            (SELECT count(*) + coalesce(max(ends_at_ms), 0) FROM pauses) +
            (SELECT count(*) + count(settled_at_ms) FROM violations) AS mark`,
  ).get();
  return Number(row!["mark"]);
}

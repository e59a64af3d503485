/** Remembers which observations a session was told, so that none is told twice. */
import type { DatabaseSync } from "node:sqlite";
import { CLAIM, incrementCounter } from "../../db/counters.ts";
import { transaction } from "../../db/transaction.ts";

/** They are stored among the counters of the session, and are removed with it. */
const TOLD = `${CLAIM}told:`;

/** The numbers of what a session was told. */
export function alreadyTold(db: DatabaseSync, sessionId: string): ReadonlySet<number> {
  const rows = db.prepare(
    `SELECT type
       FROM counters
      WHERE session_id = ?
        AND type GLOB ?`,
  ).all(sessionId, `${TOLD}*`);
  return new Set(rows.map((row) => Number(String(row["type"]).slice(TOLD.length))));
}

/** Notes what a session is told now. */
export function noteTold(
  db: DatabaseSync,
  sessionId: string,
  ids: readonly number[],
  atMs: number,
): void {
  if (ids.length === 0) return;
  transaction(db, () => {
    for (const id of ids) incrementCounter(db, { sessionId, type: `${TOLD}${id}`, atMs });
  });
}

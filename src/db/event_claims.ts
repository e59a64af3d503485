/**
 * Decides which process handles an event that several processes get, since two settings files may each start a hook. A
 * counter of the session holds the id of the working process, and 0 once that process is done.
 */
import type { DatabaseSync } from "node:sqlite";
import { CLAIM, setCounter } from "./counters.ts";
import { statement } from "./statement.ts";
import { transaction } from "./transaction.ts";

/** Begins the types of these counters; other counters that begin with {@linkcode CLAIM} are marks, which stay. */
const OF_EVENT = `${CLAIM}event:`;

/** How long a claim is stored, in milliseconds: no hook works longer. */
const MAX_AGE_MS = 3_600_000;

export interface Claimant {
  readonly sessionId: string;
  readonly event: string;
  readonly pid: number;
  readonly beganAtMs: number;
}

/**
 * Claims an event, unless another process holds its claim. A claim that ended before this process began belongs to an
 * earlier event that looks the same. `gone` are processes that are known to have ended.
 * @returns The process that holds the claim; 0 if another process finished the event after this process had begun.
 */
export function claimEvent(
  db: DatabaseSync,
  { sessionId, event, pid, beganAtMs }: Claimant,
  { gone, atMs }: { readonly gone: ReadonlySet<number>; readonly atMs: number },
): number {
  const type = OF_EVENT + event;
  return transaction(db, () => {
    statement(db)`
      DELETE FROM counters
       WHERE session_id = ?1
         AND type GLOB ?2
         AND (updated_at_ms < ?3 OR (value = 0 AND updated_at_ms <= ?4))
    `.run(sessionId, `${OF_EVENT}*`, atMs - MAX_AGE_MS, beganAtMs);
    const row = db.prepare("SELECT value FROM counters WHERE session_id = ? AND type = ?")
      .get(sessionId, type);
    const holder = Number(row?.["value"] ?? pid);
    if (holder !== pid && !gone.has(holder)) return holder;
    setCounter(db, { sessionId, type, value: pid, atMs });
    return pid;
  });
}

export function releaseEvent(
  db: DatabaseSync,
  { sessionId, event, pid }: Pick<Claimant, "sessionId" | "event" | "pid">,
  atMs: number,
): void {
  statement(db)`
    UPDATE counters
       SET value = 0,
           updated_at_ms = ?4
     WHERE session_id = ?1
       AND type = ?2
       AND value = ?3`.run(sessionId, OF_EVENT + event, pid, atMs);
}

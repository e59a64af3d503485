/**
 * Who handles an event that may come to several processes: two hooks of one session, each in another settings file, are
 * started at the same moment with the same input. Kept among the session's counters: the number of the process while it
 * is at work, 0 once it is done.
 */
import type { DatabaseSync } from "node:sqlite";
import { CLAIM } from "./counters.ts";
import { transaction } from "./database.ts";

/** A claim is forgotten after this time, in milliseconds: no hook may be at work for so long. */
const MAX_AGE_MS = 3_600_000;

/** An event of a session, and a process that would handle it. */
export interface Claimant {
  readonly sessionId: string;
  /** The same for the same event, and for no other one of the session. */
  readonly event: string;
  readonly pid: number;
  /** When the process began. */
  readonly beganAtMs: number;
}

/** Who has claimed an event. */
export type ClaimHolder =
  | { readonly kind: "this process" }
  /** It was at work when it was last heard of. */
  | { readonly kind: "process"; readonly pid: number }
  /** A process that was done after this one had begun. */
  | { readonly kind: "done" };

/**
 * Claims an event, unless another process has it. What was done before this process began was another event, however
 * much they are alike.
 *
 * @param gone Processes that are known to be at work no more.
 */
export function claimEvent(
  db: DatabaseSync,
  { sessionId, event, pid, beganAtMs }: Claimant,
  { gone, atMs }: { readonly gone: ReadonlySet<number>; readonly atMs: number },
): ClaimHolder {
  const type = CLAIM + event;
  return transaction(db, () => {
    db.prepare(
      `DELETE FROM counters
        WHERE session_id = ?1
          AND type GLOB ?2
          AND (updated_at_ms < ?3 OR (value = 0 AND updated_at_ms <= ?4))`,
    ).run(sessionId, `${CLAIM}*`, atMs - MAX_AGE_MS, beganAtMs);
    const row = db.prepare("SELECT value FROM counters WHERE session_id = ? AND type = ?")
      .get(sessionId, type);
    const holder = Number(row?.["value"] ?? pid);
    if (holder === 0) return { kind: "done" };
    if (holder !== pid && !gone.has(holder)) return { kind: "process", pid: holder };
    db.prepare(
      `INSERT INTO counters (session_id, type, value, updated_at_ms)
       VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (session_id, type) DO UPDATE SET value = ?3, updated_at_ms = ?4`,
    ).run(sessionId, type, pid, atMs);
    return { kind: "this process" };
  });
}

/** Notes that a process is done with what it has claimed. */
export function releaseEvent(
  db: DatabaseSync,
  { sessionId, event, pid }: Pick<Claimant, "sessionId" | "event" | "pid">,
  atMs: number,
): void {
  db.prepare(
    `UPDATE counters
        SET value = 0,
            updated_at_ms = ?4
      WHERE session_id = ?1
        AND type = ?2
        AND value = ?3`,
  ).run(sessionId, CLAIM + event, pid, atMs);
}

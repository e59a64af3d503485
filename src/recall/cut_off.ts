/** Which sessions were cut off, as is known when somebody is told of them. */
import type { DatabaseSync } from "node:sqlite";
import type { Tellable } from "../memory/context_text.ts";
import { whyCutOff } from "../memory/session_end.ts";
import { sessionEnd } from "../store/session_end.ts";

/**
 * Marks the summaries of sessions that were cut off with what did that, in place. A summary may be older than what has become of
 * its session: that is asked anew.
 *
 * @param except The session that is told.
 */
export function markCutOff(db: DatabaseSync, rows: readonly Tellable[], except: string): void {
  for (const row of rows) {
    if (row.facts.underWay === undefined || row.sessionId === except) continue;
    const end = sessionEnd(db, row.sessionId);
    const cutOff = end === null ? null : whyCutOff(end);
    if (cutOff !== null) Object.assign(row, { facts: { ...row.facts, cutOff } });
  }
}

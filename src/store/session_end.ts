/** What is known of how a session ended, and its last turn. */
import type { DatabaseSync } from "node:sqlite";
import type { LastTurn, SessionEnd } from "../memory/session_end.ts";
import { statement } from "./statement.ts";

/** How a session ended; null where it is not known. What was held back began no turn and ended none. */
export function sessionEnd(db: DatabaseSync, sessionId: string): SessionEnd | null {
  const session = statement(
    db,
    `SELECT status, end_reason AS reason
       FROM sessions
      WHERE session_id = ?`,
  ).get(sessionId) as Omit<SessionEnd, "turn"> | undefined;
  return session === undefined ? null : { ...session, turn: lastTurn(db, sessionId) };
}

function lastTurn(db: DatabaseSync, sessionId: string): LastTurn | null {
  const row = statement(
    db,
    `SELECT hook_name AS event, iif(json_valid(metadata), metadata ->> '$.error', NULL) AS error
       FROM hook_executions
      WHERE session_id = ?
        AND hook_name IN ('UserPromptSubmit', 'Stop', 'StopFailure')
        AND status <> 'blocked'
      ORDER BY created_at_ms DESC, id DESC
      LIMIT 1`,
  ).get(sessionId);
  if (row === undefined) return null;
  if (row["event"] === "StopFailure") return { kind: "failed", error: String(row["error"] ?? "") };
  return { kind: row["event"] === "Stop" ? "ended" : "begun" };
}

/** Finds and counts tool uses that went past their gate. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/** The counter of a session's tool uses that no gate was asked about, or that ran although they were denied. */
export const PAST_GATE = "past_gate";

/** Returns the other sessions of a project in which tool uses went past their gate, with how many. */
export function pastGatesBefore(
  db: DatabaseSync,
  { project, sessionId }: { readonly project: string; readonly sessionId: string },
): { readonly sessionId: string; readonly uses: number }[] {
  return statement(db)`
    SELECT session_id AS sessionId, value AS uses
      FROM sessions
      JOIN counters USING (session_id)
     WHERE project_dir = ?
       AND session_id <> ?
       AND type = '${PAST_GATE}'`.all(project, sessionId) as unknown as {
    sessionId: string;
    uses: number;
  }[];
}

/** Returns when a session began, in epoch milliseconds; 0 when the database does not know it. */
export function sessionStart(db: DatabaseSync, sessionId: string): number {
  const row = db.prepare("SELECT started_at_ms AS atMs FROM sessions WHERE session_id = ?")
    .get(sessionId);
  return Number(row?.["atMs"] ?? 0);
}

/** Returns when the session's last prompt came, else when the session began, in epoch milliseconds. */
export function startOfTurn(db: DatabaseSync, sessionId: string): number {
  const row = statement(db)`
    SELECT max(created_at_ms) AS atMs
      FROM hook_executions
     WHERE session_id = ?
       AND hook_name = 'UserPromptSubmit'`.get(sessionId);
  return Number(row?.["atMs"]) || sessionStart(db, sessionId);
}

/** Returns the ids of the tool uses since a moment that a hook has captured, or left out by a rule. */
export function capturedToolUses(
  db: DatabaseSync,
  { sessionId, sinceMs }: { readonly sessionId: string; readonly sinceMs: number },
): ReadonlySet<string> {
  const rows = statement(db)`
    SELECT tool_use_id AS id
      FROM hook_executions
     WHERE session_id = ?
       AND created_at_ms >= ?
       AND hook_name IN ('PostToolUse', 'PostToolUseFailure')
       AND tool_use_id IS NOT NULL`.all(sessionId, sinceMs);
  return new Set(rows.map(({ id }) => String(id)));
}

/** Returns the ids of the tool uses since a moment that a hook has seen, or that are audited as missed already. */
export function knownToolUses(
  db: DatabaseSync,
  { sessionId, sinceMs }: { readonly sessionId: string; readonly sinceMs: number },
): ReadonlySet<string> {
  const rows = statement(db)`
    SELECT tool_use_id AS id
      FROM hook_executions
     WHERE session_id = ?1
       AND created_at_ms >= ?2
       AND tool_use_id IS NOT NULL
     UNION
    SELECT missed.value
      FROM hook_executions, json_each(metadata, '$.unheard') AS missed
     WHERE session_id = ?1
       AND created_at_ms >= ?2
       AND hook_name IN ('Drain', 'SessionEnd')`.all(sessionId, sinceMs);
  return new Set(rows.map(({ id }) => String(id)));
}

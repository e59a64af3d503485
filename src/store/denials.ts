import type { DatabaseSync } from "node:sqlite";

/** Whether a tool of the session was denied for exactly these reasons, in this order, since a moment. */
export function wasDeniedSince(
  db: DatabaseSync,
  { sessionId, rules, sinceMs }: {
    readonly sessionId: string;
    readonly rules: readonly string[];
    readonly sinceMs: number;
  },
): boolean {
  return db.prepare(
    `SELECT 1
       FROM hook_executions
      WHERE session_id = ?
        AND created_at_ms > ?
        AND status = 'blocked'
        AND metadata ->> '$.rules' = ?
      LIMIT 1`,
  ).get(sessionId, sinceMs, JSON.stringify(rules)) !== undefined;
}

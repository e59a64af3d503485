import type { DatabaseSync } from "node:sqlite";
import type { BranchKey } from "./requirements.ts";

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

/** The working trees in which something of the session was denied, of repositories that have several. */
export function worktreesOfDenials(db: DatabaseSync, sessionId: string): string[] {
  const rows = db.prepare(
    `SELECT DISTINCT metadata ->> '$.worktree' AS worktree
       FROM hook_executions
      WHERE session_id = ?
        AND status = 'blocked'
        AND metadata ->> '$.worktree' IS NOT NULL`,
  ).all(sessionId);
  return rows.map(({ worktree }) => String(worktree));
}

/** A requirement that was open on a branch which the denied command would have checked out itself. */
export interface DeniedOnto extends BranchKey {
  readonly requirement: string;
}

/** All of them that the session was told of. */
export function deniedOnto(db: DatabaseSync, sessionId: string): DeniedOnto[] {
  const rows = db.prepare(
    `SELECT DISTINCT onto.value AS denied
       FROM hook_executions, json_each(metadata, '$.onto') AS onto
      WHERE session_id = ?
        AND status = 'blocked'`,
  ).all(sessionId);
  return rows.map(({ denied }) => JSON.parse(String(denied)));
}

/** What a hook asks of a session before it writes more than its event; each is a search in an index. */
import type { DatabaseSync } from "node:sqlite";

/** Whether something that a session asked is open. */
export function hasOpenQuestion(db: DatabaseSync, sessionId: string): boolean {
  return db.prepare(
    `SELECT 1
       FROM questions
      WHERE session_id = ?
        AND status <> 'resolved'
      LIMIT 1`,
  ).get(sessionId) !== undefined;
}

/** Whether a sub-agent of a session runs. */
export function hasRunningSubagent(db: DatabaseSync, sessionId: string): boolean {
  return db.prepare(
    `SELECT 1
       FROM agents
      WHERE session_id = ?
        AND kind = 'subagent'
        AND ended_at_ms IS NULL
      LIMIT 1`,
  ).get(sessionId) !== undefined;
}

/** Whether it is known for which task, and as which agent, a session works. */
export function isOfTask(
  db: DatabaseSync,
  sessionId: string,
  { taskId, agentId }: { readonly taskId: string; readonly agentId: string | null },
): boolean {
  return db.prepare(
    `SELECT 1
       FROM sessions
      WHERE session_id = ?
        AND task_id = ?
        AND agent_id IS ?`,
  ).get(sessionId, taskId, agentId) !== undefined;
}

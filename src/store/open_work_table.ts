/** Tasks and workflows of a project that a new session is told of. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/** A task that is not done. */
export interface OpenTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  /** Epoch milliseconds. */
  readonly createdAtMs: number;
}

/** Tasks of a project that are not done: those that nobody has taken, the most urgent first, then those that somebody has. */
export function openTasks(db: DatabaseSync, project: string, limit: number): OpenTask[] {
  const columns = "id, title, status, created_at_ms AS createdAtMs";
  const free = statement(
    db,
    `SELECT ${columns}
       FROM tasks
      WHERE status = 'open'
        AND deleted_at_ms IS NULL
        AND coalesce(repository, project_dir) = ?
      ORDER BY priority, created_at_ms
      LIMIT ?`,
  ).all(project, limit);
  const taken = statement(
    db,
    `SELECT ${columns}
       FROM tasks
      WHERE claimed_by IS NOT NULL
        AND status <> 'open'
        AND status <> 'closed'
        AND deleted_at_ms IS NULL
        AND coalesce(repository, project_dir) = ?
      ORDER BY priority, created_at_ms
      LIMIT ?`,
  ).all(project, limit);
  return [...free, ...taken].slice(0, limit) as unknown as OpenTask[];
}

/** A workflow that waits for a person. */
export interface WaitingWorkflow {
  readonly id: string;
  readonly name: string;
  readonly status: "blocked" | "failed" | "pending_merge";
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly updatedAtMs: number;
}

/** Workflows of a project that wait for a person, the newest first. */
export function waitingWorkflows(
  db: DatabaseSync,
  project: string,
  limit: number,
): WaitingWorkflow[] {
  return statement(
    db,
    `SELECT id, name, status, reason, updated_at_ms AS updatedAtMs
       FROM workflows
      WHERE status IN ('blocked', 'failed', 'pending_merge')
        AND ended_at_ms IS NULL
        AND coalesce(repository, project_dir) = ?
      ORDER BY updated_at_ms DESC
      LIMIT ?`,
  ).all(project, limit) as unknown as WaitingWorkflow[];
}

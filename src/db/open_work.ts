/** Reads the open tasks, waiting workflows and lost claims of a project, for SessionStart. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

export interface OpenTask {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly createdAtMs: number;
}

/** Returns a project's tasks that are not done: the open ones first, then the others; of both the most urgent first. */
export function openTasks(db: DatabaseSync, project: string, limit: number): OpenTask[] {
  const where = (condition: string) =>
    statement(db)`
      SELECT id, title, status, created_at_ms AS createdAtMs
        FROM tasks
       WHERE ${condition}
         AND deleted_at_ms IS NULL
         AND coalesce(repository, project_dir) = ?
       ORDER BY priority, created_at_ms
       LIMIT ?`.all(project, limit);
  const free = where("status = 'open'");
  const begun = where("status NOT IN ('open', 'closed')");
  return [...free, ...begun].slice(0, limit) as unknown as OpenTask[];
}

export interface WaitingWorkflow {
  readonly id: string;
  readonly name: string;
  readonly taskTitle: string | null;
  readonly status: "blocked" | "failed" | "pending_merge";
  readonly reason: string | null;
  readonly updatedAtMs: number;
}

/** Returns the workflows of a project that wait for a person, the newest first. */
export function waitingWorkflows(
  db: DatabaseSync,
  project: string,
  limit: number,
): WaitingWorkflow[] {
  return statement(db)`
    SELECT id, name, (SELECT title FROM tasks WHERE tasks.id = task_id) AS taskTitle, status,
           reason, updated_at_ms AS updatedAtMs
      FROM workflows
     WHERE status IN ('blocked', 'failed', 'pending_merge')
       AND ended_at_ms IS NULL
       AND coalesce(repository, project_dir) = ?
     ORDER BY updated_at_ms DESC
     LIMIT ?`.all(project, limit) as unknown as WaitingWorkflow[];
}

/** A claim that was made here without the team's server, which gave the task to somebody else. */
export interface LostClaim {
  /** The id of the task. */
  readonly uid: string;
  readonly detail: string;
  readonly heldAtMs: number;
}

/** Returns the lost claims of a project that no person has acknowledged. */
export function lostClaims(db: DatabaseSync, project: string): LostClaim[] {
  return statement(db)`
    SELECT uid, detail, held_at_ms AS heldAtMs
      FROM team_held
     WHERE project = ?
       AND reason = 'claim'
     ORDER BY id DESC`.all(project) as unknown as LostClaim[];
}

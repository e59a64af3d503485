import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Task } from "../orchestration/task.ts";
import { statement } from "./statement.ts";

/** A task's columns, and its tags and dependencies as JSON, of a table or alias `task`; see {@linkcode taskOf}. */
export const TASK_COLUMNS =
  `task.id, task.parent_id AS parentId, task.depth, task.title, task.body, task.type, task.status,
            task.priority, task.workflow, task.project_dir AS projectDir, task.repository,
            task.claimed_by AS claimedBy, iif(task.claimed_by IS NULL, NULL, task.claim_token) AS claimToken,
            task.claimed_at_ms AS claimedAtMs, task.lease_until_ms AS leaseUntilMs, task.reason, task.summary,
            task.queued_at_ms AS queuedAtMs, task.created_at_ms AS createdAtMs, task.updated_at_ms AS updatedAtMs,
            task.closed_at_ms AS closedAtMs, task.deleted_at_ms AS deletedAtMs,
            (SELECT json_group_array(tag) FROM (SELECT tag FROM task_tags WHERE task_id = task.id ORDER BY tag)) AS tags,
            (SELECT json_group_array(depends_on)
               FROM (SELECT depends_on FROM task_dependencies WHERE task_id = task.id ORDER BY depends_on)) AS dependsOn`;

/** True for a task that nothing keeps from being done: open, unclaimed, no child in work, every dependency closed. */
export const IS_READY = `task.status = 'open'
        AND task.deleted_at_ms IS NULL
        AND task.claimed_by IS NULL
        AND NOT EXISTS (
              SELECT 1
                FROM tasks AS child
               WHERE child.parent_id = task.id
                 AND child.status IN ('in_progress', 'pending_merge')
                 AND child.deleted_at_ms IS NULL)
        AND NOT EXISTS (
              SELECT 1
                FROM task_dependencies AS needed
                JOIN tasks AS other ON other.id = needed.depends_on
               WHERE needed.task_id = task.id
                 AND other.status <> 'closed'
                 AND other.deleted_at_ms IS NULL)`;

/** Which tasks are wanted. Null filters let everything through. */
export interface TaskFilter {
  /** Common git directory, or project directory where there is none. */
  readonly project: string | null;
  readonly statuses: readonly string[] | null;
  readonly priorities: readonly number[] | null;
  readonly types: readonly string[] | null;
  readonly tag: string | null;
  /** The tags that a pattern stands for, when the caller has looked at {@linkcode listTags}. */
  readonly anyTag: readonly string[] | null;
  /** `null` for any parent, the empty text for none. */
  readonly parentId: string | null;
  /** `null` for anyone, the empty text for nobody. */
  readonly claimedBy: string | null;
  readonly includeDeleted: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Whether nothing keeps this task from being done. */
export function isReady(db: DatabaseSync, id: string): boolean {
  const sql = `SELECT 1 FROM tasks AS task WHERE task.id = ? AND ${IS_READY}`;
  return statement(db, sql).get(id) !== undefined;
}

const READ_TASK = `SELECT ${TASK_COLUMNS} FROM tasks AS task WHERE task.id = ?`;

/** The task with this id, also a deleted one; `undefined` when there is none. */
export function readTask(db: DatabaseSync, id: string): Task | undefined {
  const row = statement(db, READ_TASK).get(id);
  return row === undefined ? undefined : taskOf(row);
}

/** Tasks, the newest first. */
export function listTasks(db: DatabaseSync, filter: TaskFilter): Task[] {
  // First which, then all of these: what is left out is not to be put together before it is left out.
  return statement(
    db,
    `WITH found AS (
     SELECT task.id
       FROM tasks AS task
      WHERE (?1 IS NULL OR coalesce(task.repository, task.project_dir) = ?1)
        AND (?2 IS NULL OR task.status IN (SELECT value FROM json_each(?2)))
        AND (?3 IS NULL OR task.priority IN (SELECT value FROM json_each(?3)))
        AND (?4 IS NULL OR task.type IN (SELECT value FROM json_each(?4)))
        AND (?5 IS NULL OR EXISTS (SELECT 1 FROM task_tags WHERE task_id = task.id AND tag = ?5))
        AND (?6 IS NULL OR EXISTS (
              SELECT 1 FROM task_tags WHERE task_id = task.id AND tag IN (SELECT value FROM json_each(?6))))
        AND (?7 IS NULL OR coalesce(task.parent_id, '') = ?7)
        AND (?8 IS NULL OR coalesce(task.claimed_by, '') = ?8)
        AND (?9 OR task.deleted_at_ms IS NULL)
      ORDER BY task.created_at_ms DESC, task.id DESC
      LIMIT ?10 OFFSET ?11)
     SELECT ${TASK_COLUMNS}
       FROM found
       JOIN tasks AS task ON task.id = found.id
      ORDER BY task.created_at_ms DESC, task.id DESC`,
  ).all(
    filter.project,
    jsonOrNull(filter.statuses),
    jsonOrNull(filter.priorities),
    jsonOrNull(filter.types),
    filter.tag,
    jsonOrNull(filter.anyTag),
    filter.parentId,
    filter.claimedBy,
    filter.includeDeleted ? 1 : 0,
    filter.limit,
    filter.offset,
  ).map(taskOf);
}

/** What can be done now, in the order in which it should be: the most urgent first, of those the oldest. */
export function listReady(
  db: DatabaseSync,
  filter: { readonly project: string | null; readonly limit: number },
): Task[] {
  return statement(
    db,
    `SELECT ${TASK_COLUMNS}
       FROM tasks AS task
      WHERE ${IS_READY}
        AND (?1 IS NULL OR coalesce(task.repository, task.project_dir) = ?1)
      ORDER BY task.priority, task.created_at_ms, task.id
      LIMIT ?2`,
  ).all(filter.project, filter.limit).map(taskOf);
}

/** {@linkcode listReady} of those that were handed to the scheduler. */
export function listQueued(db: DatabaseSync, limit: number): Task[] {
  return statement(
    db,
    `SELECT ${TASK_COLUMNS}
       FROM tasks AS task
      WHERE ${IS_READY}
        AND task.queued_at_ms IS NOT NULL
      ORDER BY task.priority, task.created_at_ms, task.id
      LIMIT ?`,
  ).all(limit).map(taskOf);
}

/** Every tag that a task has, by name. */
export function listTags(db: DatabaseSync): string[] {
  return statement(db, "SELECT DISTINCT tag FROM task_tags ORDER BY tag").all()
    .map((row) => String(row["tag"]));
}

/**
 * A row of {@linkcode TASK_COLUMNS} as a task. Field by field: the rows that SQLite's binding makes are slow to copy and
 * to write as JSON, and both is done with every change.
 */
export function taskOf(row: Readonly<Record<string, SQLOutputValue>>): Task {
  const task = row as unknown as Task;
  return {
    id: task.id,
    parentId: task.parentId,
    depth: task.depth,
    title: task.title,
    body: task.body,
    type: task.type,
    status: task.status,
    priority: task.priority,
    workflow: task.workflow,
    projectDir: task.projectDir,
    repository: task.repository,
    claimedBy: task.claimedBy,
    claimToken: task.claimToken,
    claimedAtMs: task.claimedAtMs,
    leaseUntilMs: task.leaseUntilMs,
    reason: task.reason,
    summary: task.summary,
    queuedAtMs: task.queuedAtMs,
    createdAtMs: task.createdAtMs,
    updatedAtMs: task.updatedAtMs,
    closedAtMs: task.closedAtMs,
    deletedAtMs: task.deletedAtMs,
    tags: JSON.parse(String(row["tags"])),
    dependsOn: JSON.parse(String(row["dependsOn"])),
  };
}

function jsonOrNull(list: readonly unknown[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

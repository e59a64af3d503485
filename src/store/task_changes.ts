/** How a task is changed: its columns, its history and the event that tells of it, in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import type { Task } from "../orchestration/task.ts";
import { recordEvent } from "./events.ts";
import { statement } from "./statement.ts";
import { readTask } from "./tasks.ts";

/** Who changes something, and when. */
export interface Author {
  /** An agent's name, `user`, or `system`. */
  readonly by: string;
  readonly atMs: number;
}

/** Fields that changes may name, with their columns. Those with a history name are in the history under it. */
const FIELDS = {
  title: { column: "title", history: "title" },
  body: { column: "body", history: "body" },
  type: { column: "type", history: "type" },
  status: { column: "status", history: "status" },
  priority: { column: "priority", history: "priority" },
  parentId: { column: "parent_id", history: "parent_id" },
  workflow: { column: "workflow", history: "workflow" },
  claimedBy: { column: "claimed_by", history: "claimed_by" },
  reason: { column: "reason", history: "reason" },
  summary: { column: "summary", history: "summary" },
  deletedAtMs: { column: "deleted_at_ms", history: "deleted_at" },
  depth: { column: "depth", history: null },
  claimToken: { column: "claim_token", history: null },
  claimedAtMs: { column: "claimed_at_ms", history: null },
  leaseUntilMs: { column: "lease_until_ms", history: null },
  queuedAtMs: { column: "queued_at_ms", history: null },
  closedAtMs: { column: "closed_at_ms", history: null },
} as const;

/** What is to be different. A field that is not named stays. */
export type TaskChanges = { readonly [Field in keyof typeof FIELDS]?: Task[Field] };

/** What became of one field. */
export interface FieldChange {
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** One change of one field, as people and programs see it. */
export interface HistoryRow extends FieldChange {
  readonly changedBy: string;
  readonly changedAtMs: number;
}

/** The task with this id. @throws {UserError} When there is none, or it is deleted. */
export function needTask(db: DatabaseSync, id: string): Task {
  const task = readTask(db, id);
  if (task !== undefined && task.deletedAtMs === null) return task;
  throw refusal("TASK_NOT_FOUND", {
    what: `There is no task "${id}"`,
    why: task === undefined ? "no task has this id; nothing was changed" : "it was deleted",
    next: task === undefined ? "conclaude task list" : `conclaude task restore ${id}`,
    details: { taskId: id },
  });
}

/**
 * Changes a task; what is not different is no change. Returns the task as it is afterwards.
 *
 * @param task As it is now: read in this transaction.
 */
export function changeTask(
  db: DatabaseSync,
  task: Task,
  changes: TaskChanges,
  { by, atMs }: Author,
): Task {
  const fields = (Object.keys(changes) as (keyof TaskChanges)[])
    .filter((field) => changes[field] !== undefined && changes[field] !== task[field]);
  if (fields.length === 0) return task;
  const columns = fields.map((field) => `${FIELDS[field].column} = ?`);
  statement(
    db,
    `UPDATE tasks
        SET ${columns.join(", ")}, updated_at_ms = ?
      WHERE id = ?`,
  ).run(...fields.map((field) => changes[field] ?? null), atMs, task.id);
  const told: FieldChange[] = [];
  const changed: { -readonly [Field in keyof Task]: unknown } = { ...task, updatedAtMs: atMs };
  for (const field of fields) {
    const { history } = FIELDS[field];
    if (history !== null) told.push({ field: history, old: task[field], new: changes[field] });
    changed[field] = changes[field];
  }
  // The number of a claim that is gone is nobody's business.
  if (changed.claimedBy === null) changed.claimToken = null;
  if (told.length > 0) tellChange(db, changed as Task, told, { by, atMs });
  return changed as Task;
}

/** Writes into a task's history what changed in one go. */
export function writeHistory(
  db: DatabaseSync,
  taskId: string,
  changes: readonly FieldChange[],
  { by, atMs }: Author,
): void {
  statement(
    db,
    "INSERT INTO task_history (task_id, changes, changed_by, changed_at_ms) VALUES (?, ?, ?, ?)",
  ).run(taskId, JSON.stringify(changes), by, atMs);
}

/** Writes into a task's history what is different now, and the event that tells of it. */
export function tellChange(
  db: DatabaseSync,
  task: Task,
  changes: readonly FieldChange[],
  { by, atMs }: Author,
): void {
  writeHistory(db, task.id, changes, { by, atMs });
  // A body can be long, and whoever wants it can ask for the task.
  const short = changes.map((change) => change.field === "body" ? { field: change.field } : change);
  recordEvent(db, {
    type: "task.updated",
    entityType: "task",
    entityId: task.id,
    data: { task: withoutBody(task), changes: short, by },
    atMs,
  });
}

/** A task as events tell it. */
export function withoutBody({ body: _body, ...task }: Task): Omit<Task, "body"> {
  return task;
}

/** What changed of a task, newest first. Null filters let everything through. */
export function listHistory(
  db: DatabaseSync,
  taskId: string,
  filter: { readonly field: string | null; readonly sinceMs: number | null },
): HistoryRow[] {
  return statement(
    db,
    `SELECT changes, changed_by, changed_at_ms
       FROM task_history
      WHERE task_id = ?1
        AND (?2 IS NULL OR changed_at_ms >= ?2)
      ORDER BY id DESC`,
  ).all(taskId, filter.sinceMs).flatMap((row) => {
    const changes: readonly FieldChange[] = JSON.parse(String(row["changes"]));
    return changes.filter(({ field }) => filter.field === null || field === filter.field)
      .map((change) => ({
        ...change,
        changedBy: String(row["changed_by"]),
        changedAtMs: Number(row["changed_at_ms"]),
      }));
  });
}

/** Changes tasks, and records each change in the history and as an event, in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { notFound, refusal } from "./refusal.ts";
import type { Task } from "./task.ts";
import { recordEvent } from "./events_table.ts";
import { columnOf, insertRow, statement, updateRow } from "../db/statement.ts";
import { IS_READY, readTask } from "./tasks_table.ts";

export interface Author {
  /** The author's name: an agent's name, `user`, `system`, or `workflow:ID`. */
  readonly by: string;
  readonly atMs: number;
}

/** The new values of fields. A field that is missing or undefined stays. */
export type TaskChanges = {
  readonly [
    Field in Exclude<keyof Task, "id" | "tags" | "dependsOn" | "createdAtMs" | "updatedAtMs">
  ]?: Task[Field] | undefined;
};

const SILENT: ReadonlySet<string> = new Set([
  "depth",
  "claimToken",
  "claimedAtMs",
  "leaseUntilMs",
  "queuedAtMs",
  "closedAtMs",
]);

export interface FieldChange {
  readonly field: string;
  readonly old: unknown;
  readonly new: unknown;
}

export interface HistoryRow extends FieldChange {
  readonly changedBy: string;
  readonly changedAtMs: number;
}

/** Reads the task with this id. @throws {UserError} TASK_NOT_FOUND, … when there is none, or it is deleted. */
export function needTask(
  db: DatabaseSync,
  id: string,
  role: "task" | "parent" | "dependency" = "task",
): Task {
  const task = readTask(db, id);
  if (task?.deletedAtMs === null) return task;
  throw notFound(role, id, { isDeleted: task !== undefined });
}

/**
 * Changes a task; a value that a field has already is not a change. Returns the changed task.
 * @param task The current task, read in this transaction.
 */
export function changeTask(
  db: DatabaseSync,
  task: Task,
  changes: TaskChanges,
  author: Author,
): Task {
  const fields = (Object.keys(changes) as (keyof TaskChanges)[])
    .filter((field) => changes[field] !== undefined && changes[field] !== task[field]);
  if (fields.length === 0) return task;
  const different = Object.fromEntries(fields.map((field) => [field, changes[field] ?? null]));
  updateRow(db, "tasks", task.id, { ...different, updatedAtMs: author.atMs });
  const changed: Task = { ...task, ...different, updatedAtMs: author.atMs };
  // Without a claim, readers get no claim number.
  const after = changed.claimedBy === null ? { ...changed, claimToken: null } : changed;
  const recorded = fields.filter((field) => !SILENT.has(field)).map((field) => ({
    field: columnOf(field).replace(/_ms$/, ""),
    old: task[field],
    new: changes[field],
  }));
  if (recorded.length > 0) recordTaskChange(db, after, recorded, author);
  return after;
}

/** Adds changes that were made together to a task's history. */
export function writeHistory(
  db: DatabaseSync,
  taskId: string,
  changes: readonly FieldChange[],
  { by: changedBy, atMs: changedAtMs }: Author,
): void {
  const list = JSON.stringify(changes);
  insertRow(db, "task_history", { taskId, changes: list, changedBy, changedAtMs });
}

function recordTaskChange(
  db: DatabaseSync,
  task: Task,
  changes: readonly FieldChange[],
  author: Author,
): void {
  writeHistory(db, task.id, changes, author);
  const short = changes.map((change) => change.field === "body" ? { field: change.field } : change);
  recordTaskEvent(db, "task.updated", task, { changes: short, ...author });
}

/** Records an event about a task. A body can be long, so the event leaves it out; a reader can fetch the task. */
export function recordTaskEvent(
  db: DatabaseSync,
  type: "task.created" | "task.updated" | "task.deleted",
  { body: _body, ...task }: Task,
  { by, atMs, hard, changes, origin }: Author & {
    readonly hard?: boolean;
    readonly changes?: unknown;
    readonly origin?: unknown;
  },
): void {
  const data = { task, hard, changes, by, origin };
  recordEvent(db, { type, entityType: "task", entityId: task.id, data, atMs });
}

/** Lists the changes of a task by any machine, the newest first. Null filters let everything through. */
export function listHistory(
  db: DatabaseSync,
  taskId: string,
  filter: { readonly field: string | null; readonly sinceMs: number | null },
): HistoryRow[] {
  return statement(
    db,
    `SELECT change.value, changed_by AS changedBy, changed_at_ms AS changedAtMs
       FROM task_history AS history, json_each(history.changes) AS change
      WHERE task_id = ?1
        AND (?2 IS NULL OR changed_at_ms >= ?2)
        AND (?3 IS NULL OR change.value ->> 'field' = ?3)
      ORDER BY changed_at_ms DESC, history.id DESC, change.key`,
  ).all(taskId, filter.sinceMs, filter.field)
    .map(({ value, ...row }) => ({ ...JSON.parse(String(value)), ...row }));
}

export type TagChange = {
  readonly kind: "add" | "remove" | "set";
  readonly tags: readonly string[];
};

/** Changes the tags of a task. Adding a tag that the task has is no change. */
export function changeTags(
  db: DatabaseSync,
  taskId: string,
  { kind, tags }: TagChange,
  author: Author,
): Task {
  const before = needTask(db, taskId);
  const wanted = new Set(kind === "set" ? [] : before.tags);
  for (const tag of tags) {
    if (kind === "remove") wanted.delete(tag);
    else wanted.add(tag);
  }
  statement(db, "DELETE FROM task_tags WHERE task_id = ?").run(taskId);
  const add = statement(db, "INSERT INTO task_tags (task_id, tag) VALUES (?, ?)");
  for (const tag of wanted) add.run(taskId, tag);
  return recordListChange(db, before, "tags", author);
}

/** Records a change of a task's list, if there is one. Returns the current task. */
function recordListChange(
  db: DatabaseSync,
  before: Task,
  field: "tags" | "dependsOn",
  author: Author,
): Task {
  const { id } = before;
  const change = { field: columnOf(field), old: before[field], new: needTask(db, id)[field] };
  if (JSON.stringify(change.old) === JSON.stringify(change.new)) return before;
  statement(db, "UPDATE tasks SET updated_at_ms = ? WHERE id = ?").run(author.atMs, id);
  const after = needTask(db, id);
  recordTaskChange(db, after, [change], author);
  return after;
}

/** Lets a task wait for others, unless it does already. @throws {UserError} DEPENDENCY_NOT_FOUND, WOULD_CREATE_CYCLE */
export function addDependencies(
  db: DatabaseSync,
  taskId: string,
  dependsOn: readonly string[],
): void {
  const add = statement(
    db,
    "INSERT OR IGNORE INTO task_dependencies (task_id, depends_on) VALUES (?, ?)",
  );
  for (const id of dependsOn) {
    needTask(db, id, "dependency");
    if (id === taskId || waitsFor(db, id, taskId)) {
      throw refusal("WOULD_CREATE_CYCLE", {
        what: `Task ${taskId} cannot depend on ${id}`,
        why: id === taskId
          ? "a task cannot wait for itself; nothing was changed"
          : "that one waits for this one already, so neither would ever be ready; nothing was changed",
        next: `conclaude task show ${id}`,
        details: { taskId, dependsOn: id },
      });
    }
    add.run(taskId, id);
  }
}

/** Changes what a task waits for. Returns the changed task. */
export function changeDependencies(
  db: DatabaseSync,
  taskId: string,
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  author: Author,
): Task {
  const before = needTask(db, taskId);
  const remove = statement(
    db,
    "DELETE FROM task_dependencies WHERE task_id = ? AND depends_on = ?",
  );
  for (const id of change.remove) remove.run(taskId, id);
  addDependencies(db, taskId, change.add);
  return recordListChange(db, before, "dependsOn", author);
}

/** Lists the tasks that are not ready and depend on a task, or on one below it; the oldest first. */
export function listWaiting(db: DatabaseSync, id: string): string[] {
  return statement(
    db,
    `WITH RECURSIVE below (id) AS (
       SELECT ?
        UNION
       SELECT child.id FROM tasks AS child JOIN below ON child.parent_id = below.id)
     SELECT task.id
       FROM tasks AS task
      WHERE task.id IN (SELECT task_id FROM task_dependencies WHERE depends_on IN (SELECT id FROM below))
        AND task.id NOT IN (SELECT id FROM below)
        AND NOT (${IS_READY})
      ORDER BY task.created_at_ms, task.id`,
  ).all(id).map((row) => String(row["id"]));
}

/** Tells whether a task waits for another one, directly or through others. */
function waitsFor(db: DatabaseSync, taskId: string, other: string): boolean {
  return statement(
    db,
    `WITH RECURSIVE needed (id) AS (
       SELECT depends_on FROM task_dependencies WHERE task_id = ?1
        UNION
       SELECT depends_on FROM task_dependencies JOIN needed ON task_id = needed.id)
     SELECT 1
       FROM needed
      WHERE id = ?2`,
  ).get(taskId, other) !== undefined;
}

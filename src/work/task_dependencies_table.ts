/** Which task has to be closed before which. Changes are in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { notFound, refusal } from "./refusal.ts";
import type { Task } from "./task.ts";
import { statement } from "../db/statement.ts";
import { type Author, needTask, tellChange } from "./task_changes_table.ts";
import { IS_READY, readTask } from "./tasks_table.ts";

/**
 * Lets a task wait for others. Tasks that it waits for already are no change.
 *
 * @throws {UserError} DEPENDENCY_NOT_FOUND, WOULD_CREATE_CYCLE.
 */
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
    const other = readTask(db, id);
    if (other === undefined || other.deletedAtMs !== null) {
      throw notFound("dependency", id, { isDeleted: other !== undefined });
    }
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

/** Changes what a task waits for. Returns the task as it is afterwards. */
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
  const after = needTask(db, taskId);
  const told = { field: "depends_on", old: before.dependsOn, new: after.dependsOn };
  if (JSON.stringify(told.old) === JSON.stringify(told.new)) return after;
  statement(db, "UPDATE tasks SET updated_at_ms = ? WHERE id = ?").run(author.atMs, taskId);
  tellChange(db, after, [told], author);
  return readTask(db, taskId)!;
}

/** The tasks that are not ready and depend on a task, or on one below it; the oldest first. */
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

/** Whether a task waits for another one, over any number of steps. */
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

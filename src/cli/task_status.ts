import type { DatabaseSync } from "node:sqlite";
import { type Task, type TaskStatus, TRANSITIONS } from "../orchestration/task.ts";
import { wayTo } from "../orchestration/status_ways.ts";
import { checkStatus } from "../orchestration/task_input.ts";
import type { Author } from "../store/task_changes.ts";
import { releaseTask } from "../store/task_claims.ts";
import { badTransition, unblockTask } from "../store/task_life.ts";

/**
 * Sets a status where nothing else is to be said: opens a blocked task again, or gives a claimed one back.
 *
 * @throws {UserError} INVALID_TRANSITION, with the verb that leads there where one does.
 */
export function changeStatus(
  db: DatabaseSync,
  task: Task,
  status: string,
  author: Author,
): Task {
  const to: TaskStatus = checkStatus(status, "conclaude task update --help");
  if (!TRANSITIONS[task.status].includes(to) || wayTo(task, to) !== undefined) {
    throw badTransition(task, to);
  }
  return task.status === "blocked"
    ? unblockTask(db, task.id, author)
    : releaseTask(db, task.id, { ...author, force: false });
}

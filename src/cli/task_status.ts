import type { DatabaseSync } from "node:sqlite";
import { type Task, type TaskStatus, TRANSITIONS } from "../orchestration/task.ts";
import { checkStatus } from "../orchestration/task_input.ts";
import type { Author } from "../store/task_changes.ts";
import { releaseTask } from "../store/task_claims.ts";
import { badTransition, unblockTask } from "../store/task_life.ts";

/** Changes of status that need more than to be said, with what they are and the verb that does them. */
const OTHER_WAYS: Readonly<Record<string, { readonly why: string; readonly verb: string }>> = {
  "open in_progress": { why: "is taken up with a claim", verb: "task claim" },
  "in_progress blocked": {
    why: "is blocked by whoever holds it, with a reason",
    verb: "task block --reason 'why it cannot go on'",
  },
  "in_progress closed": {
    why: "is completed by whoever holds it",
    verb: "task complete",
  },
  "in_progress pending_merge": {
    why: "waits for a merge only when the merge step of a workflow asks for a review",
    verb: "task show",
  },
  "pending_merge closed": {
    why: "is closed when its merge is approved",
    verb: "workflow approve",
  },
  "pending_merge blocked": {
    why: "is blocked when its merge is rejected",
    verb: "workflow reject",
  },
  "blocked closed": { why: "is completed as any other", verb: "task complete" },
};

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
  const to: TaskStatus = checkStatus(status);
  if (!TRANSITIONS[task.status].includes(to)) throw badTransition(task, to);
  const way = OTHER_WAYS[`${task.status} ${to}`];
  if (way !== undefined) {
    throw badTransition(task, to, {
      why: way.why,
      next: `conclaude ${way.verb.replace(/^\w+ \w+/, (verb) => `${verb} ${task.id}`)}`,
    });
  }
  return task.status === "blocked"
    ? unblockTask(db, task.id, author)
    : releaseTask(db, task.id, { ...author, force: false });
}

/** Tasks for tests: made straight in the store. */
import type { DatabaseSync } from "node:sqlite";
import type { Task } from "../../src/work/task.ts";
import { createTask, type NewTask } from "../../src/work/task_life_table.ts";

/** When {@linkcode makeTask} makes a task, if nothing is said. */
export const MADE_AT_MS = 1_000_000;

/** Makes a task; what is not said of it is usual. */
export function makeTask(
  db: DatabaseSync,
  facts: Partial<NewTask> & { readonly atMs?: number } = {},
): Task {
  const { atMs = MADE_AT_MS, ...task } = facts;
  return createTask(db, {
    title: "A task",
    body: "",
    type: "task",
    priority: 2,
    parentId: null,
    tags: [],
    dependsOn: [],
    workflow: null,
    projectDir: null,
    repository: null,
    isQueued: false,
    ...task,
  }, { by: "user", atMs });
}

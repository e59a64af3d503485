/** Adds titles of tasks to rows that name tasks by id, since people know a task by its title. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { openDependencies, readTask } from "../work/store.ts";
import type { Task } from "../work/task.ts";

/** The schema of the added title. */
export const titled = { taskTitle: z.nullable(z.string()) };

export function withTaskTitles<Row extends { readonly taskId: string | null }>(
  db: DatabaseSync,
  rows: readonly Row[],
): (Row & { readonly taskTitle: string | null })[] {
  return rows.map((row) => ({
    ...row,
    taskTitle: row.taskId === null ? null : readTask(db, row.taskId)?.title ?? null,
  }));
}

/** The schema of the open tasks that a task depends on. */
export const waiting = { waitsFor: z.array(z.object({ id: z.string(), title: z.string() })) };

/** Adds to each task the open tasks that it depends on. */
export function withWaiting(db: DatabaseSync, tasks: readonly Task[]) {
  return tasks.map((task) => ({
    ...task,
    waitsFor: openDependencies(db, task.id).map((id) => ({ id, title: readTask(db, id)!.title })),
  }));
}

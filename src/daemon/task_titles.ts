/** Other tasks of which rows tell, by their titles: people know a task by it. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { readTask } from "../work/store.ts";
import type { Task } from "../work/task.ts";

/** What the title adds to the schema of a row. */
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

/** What a task waits for, in the schema of a task. */
export const waiting = { waitsFor: z.array(z.object({ id: z.string(), title: z.string() })) };

/** Of the tasks on which one depends, those that are not closed. */
export function withWaiting(db: DatabaseSync, tasks: readonly Task[]) {
  return tasks.map((task) => ({
    ...task,
    waitsFor: task.dependsOn.flatMap((needed) => {
      const other = readTask(db, needed);
      const isOver = other === undefined || other.status === "closed" || other.deletedAtMs !== null;
      return isOver ? [] : [{ id: other.id, title: other.title }];
    }),
  }));
}

/** Formats tasks for people. */
import { DEEP, hasLapsed, type Task } from "../work/task.ts";
import type { DatabaseSync } from "node:sqlite";
import { type FieldChange, type HistoryRow, openDependencies, readTask } from "../work/store.ts";
import { relativeTime } from "../base/time.ts";
import { shortened } from "../memory/text.ts";
import type { CliContext } from "./context.ts";
import type { Columns } from "./table.ts";
import type { View } from "./verb.ts";

/** A short id has so many characters from the end, since ids of the same minute begin alike. */
const SHORT_ID_CHARS = 8;
const MAX_SHOWN_CHARS = 60;
const MAX_TITLE_CHARS = 80;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the end of an id, which people read and type. */
export function shortTaskId(id: string): string {
  return id.replaceAll("-", "").slice(-SHORT_ID_CHARS);
}

/** Shortens an agent's name: a session's id to its beginning, as in lists of sessions, a workflow's id to its end. */
export function shortAgent(name: string): string {
  const [, workflow] = /^workflow:(.+)$/.exec(name) ?? [];
  if (workflow !== undefined) return `workflow:${shortTaskId(workflow)}`;
  return UUID.test(name) ? name.slice(0, 8) : name;
}

export function holderText(task: Pick<Task, "status" | "claimedBy" | "leaseUntilMs">): string {
  const lapsed = hasLapsed(task, Date.now()) ? " (ran out)" : "";
  return shortAgent(task.claimedBy ?? "") + lapsed;
}

export const TASK_COLUMNS: Columns<Task> = {
  ID: ({ id }) => shortTaskId(id),
  PRIO: ({ priority }) => `P${priority}`,
  STATUS: ({ status, deletedAtMs }) => deletedAtMs === null ? status : "deleted",
  TITLE: ({ title }) => title,
  "CLAIMED BY": (task) => task.claimedBy === null ? null : holderText(task),
};

export function changedView(task: Task, text: string): View {
  return { json: { task }, text: [text] };
}

/** Formats a task as `1a2b3c4d "Title"`. */
export function nameOf({ id, title }: Pick<Task, "id" | "title">): string {
  return `${shortTaskId(id)} "${shortened(title, MAX_TITLE_CHARS)}"`;
}

/** Adds titles of tasks to rows that name tasks by id, since people know a task by its title. */
export function withTaskTitles<Row extends { readonly taskId: string | null }>(
  db: DatabaseSync,
  rows: readonly Row[],
): (Row & { readonly taskTitle: string | null })[] {
  return rows.map((row) => ({
    ...row,
    taskTitle: row.taskId === null ? null : readTask(db, row.taskId)?.title ?? null,
  }));
}

/** Adds to each task the open tasks that it depends on. */
export function withWaiting(db: DatabaseSync, tasks: readonly Task[]) {
  return tasks.map((task) => ({
    ...task,
    waitsFor: openDependencies(db, task.id).map((id) => ({ id, title: readTask(db, id)!.title })),
  }));
}

/** Warns of a tree that has grown too deep to follow. */
export function warnOfDepth({ process }: Pick<CliContext, "process">, { depth }: Task): void {
  if (depth > DEEP) {
    process.stderr.write(
      `The task lies ${depth} levels deep; more than ${DEEP} are hard to follow.\n`,
    );
  }
}

/** Formats changes in columns: `5m ago  user  status: open → in_progress`. */
export function historyLines(rows: readonly HistoryRow[]): string[] {
  const changes = rows.map((row) => ({
    when: relativeTime(row.changedAtMs, Date.now()),
    who: shortAgent(row.changedBy),
    what: changeText(row),
  }));
  const whenChars = Math.max(...changes.map(({ when }) => when.length));
  const whoChars = Math.max(...changes.map(({ who }) => who.length));
  return changes.map(({ when, who, what }) =>
    `${when.padEnd(whenChars)}  ${who.padEnd(whoChars)}  ${what}`
  );
}

/** Formats a change: `status: open → in_progress`. */
export function changeText({ field, old, new: now }: FieldChange): string {
  return `${field}: ${valueText(old, field)} → ${valueText(now, field)}`;
}

/** Formats a value of the history or of an event, and cuts a long one. @param field Its field, if known. */
export function valueText(value: unknown, field = ""): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number" && field.endsWith("_at")) return new Date(value).toISOString();
  if (typeof value === "string" && field === "claimed_by") return shortAgent(value);
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ");
  return shortened(text, MAX_SHOWN_CHARS);
}

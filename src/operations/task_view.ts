/** Tasks as people see them. */
import { DEEP, hasLapsed, type Task } from "../work/task.ts";
import type { HistoryRow } from "../work/store.ts";
import { relativeTime } from "../base/time.ts";
import { shortened } from "../memory/text.ts";
import type { CliContext } from "./context.ts";
import type { Columns } from "./table.ts";
import type { View } from "./view.ts";

/** How many characters of an id are shown: the last ones, since ids of the same minute begin alike. */
const SHORT_ID_CHARS = 8;
const MAX_SHOWN_CHARS = 60;
const MAX_TITLE_CHARS = 80;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The end of an id, as people read and type it. */
export function shortTaskId(id: string): string {
  return id.replaceAll("-", "").slice(-SHORT_ID_CHARS);
}

/** A name of an agent; the id of a session by its beginning, as sessions are listed, and that of a workflow by its end. */
export function shortAgent(name: string): string {
  const [, workflow] = /^workflow:(.+)$/.exec(name) ?? [];
  if (workflow !== undefined) return `workflow:${shortTaskId(workflow)}`;
  return UUID.test(name) ? name.slice(0, 8) : name;
}

/** Who has claimed a task, and that the claim ran out where it did. */
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

/** A task that was changed, and what is to be said of it. */
export function changedView(task: Task, text: string): View {
  return { json: { task }, text: [text] };
}

/** `1a2b3c4d "Title"` */
export function nameOf({ id, title }: Pick<Task, "id" | "title">): string {
  return `${shortTaskId(id)} "${shortened(title, MAX_TITLE_CHARS)}"`;
}

/** Tells of a tree that has grown too deep to be read. */
export function warnOfDepth({ process }: Pick<CliContext, "process">, { depth }: Task): void {
  if (depth > DEEP) {
    process.stderr.write(
      `The task lies ${depth} levels deep; more than ${DEEP} are hard to follow.\n`,
    );
  }
}

/** Changes as lines, in columns: `5m ago  user  status: open → in_progress`. */
export function historyLines(rows: readonly HistoryRow[]): string[] {
  const told = rows.map(({ field, old, new: now, changedBy, changedAtMs }) => ({
    when: relativeTime(changedAtMs, Date.now()),
    who: shortAgent(changedBy),
    what: `${field}: ${valueText(old, field)} → ${valueText(now, field)}`,
  }));
  const whenChars = Math.max(...told.map(({ when }) => when.length));
  const whoChars = Math.max(...told.map(({ who }) => who.length));
  return told.map(({ when, who, what }) =>
    `${when.padEnd(whenChars)}  ${who.padEnd(whoChars)}  ${what}`
  );
}

/** A value of the history or of an event for people, cut where it is long. @param field Where it is known. */
export function valueText(value: unknown, field = ""): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number" && field.endsWith("_at")) return new Date(value).toISOString();
  if (typeof value === "string" && field === "claimed_by") return shortAgent(value);
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ");
  return shortened(text, MAX_SHOWN_CHARS);
}

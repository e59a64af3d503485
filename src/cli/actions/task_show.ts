import { plain } from "../../capture/plain.ts";
import { hasLapsed, type Task } from "../../orchestration/task.ts";
import { listSessionsOfTask, type SessionRow } from "../../store/sessions.ts";
import { listHistory, needTask } from "../../store/task_changes.ts";
import { openDependencies } from "../../store/task_claims.ts";
import { listAncestors, listChildren, listSubtree } from "../../store/task_tree.ts";
import { readTask } from "../../store/tasks.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { openStore } from "../store.ts";
import { taskIdOf } from "../id_lookup.ts";

import { historyLines, holderText, nameOf, tasksTable } from "../task_view.ts";
import type { View } from "../view.ts";

/** So many changes are shown with a task. */
const SHOWN_CHANGES = 5;

/** `conclaude task show ID` */
export async function showTask(context: CliContext, _flags: object, text: string): Promise<View> {
  const { db } = await openStore(context, "read");
  const id = taskIdOf(db, text);
  const task = readTask(db, id) ?? needTask(db, id);
  const ancestors = listAncestors(db, id);
  const children = listChildren(db, id);
  const waitingFor = openDependencies(db, id);
  const sessions = listSessionsOfTask(db, id);
  const changes = listHistory(db, id, { field: null, sinceMs: null });
  const nowMs = Date.now();
  const lines = [
    task.title,
    ...factsOf(task, nowMs).map(([name, value]) => `  ${`${name}:`.padEnd(12)}${value}`),
    ...section("Body", task.body === "" ? [] : task.body.trimEnd().split("\n")),
    ...section("Above it", ancestors.map(lineOf)),
    ...section("Below it", children.map(lineOf)),
    ...section("Waits for", waitingFor.map((other) => lineOf(readTask(db, other)!))),
    ...section("Sessions", sessions.map((session) => sessionLine(session, nowMs))),
    ...section("Last changes", historyLines(changes.slice(0, SHOWN_CHANGES), nowMs)),
  ];
  return {
    json: { task: { ...task, children, ancestors, waitingFor, sessions } },
    text: lines.map(plain).join("\n"),
  };
}

/** `conclaude task subtree ID` */
export async function showSubtree(
  context: CliContext,
  { flat }: { readonly flat: boolean },
  text: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const tasks = listSubtree(db, needTask(db, taskIdOf(db, text)).id);
  return {
    json: { tasks },
    text: flat
      ? tasksTable(tasks, { globals: context.globals, empty: "" })
      : tasks.map((task) => "  ".repeat(task.relativeDepth) + plain(lineOf(task))).join("\n"),
  };
}

/** `conclaude task ancestors ID` */
export async function showAncestors(
  context: CliContext,
  _flags: object,
  text: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const tasks = listAncestors(db, needTask(db, taskIdOf(db, text)).id);
  return { json: { tasks }, text: tasksTable(tasks, { ...context, empty: "It has no parent." }) };
}

/** `conclaude task children ID` */
export async function showChildren(
  context: CliContext,
  _flags: object,
  text: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const tasks = listChildren(db, needTask(db, taskIdOf(db, text)).id);
  return { json: { tasks }, text: tasksTable(tasks, { ...context, empty: "It has no children." }) };
}

/** Which changes are wanted. */
export type HistoryFlags = { readonly field?: string; readonly since?: number };

/** `conclaude task history ID` */
export async function showHistory(
  context: CliContext,
  flags: HistoryFlags,
  text: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const id = taskIdOf(db, text);
  const task = readTask(db, id) ?? needTask(db, id);
  const history = listHistory(db, task.id, {
    field: flags.field ?? null,
    sinceMs: flags.since ?? null,
  });
  const nowMs = Date.now();
  return {
    json: { history },
    text: history.length === 0 ? "Nothing has changed." : historyLines(history, nowMs).join("\n"),
  };
}

function factsOf(task: Task, nowMs: number): [name: string, value: string][] {
  const facts: [string, string | null][] = [
    ["id", task.id],
    ["status", task.deletedAtMs === null ? task.status : `deleted (was ${task.status})`],
    ["reason", task.reason],
    ["summary", task.summary],
    ["priority", `P${task.priority}`],
    ["type", task.type],
    ["tags", task.tags.join(", ") || null],
    ["workflow", task.workflow],
    ["claimed by", claimText(task, nowMs)],
    ["scheduler", task.queuedAtMs === null ? null : "waits for the daemon to start it"],
    ["project", task.projectDir],
    ["made", relativeTime(task.createdAtMs, nowMs)],
    ["changed", relativeTime(task.updatedAtMs, nowMs)],
    ["closed", task.closedAtMs === null ? null : relativeTime(task.closedAtMs, nowMs)],
    ["deleted", task.deletedAtMs === null ? null : relativeTime(task.deletedAtMs, nowMs)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

function claimText(task: Task, nowMs: number): string | null {
  const { claimedBy, claimToken, leaseUntilMs } = task;
  if (claimedBy === null || leaseUntilMs === null) return claimedBy;
  const time = new Date(leaseUntilMs).toISOString();
  return hasLapsed(task, nowMs)
    ? `${claimedBy} (claim ${claimToken} ran out at ${time}, anybody can claim it)`
    : `${claimedBy} (claim ${claimToken}, until ${time})`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function sessionLine({ shortId, status, updatedAtMs }: SessionRow, nowMs: number): string {
  return `${shortId}  (${status}, last seen ${relativeTime(updatedAtMs, nowMs)})`;
}

function lineOf(task: Task): string {
  const holder = task.claimedBy === null ? "" : `, ${holderText(task, Date.now())}`;
  return `${nameOf(task)}  (${task.status}${holder}, P${task.priority})`;
}

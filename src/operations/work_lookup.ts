/** Finds the task, agent or workflow that a person names by its id, or by the beginning or end of the id. */
import { refusal } from "../work/refusal.ts";
import * as work from "../work/store.ts";
import { findIds, MIN_ID_PART } from "../memory/store.ts";
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { transaction } from "../db/transaction.ts";
import { checkAgentId, checkBody } from "../work/task_input.ts";
import type { CliContext } from "./context.ts";
import { cutLine } from "./table.ts";
import { maskerOf } from "./task_text.ts";
import { openStore } from "./open_store.ts";

/** Reads the title by which a person recognizes one of several items with similar ids. */
const TITLES = {
  task: (db: DatabaseSync, id: string) => work.readTask(db, id)?.title,
  agent: (db: DatabaseSync, id: string) => work.readAgent(db, id)?.name,
  workflow: (db: DatabaseSync, id: string) =>
    work.readTask(db, work.readWorkflow(db, id)?.taskId ?? null)?.title,
} as const;

/** Returns the id of a task; without such a task the text itself. @throws {UserError} AMBIGUOUS_ID, TASK_NOT_FOUND */
export function taskIdOf(db: DatabaseSync, text: string): string {
  return onlyId(db, "task", { text, found: findIds(db, "tasks", { text: text.trim() }) });
}

/** {@linkcode taskIdOf} for an agent. */
export function agentIdOf(db: DatabaseSync, text: string): string {
  return onlyId(db, "agent", { text, found: findIds(db, "agents", { text: text.trim() }) });
}

/** {@linkcode taskIdOf} for a task that must exist, even if it is deleted. @throws {UserError} TASK_NOT_FOUND */
export function knownTaskId(db: DatabaseSync, text: string): string {
  const id = taskIdOf(db, text);
  return (work.readTask(db, id) ?? work.needTask(db, id)).id;
}

/** Returns the only id that was found; without one the text, unless it is too short for an id. @throws {UserError} */
function onlyId(
  db: DatabaseSync,
  noun: keyof typeof TITLES,
  { text, found }: { readonly text: string; readonly found: readonly string[] },
): string {
  if (found.length === 0 && text.replaceAll("-", "").trim().length < MIN_ID_PART) {
    throw refusal(`${noun.toUpperCase() as Uppercase<typeof noun>}_NOT_FOUND`, {
      what: `Cannot tell which ${noun} "${text}" is`,
      why: `${MIN_ID_PART} or more characters of the beginning or the end of its id are needed; ` +
        "nothing was changed",
      next: `conclaude ${noun} list`,
    });
  }
  if (found.length <= 1) return found[0] ?? text.trim();
  const named = found.map((id) => `${id} (${cutLine(TITLES[noun](db, id) ?? "", 40)})`);
  throw refusal("AMBIGUOUS_ID", {
    what: `Cannot tell which ${noun} "${text}" is`,
    why: `several ids begin or end like this: ${named.join(", ")}; nothing was changed`,
    next: `conclaude ${noun} show ${found[0]}`,
    details: { candidates: found },
  });
}

/** {@linkcode taskIdOf} for a workflow, which its task's id names, too. */
export function workflowIdOf(db: DatabaseSync, text: string): string {
  const tasks = findIds(db, "tasks", { text: text.trim() });
  const ofTasks = tasks.flatMap((id) => work.readWorkflowOfTask(db, id)?.id ?? []);
  const found = new Set([...findIds(db, "workflows", { text: text.trim() }), ...ofTasks]);
  if (found.size === 0 && tasks.length === 1) {
    throw refusal("WORKFLOW_NOT_FOUND", {
      what: `Task ${tasks[0]} has no workflow`,
      why: "none was begun for it; nothing was changed",
      next: `conclaude workflow start ${tasks[0]}`,
      details: { taskId: tasks[0] },
    });
  }
  return onlyId(db, "workflow", { text, found: [...found] });
}

/** Returns the id of any item that has events, even a removed one. @throws {UserError} NOT_FOUND, AMBIGUOUS_ID */
export function entityIdOf(db: DatabaseSync, given: string): string {
  const text = given.trim();
  const found = (["tasks", "agents", "workflows", "questions"] as const)
    .flatMap((table) => findIds(db, table, { text }));
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw refusal("AMBIGUOUS_ID", {
      what: `Cannot tell what "${text}" is`,
      why: `several ids begin or end like this: ${found.join(", ")}`,
      next: `conclaude event list --entity ${found[0]}`,
      details: { candidates: found },
    });
  }
  if (work.listEvents(db, { entityId: text, limit: 1 }).length > 0) return text;
  throw refusal("NOT_FOUND", {
    what: `There is no task, agent, workflow or question "${text}"`,
    why: "none has this id, or 4 or more characters of it as its beginning or end",
    next: "conclaude event list",
  });
}

const MINUTE_MS = 60_000;

export type ByFlag = { readonly agentId?: string };

/** Returns who acts: `--agent-id`, or the session of Claude Code, or `user`. @throws {UserError} INVALID_INPUT */
export function authorOf({ environment }: CliContext, { agentId }: ByFlag): string {
  return checkAgentId(agentId ?? environment.variable("CLAUDE_CODE_SESSION_ID") ?? "user");
}

/** Returns where a new task of this folder belongs. All working trees of a repository share its tasks. */
export function homeOfTasks({ cwd }: Pick<CliContext, "cwd">) {
  const repository = findRepository(lookUpwards(cwd));
  return { projectDir: repository?.root ?? cwd, repository: repository?.commonDir ?? null };
}

/** Returns the repository whose tasks to list; null for all projects, and outside of a repository. */
export function projectOfTasks(
  context: Pick<CliContext, "cwd">,
  { allProjects }: { readonly allProjects: boolean },
): string | null {
  return allProjects ? null : homeOfTasks(context).repository;
}

/** Returns how long a claim counts without a renewal, in milliseconds. */
export function leaseMs({ claimTimeoutMinutes }: Pick<HookConfig, "claimTimeoutMinutes">): number {
  return claimTimeoutMinutes * MINUTE_MS;
}

/** Opens the database for a change. @param what The change, for errors: `update a task`. @throws {UserError} */
export async function beginChange(context: CliContext, flags: ByFlag, what: string) {
  const by = authorOf(context, flags);
  const { db, place } = await openStore(context, "write", what);
  const mask = await maskerOf(place.config);
  return {
    by,
    db,
    place,
    mask,
    /** Checks a reason or an answer and masks its secrets; null if none is given. */
    masked: (text: string | undefined) => text === undefined ? null : checkBody(mask(text)),
    /** Does the work in one transaction. */
    change: <Result>(make: (author: work.Author) => Result): Result =>
      transaction(db, () => make({ by, atMs: Date.now() })),
  };
}

/** What the verbs of tasks have in common: which task is meant, who asks, which project, how long a claim counts. */
import type { DatabaseSync } from "node:sqlite";
import type { HookConfig } from "../config/hook_config.ts";
import { findRepository } from "../git/repository.ts";
import { refusal } from "../orchestration/refusal.ts";
import { checkAgentId } from "../orchestration/task_input.ts";
import { readVariable } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import { findTaskIds, readTask } from "../store/tasks.ts";
import type { CliContext } from "./context.ts";

/** Who is named as the author where nobody is named. */
const NOBODY_NAMED = "user";

const MINUTE_MS = 60_000;

/** The flag of every verb that changes something. */
export type ByFlag = {
  readonly agentId?: string;
};

/**
 * The id of the task that a person names by its id, or by the beginning or the end of it.
 *
 * @returns The text as it is when no task has such an id: whoever needs the task says so.
 * @throws {UserError} AMBIGUOUS_ID, with the tasks that may be meant.
 */
export function taskIdOf(db: DatabaseSync, text: string): string {
  const found = findTaskIds(db, text.trim());
  if (found.length <= 1) return found[0] ?? text.trim();
  const named = found.map((id) => `${id} (${readTask(db, id)?.title ?? ""})`);
  throw refusal("AMBIGUOUS_ID", {
    what: `Cannot tell which task "${text}" is`,
    why: `several ids begin or end like this: ${named.join(", ")}; nothing was changed`,
    next: `conclaude task show ${found[0]}`,
    details: { candidates: found },
  });
}

/**
 * Who is at work here: whom `--agent-id` names, else the session of Claude Code that this command runs in, else the user.
 *
 * @throws {UserError} INVALID_INPUT
 */
export function authorOf({ agentId }: ByFlag): string {
  return checkAgentId(agentId ?? (readVariable("CLAUDE_CODE_SESSION_ID") || NOBODY_NAMED));
}

/** Where a task belongs that is made here: all working trees of a repository share its tasks. */
export function homeOfTasks(
  { cwd }: Pick<CliContext, "cwd">,
): { readonly projectDir: string; readonly repository: string | null } {
  const repository = findRepository(lookUpwards(cwd));
  return { projectDir: repository?.root ?? cwd, repository: repository?.commonDir ?? null };
}

/** The project whose tasks are meant: the repository around this folder; all of them outside of one, or when asked for. */
export function projectOfTasks(
  context: Pick<CliContext, "cwd">,
  { allProjects }: { readonly allProjects: boolean },
): string | null {
  return allProjects ? null : homeOfTasks(context).repository;
}

/** How long a claim counts without being renewed, in milliseconds. */
export function leaseMs({ claimTimeoutMinutes }: Pick<HookConfig, "claimTimeoutMinutes">): number {
  return claimTimeoutMinutes * MINUTE_MS;
}

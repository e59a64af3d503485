/** What the verbs of tasks, workflows and questions have in common: who asks, which project, how long a claim counts. */
import type { HookConfig } from "../config/hook_config.ts";
import { findRepository, lookUpwards } from "../git/repository.ts";
import { checkAgentId } from "../orchestration/task_input.ts";
import type { CliContext } from "./context.ts";
import { openKeptStore } from "./store.ts";
import { maskerOf } from "./task_text.ts";

const NOBODY_NAMED = "user";
const MINUTE_MS = 60_000;

export type ByFlag = {
  readonly agentId?: string;
};

/**
 * Who acts: whom `--agent-id` names, else the session of Claude Code that this command runs in, else `user`.
 * @throws {UserError} INVALID_INPUT
 */
export function authorOf({ environment }: CliContext, { agentId }: ByFlag): string {
  return checkAgentId(agentId ?? environment.variable("CLAUDE_CODE_SESSION_ID") ?? NOBODY_NAMED);
}

/**
 * Opens the database for a change: who makes it, and what masks the secrets in its texts.
 * @param what What cannot be done where nothing is kept: `update a task`. @throws {UserError} As {@linkcode authorOf}.
 */
export async function beginChange(context: CliContext, flags: ByFlag, what: string) {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, what);
  return { by, db, place, mask: await maskerOf(place.config) };
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

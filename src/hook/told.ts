/** Saves what an event tells about the session's task, its subagents and its questions. */
import { quietly } from "../base/errors.ts";
import { UNKNOWN_SESSION_ID, uuidOf } from "../base/ids.ts";
import { type SessionChange, settledBy, toldBy } from "../claude/session_changes.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { hasOpenQuestion, hasRunningSubagent, isOfTask } from "../db/sessions.ts";
import type { HookWork } from "./handler.ts";
import { realPathSync } from "../system/files.ts";

/** Writes what the event tells with it; nothing when no content is kept. */
export async function saveTold(work: HookWork): Promise<void> {
  if (!work.config.databaseEnabled || work.sessionId === UNKNOWN_SESSION_ID) return;
  const changes = [...taskOf(work), ...settledOf(work), ...await toldOf(work)];
  if (changes.length === 0) return;
  const { applySessionChanges } = await import("../work/store.ts");
  work.saveBeside(changes, applySessionChanges);
}

/** The task for which the daemon has started the session's process. */
function taskOf({ db, sessionId, environment }: HookWork): readonly SessionChange[] {
  const taskId = uuidOf(environment.variable("CONCLAUDE_TASK_ID"));
  if (taskId === null) return [];
  const task = { taskId, agentId: uuidOf(environment.variable("CONCLAUDE_AGENT_ID")) };
  if (db !== null && quietly(() => isOfTask(db, sessionId, task))) return [];
  return [{ kind: "task", ...task }];
}

/** Questions and subagents that the event ends; looked up only where one may be open. */
function settledOf({ event, db, sessionId }: HookWork): readonly SessionChange[] {
  const change = settledBy(event.name);
  if (change === null) return [];
  const mayBeOpen = db === null ||
    quietly(() =>
      hasOpenQuestion(db, sessionId) ||
      (change.kind === "over" && hasRunningSubagent(db, sessionId))
    );
  return mayBeOpen ? [change] : [];
}

async function toldOf(work: HookWork): Promise<readonly SessionChange[]> {
  const { event, keepsContent } = work;
  if (!keepsContent) return [];
  const { name, own, toolName, toolInput } = event;
  if (toolName !== null && await work.exclusion(toolName, toolInput) !== null) return [];
  return toldBy({ name, own, worktree: await worktreeOf(work) });
}

/** The working tree that an event comes from, when it is not the repository's main one. */
async function worktreeOf({ event, repository, mask }: HookWork): Promise<string | null> {
  if (event.name !== "SubagentStart" || repository === undefined) return null;
  const { root, commonDir } = repository;
  const isMain = quietly(() =>
    realPathSync(joinPath(root, ".git")) === commonDir ||
    realPathSync(root) === parentOf(commonDir)
  );
  return isMain === false ? (await mask([root]))[0] ?? null : null;
}

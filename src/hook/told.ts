/** Saves what an event tells about the session's task, its subagents and its questions. */
import { quietly } from "../base/errors.ts";
import { UNKNOWN_SESSION_ID, uuidOf } from "../base/ids.ts";
import { type SessionChange, settledBy, toldBy } from "../claude/session_changes.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { hasOpenQuestion } from "../db/captures.ts";
import { listExecutions } from "../db/executions.ts";
import { hasRunningSubagent, isOfTask } from "../db/sessions.ts";
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
function settledOf(work: HookWork): readonly SessionChange[] {
  const { event, db, sessionId } = work;
  const change = settledBy(event.name);
  const isUse = event.name.startsWith("PostToolUse");
  if (change === null || isUse && !quietly(() => wasAskedLast(work))) return [];
  const mayBeOpen = db === null ||
    quietly(() =>
      hasOpenQuestion(db, sessionId) ||
      (change.kind === "over" && hasRunningSubagent(db, sessionId))
    );
  return mayBeOpen ? [change] : [];
}

/** Whether a tool use is the one that a person was asked to permit last. Other tools may run while they are asked. */
function wasAskedLast({ event: { toolName, toolInput }, db, sessionId }: HookWork): boolean {
  if (db === null) return false;
  const [asked] = listExecutions(db, {
    ...{ sessionId, hookName: "PermissionRequest", toolName: null, status: null },
    ...{ sinceMs: null, limit: 1 },
  });
  const { command, file_path: file } = Object(asked?.metadata["tool_input"]);
  const { command: ran = "", file_path: changed = "" } = Object(toolInput);
  // The audit row may have cut it.
  const about = String(command ?? file ?? "").replace(/…$/, "");
  return asked?.toolName === toolName && String(ran || changed).startsWith(about);
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

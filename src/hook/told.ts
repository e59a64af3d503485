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

/** Adds to the event's transaction what the event tells. */
export async function saveTold(work: HookWork): Promise<void> {
  if (!work.config.databaseEnabled || work.sessionId === UNKNOWN_SESSION_ID) return;
  const changes = [...taskOf(work), ...settledOf(work), ...await toldOf(work)];
  if (changes.length === 0) return;
  const { applySessionChanges } = await import("../work/store.ts");
  work.saveBeside(changes, applySessionChanges);
}

/** Returns the task for which the daemon has started the session's process. */
function taskOf({ db, sessionId, environment }: HookWork): readonly SessionChange[] {
  const taskId = uuidOf(environment.variable("CONCLAUDE_TASK_ID"));
  if (taskId === null) return [];
  const task = { taskId, agentId: uuidOf(environment.variable("CONCLAUDE_AGENT_ID")) };
  if (db !== null && quietly(() => isOfTask(db, sessionId, task))) return [];
  return [{ kind: "task", ...task }];
}

/** Returns the questions and subagents that the event ends, if any of them may be open. */
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

/** Tells whether a tool use is the one that a person was last asked to permit. Other tools may run meanwhile. */
function wasAskedLast({ event: { toolName, toolInput }, db, sessionId }: HookWork): boolean {
  if (db === null) return false;
  const [request] = listExecutions(db, {
    sessionId,
    hookName: "PermissionRequest",
    toolName: null,
    status: null,
    sinceMs: null,
    limit: 1,
  });
  const { command, file_path: file } = Object(request?.metadata["tool_input"]);
  const { command: ran = "", file_path: changed = "" } = Object(toolInput);
  // The audit row may have cut the input.
  const about = String(command ?? file ?? "").replace(/…$/, "");
  return request?.toolName === toolName && String(ran || changed).startsWith(about);
}

async function toldOf(work: HookWork): Promise<readonly SessionChange[]> {
  const { event, keepsContent } = work;
  if (!keepsContent) return [];
  const { name, own, toolName, toolInput } = event;
  if (toolName !== null && await work.exclusion(toolName, toolInput) !== null) return [];
  return toldBy({ name, own, worktree: await worktreeOf(work) });
}

/** Returns the working tree from which an event comes, if it is not the repository's main one. */
async function worktreeOf({ event, repository, mask }: HookWork): Promise<string | null> {
  if (event.name !== "SubagentStart" || repository === undefined) return null;
  const { root, commonDir } = repository;
  const isMain = quietly(() =>
    realPathSync(joinPath(root, ".git")) === commonDir ||
    realPathSync(root) === parentOf(commonDir)
  );
  return isMain === false ? (await mask([root]))[0] ?? null : null;
}

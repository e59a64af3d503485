/** Which task, workflow or agent a person means by an id, or by the beginning or the end of it. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { readAgent } from "../store/agents.ts";
import { findIds } from "../store/find_ids.ts";
import { readTask } from "../store/tasks.ts";
import { readWorkflow, readWorkflowOfTask } from "../store/workflows.ts";

/**
 * The id of a task.
 *
 * @returns The text as it is when no task has such an id: whoever needs the task says so.
 * @throws {UserError} AMBIGUOUS_ID, with the tasks that may be meant.
 */
export function taskIdOf(db: DatabaseSync, text: string): string {
  return onlyId(text, findIds(db, "tasks", { text: text.trim() }), {
    noun: "task",
    titleOf: (id) => readTask(db, id)?.title,
  });
}

/** The id of an agent; otherwise as {@linkcode taskIdOf}. */
export function agentIdOf(db: DatabaseSync, text: string): string {
  return onlyId(text, findIds(db, "agents", { text: text.trim() }), {
    noun: "agent",
    titleOf: (id) => readAgent(db, id)?.name,
  });
}

/** The id of a workflow, by its own id or by its task's; otherwise as {@linkcode taskIdOf}. */
export function workflowIdOf(db: DatabaseSync, text: string): string {
  const tasks = findIds(db, "tasks", { text: text.trim() });
  const ofTasks = tasks.map((id) => readWorkflowOfTask(db, id)?.id).filter((id) =>
    id !== undefined
  );
  const found = new Set([...findIds(db, "workflows", { text: text.trim() }), ...ofTasks]);
  if (found.size === 0 && tasks.length === 1) {
    throw refusal("WORKFLOW_NOT_FOUND", {
      what: `Task ${tasks[0]} has no workflow`,
      why: "none was begun for it; nothing was changed",
      next: `conclaude workflow start ${tasks[0]}`,
      details: { taskId: tasks[0] },
    });
  }
  return onlyId(text, [...found], {
    noun: "workflow",
    titleOf: (id) => readTask(db, readWorkflow(db, id)?.taskId ?? "")?.title,
  });
}

function onlyId(
  text: string,
  found: readonly string[],
  { noun, titleOf }: {
    readonly noun: "task" | "agent" | "workflow";
    readonly titleOf: (id: string) => string | undefined;
  },
): string {
  if (found.length <= 1) return found[0] ?? text.trim();
  const named = found.map((id) => `${id} (${titleOf(id) ?? ""})`);
  throw refusal("AMBIGUOUS_ID", {
    what: `Cannot tell which ${noun} "${text}" is`,
    why: `several ids begin or end like this: ${named.join(", ")}; nothing was changed`,
    next: `conclaude ${noun} show ${found[0]}`,
    details: { candidates: found },
  });
}

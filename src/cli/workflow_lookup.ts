/** Which workflow or agent a person means by an id, or by the beginning or the end of it. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { readAgent } from "../store/agents.ts";
import { findIds } from "../store/find_ids.ts";
import { readTask } from "../store/tasks.ts";
import { readWorkflow, readWorkflowOfTask } from "../store/workflows.ts";
import { onlyId } from "./id_lookup.ts";

/** The id of an agent; otherwise as `taskIdOf()`. */
export function agentIdOf(db: DatabaseSync, text: string): string {
  return onlyId(text, findIds(db, "agents", { text: text.trim() }), {
    noun: "agent",
    titleOf: (id) => readAgent(db, id)?.name,
  });
}

/** The id of a workflow, by its own id or by its task's; otherwise as `taskIdOf()`. */
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

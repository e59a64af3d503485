/** Whether there is the workflow that a task names, asked before a person relies on it. */
import type { DatabaseSync } from "node:sqlite";
import type { Task } from "../orchestration/task.ts";
import { checkWorkflowName } from "../orchestration/task_input.ts";
import { readWorkflowOfTask } from "../store/workflows.ts";

/**
 * What finds workflows is loaded only where one is named: most verbs name none.
 *
 * @returns Throws WORKFLOW_NOT_FOUND where the project of a task has no workflow of this name.
 */
export async function workflowCheck(
  name: string | null,
  next: string,
): Promise<(task: Pick<Task, "projectDir">) => void> {
  if (name === null) return () => {};
  checkWorkflowName(name, next);
  const { findWorkflowFile } = await import("../engine/workflow_files.ts");
  return ({ projectDir }) => {
    if (projectDir !== null) findWorkflowFile(name, projectDir);
  };
}

/** {@linkcode workflowCheck} of a task that is to begin; a workflow that goes on has its steps with it. */
export async function startCheck(): Promise<(db: DatabaseSync, task: Task) => void> {
  const { findWorkflowFile } = await import("../engine/workflow_files.ts");
  return (db, { id, workflow, projectDir }) => {
    if (workflow === null || projectDir === null) return;
    const earlier = readWorkflowOfTask(db, id);
    if (earlier === undefined || earlier.endedAtMs !== null) findWorkflowFile(workflow, projectDir);
  };
}

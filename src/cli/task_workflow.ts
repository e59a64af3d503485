/** Whether there is the workflow that a task names, asked before a person relies on it. */
import type { Task } from "../orchestration/task.ts";
import { checkWorkflowName } from "../orchestration/task_input.ts";

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

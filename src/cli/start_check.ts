/** Whether a task can be worked on where it is, before it is handed over: the scheduler would block it. */
import type { DatabaseSync } from "node:sqlite";
import { chooseFor } from "../engine/workflow_choice.ts";
import { findWorkflowFile, lookForWorkflow, parseFile } from "../engine/workflow_files.ts";
import { checkPlace } from "../engine/work_place.ts";
import type { Task } from "../orchestration/task.ts";
import { readWorkflowOfTask } from "../store/workflows.ts";
import type { CliContext } from "./context.ts";
import { orchestrationOf } from "./orchestration_here.ts";

/**
 * A workflow that goes on has its steps with it, and is not looked at; of one that is wrong in itself the scheduler tells.
 *
 * @throws {UserError} WORKFLOW_NOT_FOUND, INVALID_INPUT
 */
export function checkStart(context: CliContext, db: DatabaseSync, task: Task): void {
  const { projectDir } = task;
  if (projectDir === null || readWorkflowOfTask(db, task.id)?.endedAtMs === null) return;
  if (task.workflow !== null) findWorkflowFile(task.workflow, projectDir);
  const config = orchestrationOf(context, projectDir);
  const { name } = chooseFor(db, { ...task, projectDir }, config);
  const file = lookForWorkflow(name, projectDir);
  const parsed = file && parseFile(file);
  if (parsed === undefined || "errors" in parsed) return;
  checkPlace(task, parsed.workflow, { projectDir, home: context.locations.home });
}

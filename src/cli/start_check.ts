/** Whether a task can be worked on where it is, before it is handed over: the scheduler would block it. */
import type { DatabaseSync } from "node:sqlite";
import { chooseFor } from "../engine/workflow_choice.ts";
import { lookForWorkflow, parseFile } from "../engine/workflow_files.ts";
import { checkPlace } from "../engine/work_place.ts";
import type { Task } from "../orchestration/task.ts";
import { readWorkflowOfTask } from "../store/workflows.ts";
import type { CliContext } from "./context.ts";
import { orchestrationOf } from "./orchestration_here.ts";

/** @throws {UserError} INVALID_INPUT. Of a workflow that is wrong in itself the scheduler tells. */
export function checkStart(context: CliContext, db: DatabaseSync, task: Task): void {
  const { projectDir } = task;
  if (projectDir === null || readWorkflowOfTask(db, task.id)?.endedAtMs === null) return;
  const config = orchestrationOf(context, projectDir);
  const { name } = chooseFor(db, { ...task, projectDir }, config);
  const file = lookForWorkflow(name, projectDir);
  const parsed = file && parseFile(file);
  if (parsed === undefined || "errors" in parsed) return;
  checkPlace(task, parsed.workflow, { projectDir, home: context.locations.home });
}

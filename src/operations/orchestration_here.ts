import "./config_sections.ts";
import type { OrchestrationSettings } from "../work/orchestration_section.ts";
import type { Lasting } from "../work/engine/advance.ts";
import { Settings } from "../work/engine/engine_settings.ts";
import { checkPlace } from "../work/engine/work_folder.ts";
import { chooseFor } from "../work/matchers.ts";
import { findWorkflowFile, lookForWorkflow, parseFile } from "../work/engine/workflow_files.ts";
import type { Task } from "../work/task.ts";
import { openDependencies, readWorkflowOfTask } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import { isDaemonHere, START_DAEMON } from "./daemon_here.ts";
import type { Place } from "./open_store.ts";
import { shortTaskId } from "./task_view.ts";
import { leaseMs } from "./work_lookup.ts";
import type { DatabaseSync } from "node:sqlite";

/** Reads a project's settings for workflows as the daemon does. @param projectDir Null for this folder's project. */
export function orchestrationOf(
  { locations, cwd, process }: Pick<CliContext, "locations" | "cwd" | "process">,
  projectDir: string | null,
): OrchestrationSettings {
  const settings = new Settings({
    locations,
    folder: cwd,
    warn: (message) => process.stderr.write(`${message}\n`),
  });
  return settings.at(projectDir ?? cwd, Date.now()).orchestration;
}

/** Returns how long the lease and a workflow last if this command claims its task. */
export function lastingOf(
  context: Pick<CliContext, "locations" | "cwd" | "process">,
  { config }: Pick<Place, "config">,
  projectDir: string | null,
): Lasting {
  const { workflowTimeoutMinutes } = orchestrationOf(context, projectDir);
  return { leaseMs: leaseMs(config), timeoutMs: workflowTimeoutMinutes * 60_000, atMs: Date.now() };
}

export function endingOf(
  context: Pick<CliContext, "locations" | "cwd" | "process">,
  { database }: Place,
  projectDir: string | null,
) {
  return { database, graceMs: orchestrationOf(context, projectDir).killGraceSeconds * 1_000 };
}

/** Checks the place where a task would be worked on, unless its workflow already runs. @throws {UserError} */
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

/** Describes when a task will start, and who starts it: `handed to the scheduler, and waits for …`. */
export function handedOverText(
  context: Pick<CliContext, "locations">,
  { db, place }: { readonly db: DatabaseSync; readonly place: Pick<Place, "database"> },
  task: Pick<Task, "id">,
): string {
  const waitingFor = openDependencies(db, task.id).map(shortTaskId);
  const when = waitingFor.length === 0 ? "" : `, and waits for ${waitingFor.join(", ")}`;
  const who = isDaemonHere(context, place)
    ? "The daemon takes it when there is room."
    : `No daemon runs here: ${START_DAEMON}`;
  return `handed to the scheduler${when}. ${who}`;
}

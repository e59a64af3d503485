/** Begins the workflows of ready tasks, as long as there is room. */
import type { DatabaseSync } from "node:sqlite";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import { isUserError, messageOf } from "../../base/errors.ts";
import { refusal } from "../refusal.ts";
import type { Task } from "../task.ts";
import { transaction } from "../../db/transaction.ts";
import { changeTask } from "../task_changes_table.ts";
import { SYSTEM } from "../task_claims_table.ts";
import { listReady, readTask } from "../tasks_table.ts";
import { readWorkflowOfTask } from "../workflows_table.ts";
import { beginWorkflow, resumeWorkflow } from "./begin.ts";
import { chooseFor } from "./workflow_choice.ts";
import { loadPlan } from "./workflow_files.ts";
import { checkPlace } from "./work_folder.ts";

export interface Scheduling {
  readonly slots: number;
  /** Whether it takes every ready task; else only tasks that were handed to it. */
  readonly all: boolean;
  readonly leaseMs: number;
  readonly home: string | null;
  readonly settingsOf: (folder: string) => OrchestrationSettings;
  readonly log: (level: "info" | "warn", message: string) => void;
}

/** @returns How many workflows were begun. */
export async function startReady(db: DatabaseSync, options: Scheduling): Promise<number> {
  if (options.slots <= 0) return 0;
  let begun = 0;
  const ready = listReady(db, { project: null, limit: options.slots, isQueued: !options.all });
  for (const task of ready) {
    // Nobody has asked for this task, and there is no folder to work in.
    if (task.projectDir === null && task.queuedAtMs === null) continue;
    // Lets other work go on between two tasks.
    await Promise.resolve();
    if (startTask(db, task, options)) begun++;
  }
  return begun;
}

function startTask(db: DatabaseSync, task: Task, options: Scheduling): boolean {
  const { leaseMs, home, settingsOf, log } = options;
  const atMs = Date.now();
  try {
    const projectDir = projectOf(task);
    const config = settingsOf(projectDir);
    const timeoutMs = config.workflowTimeoutMinutes * 60_000;
    const earlier = readWorkflowOfTask(db, task.id);
    if (earlier !== undefined && earlier.endedAtMs === null) {
      const by = SYSTEM;
      transaction(db, () => resumeWorkflow(db, earlier, { by, leaseMs, timeoutMs, atMs }));
      log("info", `task ${task.id}: workflow ${earlier.name} goes on`);
      return true;
    }
    const { name, warnings } = chooseFor(db, { ...task, projectDir }, config);
    for (const warning of warnings) log("warn", warning);
    const plan = loadPlan(name, projectDir);
    checkPlace(task, plan.workflow, { projectDir, home });
    transaction(db, () => beginWorkflow(db, task, plan, { leaseMs, timeoutMs, atMs }));
    log("info", `task ${task.id}: workflow ${name} begins`);
    return true;
  } catch (thrown) {
    if (isUserError(thrown) && LASTING.has(thrown.reason ?? "")) {
      block(db, task, { reason: `${thrown.what}: ${thrown.why}`, atMs });
      log("warn", `task ${task.id}: ${thrown.what}: ${thrown.why}`);
    } else if (!isUserError(thrown)) log("warn", `task ${task.id}: ${messageOf(thrown)}`);
    // Every other refusal means that somebody else was faster.
    return false;
  }
}

/** Refusals that last until a person puts something right. */
const LASTING = new Set(["WORKFLOW_NOT_FOUND", "WORKFLOW_INVALID", "INVALID_INPUT"]);

function projectOf(task: Task): string {
  if (task.projectDir !== null) return task.projectDir;
  throw refusal("INVALID_INPUT", {
    what: `Cannot work on task ${task.id}`,
    why: "it belongs to no project: it was made outside of one",
    next: `conclaude task show ${task.id}`,
  });
}

function block(
  db: DatabaseSync,
  { id }: Task,
  { reason, atMs }: { readonly reason: string; readonly atMs: number },
): void {
  transaction(db, () => {
    const task = readTask(db, id);
    if (task?.status !== "open" || task.claimedBy !== null) return;
    changeTask(db, task, { status: "blocked", reason, queuedAtMs: null }, { by: SYSTEM, atMs });
  });
}

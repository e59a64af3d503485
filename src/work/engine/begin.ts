/** Begins the workflow of a task, or resumes one that had stopped, in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../base/ids.ts";
import { keysToRetry } from "../progress.ts";
import { refusal } from "../refusal.ts";
import type { Task } from "../task.ts";
import { changeTask, needTask } from "../task_changes_table.ts";
import { claimTask } from "../task_claims_table.ts";
import { resolveQuestions } from "../questions_table.ts";
import {
  changeWorkflow,
  createWorkflow,
  readWorkflow,
  type WorkflowRow,
} from "../workflows_table.ts";
import { listSteps, supersedeStep } from "../workflow_steps_table.ts";
import { advance, type Plan, readPlan, recordsOf, UNDECIDED, workflowOwner } from "./advance.ts";

/** How long claims and workflows last, in milliseconds. */
export interface Lasting {
  /** A claim that is not renewed. */
  readonly leaseMs: number;
  /** A workflow whose file does not say. */
  readonly timeoutMs: number;
  readonly atMs: number;
}

/**
 * Claims a task, begins its workflow, and keeps the agent of its first step.
 *
 * @throws {UserError} When the task cannot be claimed.
 */
export function beginWorkflow(
  db: DatabaseSync,
  task: Task,
  { workflow, prompts }: Plan,
  { leaseMs, timeoutMs, atMs }: Lasting,
): WorkflowRow {
  const id = newId(atMs);
  const claimed = claimTask(db, task.id, { agentId: workflowOwner(id), leaseMs, atMs });
  createWorkflow(db, {
    id,
    taskId: task.id,
    name: workflow.name,
    claimToken: claimed.claimToken!,
    projectDir: task.projectDir,
    repository: task.repository,
    deadlineAtMs: atMs + (workflow.timeoutMs ?? timeoutMs),
    definition: JSON.stringify({ workflow, prompts } satisfies Plan),
  }, atMs);
  advance(db, id, atMs);
  return readWorkflow(db, id)!;
}

/**
 * Resumes a workflow that is blocked or has failed. The steps that stopped it run anew, and those that had not
 * finished; finished steps stay.
 *
 * @throws {UserError} INVALID_STATUS when it has not stopped; what `claimTask` throws.
 */
export function resumeWorkflow(
  db: DatabaseSync,
  workflow: WorkflowRow,
  { by, leaseMs, timeoutMs, atMs }: Lasting & { readonly by: string },
): WorkflowRow {
  if (workflow.status !== "blocked" && workflow.status !== "failed") {
    throw wrongStatus(workflow, "retried", "only one that is blocked or has failed can be");
  }
  const task = needTask(db, workflow.taskId);
  if (task.status === "blocked") {
    changeTask(db, task, { status: "open", reason: null }, { by, atMs });
  }
  const owner = workflowOwner(workflow.id);
  const claimed = claimTask(db, workflow.taskId, { agentId: owner, leaseMs, atMs });
  const steps = listSteps(db, workflow.id);
  const stopped = new Set(keysToRetry(recordsOf(steps)));
  for (const { key, attempt, status } of steps) {
    const isAgain = status === "running" || (status === "finished" && stopped.has(key));
    if (isAgain) supersedeStep(db, { workflowId: workflow.id, key, attempt }, atMs);
  }
  // Nobody waits for open questions any more. Given answers are delivered when the step runs.
  resolveQuestions(db, { workflowId: workflow.id }, { statuses: ["pending"], atMs });
  changeWorkflow(db, workflow.id, {
    status: "running",
    reason: null,
    claimToken: claimed.claimToken!,
    deadlineAtMs: atMs + (readPlan(db, workflow.id).workflow.timeoutMs ?? timeoutMs),
    ...UNDECIDED,
  }, { event: "workflow.resumed", atMs, data: { by } });
  advance(db, workflow.id, atMs);
  return readWorkflow(db, workflow.id)!;
}

/** The refusal of what the status of a workflow does not allow. */
export function wrongStatus(workflow: WorkflowRow, wanted: string, why: string) {
  return refusal("INVALID_STATUS", {
    what: `Cannot have workflow ${workflow.id} ${wanted}`,
    why: `it is ${workflow.status}, and ${why}; nothing was changed`,
    next: `conclaude workflow show ${workflow.id}`,
    details: { currentStatus: workflow.status, taskId: workflow.taskId },
  });
}

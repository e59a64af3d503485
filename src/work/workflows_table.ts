/** Reads the state of workflows and their steps, and changes it in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { recordEvent } from "./events_table.ts";
import type { Fields, RowOf } from "./row_fields.ts";
import { listRows, readRow, tableOf } from "./rows_table.ts";
import { among, insertRow, statement, updateRow } from "../db/statement.ts";

/** A person's decision that the daemon has not carried out yet. */
export type Decision = "approve" | "reject" | "cancel";

export const WORKFLOW_FIELDS = {
  id: "text",
  taskId: "text",
  name: "text",
  /** The last two mean that the workflow has ended. */
  status: ["running", "pending_merge", "blocked", "failed", "completed", "cancelled"],
  /** The step that runs, or at which the workflow stopped. */
  currentStep: "text?",
  /** Why the workflow is blocked or has failed. */
  reason: "text?",
  /** The number of the workflow's claim on the task. */
  claimToken: "integer",
  projectDir: "text?",
  repository: "text?",
  worktree: "text?",
  branch: "text?",
  baseBranch: "text?",
  baseCommit: "text?",
  mergeCommit: "text?",
  decision: ["approve", "reject", "cancel", null],
  decisionBy: "text?",
  decisionText: "text?",
  decidedAtMs: "integer?",
  deadlineAtMs: "integer?",
  createdAtMs: "integer",
  updatedAtMs: "integer",
  endedAtMs: "integer?",
} as const satisfies Fields;

export type WorkflowRow = RowOf<typeof WORKFLOW_FIELDS>;

const WORKFLOWS = tableOf("workflows", WORKFLOW_FIELDS);

/** The new values of fields; a field that is missing stays. */
export type WorkflowChanges = Partial<
  Omit<WorkflowRow, "id" | "taskId" | "name" | "projectDir" | "createdAtMs" | "updatedAtMs">
>;

type NewWorkflow =
  & Pick<WorkflowRow, "id" | "taskId" | "name" | "claimToken" | "deadlineAtMs">
  & Pick<WorkflowRow, "projectDir" | "repository">
  /** The plan, as JSON: the workflow follows it even when its files change. */
  & { readonly definition: string };

export function createWorkflow(db: DatabaseSync, workflow: NewWorkflow, atMs: number): void {
  const times = { createdAtMs: atMs, updatedAtMs: atMs };
  insertRow(db, "workflows", { ...workflow, status: "running", ...times });
  recordWorkflowEvent(db, "workflow.started", workflow.id, {}, atMs);
}

/** Changes a workflow, and records an event of this type. */
export function changeWorkflow(
  db: DatabaseSync,
  id: string,
  changes: WorkflowChanges,
  { event, atMs, data = {} }: {
    /** The type; null for no event. */
    readonly event: string | null;
    readonly atMs: number;
    readonly data?: Readonly<Record<string, unknown>>;
  },
): void {
  updateRow(db, "workflows", id, { ...changes, updatedAtMs: atMs });
  if (event !== null) recordWorkflowEvent(db, event, id, data, atMs);
}

function recordWorkflowEvent(
  db: DatabaseSync,
  type: string,
  id: string,
  data: Readonly<Record<string, unknown>>,
  atMs: number,
): void {
  const whole = { workflow: readWorkflow(db, id), ...data };
  recordEvent(db, { type, entityType: "workflow", entityId: id, data: whole, atMs });
}

/** Reads the workflow with this id; `undefined` when there is none. */
export function readWorkflow(db: DatabaseSync, id: string | null): WorkflowRow | undefined {
  return readRow(db, WORKFLOWS, id);
}

/** Reads the workflow of a task that has not ended, else its newest one; `undefined` when there was none. */
export function readWorkflowOfTask(db: DatabaseSync, taskId: string): WorkflowRow | undefined {
  const order = "ended_at_ms IS NULL DESC, created_at_ms DESC, id DESC";
  return listRows(db, WORKFLOWS, { where: [["task_id = ?", taskId]], order, limit: 1 })[0];
}

/** Reads the plan of a workflow, as JSON. */
export function readDefinition(db: DatabaseSync, id: string): string {
  return String(
    statement(db, "SELECT definition FROM workflows WHERE id = ?").get(id)?.["definition"],
  );
}

/** Lists workflows, the newest first. A filter that is missing or null lets all through. */
export function listWorkflows(
  db: DatabaseSync,
  { statuses, project, limit }: {
    readonly statuses?: readonly string[] | null;
    readonly project?: string | null | undefined;
    readonly limit?: number;
  },
): WorkflowRow[] {
  return listRows(db, WORKFLOWS, {
    where: [[among("status"), statuses], ["coalesce(repository, project_dir) = ?", project]],
    order: "created_at_ms DESC, id DESC",
    limit,
  });
}

/** Lists workflows with a decision that is not carried out yet, in the order of the decisions. */
export function listDecided(db: DatabaseSync): WorkflowRow[] {
  const decided = ["? AND decision IS NOT NULL AND ended_at_ms IS NULL", 1] as const;
  return listRows(db, WORKFLOWS, { where: [decided], order: "decided_at_ms, id" });
}

export const STEP_FIELDS = {
  /** The name behind the rounds of the loops around the step: `quality#2/test`. */
  key: "text",
  /** The number of the attempt, from 1. */
  attempt: "integer",
  type: ["agent", "script", "loop", "merge"],
  status: ["running", "finished", "superseded"],
  /** The result; null while the step runs. */
  outcome: "any",
  agentId: "text?",
  startedAtMs: "integer",
  endedAtMs: "integer?",
} as const satisfies Fields;

/** The result of a step. */
export interface StepOutcome {
  readonly success: boolean;
  /** Whether the step did not run because its `when` was false. */
  readonly skipped: boolean;
  readonly output: string;
  /** The outputs of an agent's contract, `iterations` of a loop, or `commit` of a merge. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly exitCode: number | null;
  readonly error: string | null;
  /** The effect on the workflow: `block` and `fail` stop it, as blocked or failed, until a retry. */
  readonly action: "continue" | "exit_loop" | "block" | "fail";
}

export type StepRow = Omit<RowOf<typeof STEP_FIELDS>, "outcome"> & {
  readonly outcome: StepOutcome | null;
};

const STEPS = tableOf("workflow_steps", STEP_FIELDS);

/** Lists all attempts of a workflow's steps, in the order in which they began. */
export function listSteps(db: DatabaseSync, workflowId: string): StepRow[] {
  const order = "started_at_ms, coalesce(ended_at_ms, 9e15), key, attempt";
  return listRows(db, STEPS, { where: [["workflow_id = ?", workflowId]], order }) as StepRow[];
}

export function beginStep(
  db: DatabaseSync,
  workflowId: string,
  { agentId, ...step }: Pick<StepRow, "key" | "attempt" | "type" | "agentId">,
  atMs: number,
): void {
  const row = { workflowId, ...step, status: "running", agentId, startedAtMs: atMs };
  insertRow(db, "workflow_steps", row);
  const event = { event: "workflow.step.started", atMs, data: { step } };
  changeWorkflow(db, workflowId, { currentStep: step.key }, event);
}

/** Stores the outcome of a step. Inserts a step that did not begin because it ran nothing. */
export function finishStep(
  db: DatabaseSync,
  workflowId: string,
  step: Pick<StepRow, "key" | "attempt" | "type" | "outcome">,
  atMs: number,
): void {
  const { key, attempt, type, outcome } = step;
  statement(
    db,
    `INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, started_at_ms, ended_at_ms)
     VALUES (?1, ?2, ?3, ?4, 'finished', ?5, ?6, ?6)
     ON CONFLICT (workflow_id, key, attempt) DO UPDATE SET status = 'finished', outcome = ?5, ended_at_ms = ?6`,
  ).run(workflowId, key, attempt, type, JSON.stringify(outcome), atMs);
  recordWorkflowEvent(db, "workflow.step.completed", workflowId, { step }, atMs);
}

/** Sets an attempt of a step aside, so that the step runs again. */
export function supersedeStep(
  db: DatabaseSync,
  workflowId: string,
  { key, attempt }: Pick<StepRow, "key" | "attempt">,
  atMs: number,
): void {
  db.prepare(
    `UPDATE workflow_steps
        SET status = 'superseded', ended_at_ms = coalesce(ended_at_ms, ?)
      WHERE workflow_id = ?
        AND key = ?
        AND attempt = ?`,
  ).run(atMs, workflowId, key, attempt);
}

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

export type WorkflowStatus = WorkflowRow["status"];

const WORKFLOWS = tableOf("workflows", WORKFLOW_FIELDS);

/** The new values of fields; a field that is missing stays. */
export type WorkflowChanges = Partial<
  Omit<WorkflowRow, "id" | "taskId" | "name" | "projectDir" | "createdAtMs" | "updatedAtMs">
>;

type NewWorkflow =
  & Pick<
    WorkflowRow,
    "id" | "taskId" | "name" | "claimToken" | "projectDir" | "repository" | "deadlineAtMs"
  >
  & {
    /** The plan, as JSON: the workflow follows it even when its files change. */
    readonly definition: string;
  };

/** Stores a workflow that begins. */
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

export function recordWorkflowEvent(
  db: DatabaseSync,
  type: string,
  id: string,
  data: Readonly<Record<string, unknown>>,
  atMs: number,
): void {
  const workflow = readWorkflow(db, id);
  const whole = { workflow, ...data };
  recordEvent(db, { type, entityType: "workflow", entityId: id, data: whole, atMs });
}

/** Reads the workflow with this id; `undefined` when there is none. */
export function readWorkflow(db: DatabaseSync, id: string): WorkflowRow | undefined {
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
  const only = "decision IS NOT NULL AND ended_at_ms IS NULL";
  return listRows(db, WORKFLOWS, { only, order: "decided_at_ms, id" });
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

export type StepRow = RowOf<typeof STEP_FIELDS>;

const STEPS = tableOf("workflow_steps", STEP_FIELDS);

/** Lists all attempts of a workflow's steps, in the order in which they began. */
export function listSteps(db: DatabaseSync, workflowId: string): StepRow[] {
  const order = "started_at_ms, coalesce(ended_at_ms, 9e15), key, attempt";
  return listRows(db, STEPS, { where: [["workflow_id = ?", workflowId]], order });
}

interface StepKey {
  readonly workflowId: string;
  readonly key: string;
  readonly attempt: number;
}

/** Stores that a step runs. */
export function beginStep(
  db: DatabaseSync,
  at: StepKey,
  { type, agentId, atMs }: Pick<StepRow, "type" | "agentId"> & { readonly atMs: number },
): void {
  const { workflowId, key, attempt } = at;
  insertRow(db, "workflow_steps", { ...at, type, status: "running", agentId, startedAtMs: atMs });
  changeWorkflow(db, workflowId, { currentStep: key }, {
    event: "workflow.step.started",
    atMs,
    data: { step: { key, attempt, type } },
  });
}

/** Stores the outcome of a step. Inserts a step that did not begin because it ran nothing. */
export function finishStep(
  db: DatabaseSync,
  { workflowId, key, attempt }: StepKey,
  { type, outcome, atMs }: Pick<StepRow, "type" | "outcome"> & { readonly atMs: number },
): void {
  statement(
    db,
    `INSERT INTO workflow_steps (workflow_id, key, attempt, type, status, outcome, started_at_ms, ended_at_ms)
     VALUES (?1, ?2, ?3, ?4, 'finished', ?5, ?6, ?6)
     ON CONFLICT (workflow_id, key, attempt) DO UPDATE SET status = 'finished', outcome = ?5, ended_at_ms = ?6`,
  ).run(workflowId, key, attempt, type, JSON.stringify(outcome), atMs);
  const step = { key, attempt, type, outcome };
  recordWorkflowEvent(db, "workflow.step.completed", workflowId, { step }, atMs);
}

/** Sets an attempt of a step aside, so that the step runs again. */
export function supersedeStep(
  db: DatabaseSync,
  { workflowId, key, attempt }: StepKey,
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

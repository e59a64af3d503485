/** Workflows, as far as they have come. Changes are in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { recordEvent } from "./events_table.ts";
import { filterValues, insertRow, statement, updateRow } from "../db/statement.ts";

/** Where a workflow stands; the last two are the end. */
export type WorkflowStatus =
  | "running"
  | "pending_merge"
  | "blocked"
  | "failed"
  | "completed"
  | "cancelled";

/** What a person has decided and the daemon has not done yet. */
export type Decision = "approve" | "reject" | "cancel";

export interface WorkflowRow {
  readonly id: string;
  readonly taskId: string;
  readonly name: string;
  readonly status: WorkflowStatus;
  /** The step that runs, or at which it stopped. */
  readonly currentStep: string | null;
  /** Why it is blocked or failed. */
  readonly reason: string | null;
  /** The number of its claim on the task. */
  readonly claimToken: number;
  readonly projectDir: string | null;
  readonly repository: string | null;
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly baseBranch: string | null;
  readonly baseCommit: string | null;
  readonly mergeCommit: string | null;
  readonly decision: Decision | null;
  readonly decisionBy: string | null;
  readonly decisionText: string | null;
  readonly decidedAtMs: number | null;
  readonly deadlineAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
}

const COLUMNS = `id, task_id AS taskId, name, status, current_step AS currentStep, reason,
            claim_token AS claimToken, project_dir AS projectDir, repository, worktree, branch,
            base_branch AS baseBranch, base_commit AS baseCommit, merge_commit AS mergeCommit, decision,
            decision_by AS decisionBy, decision_text AS decisionText, decided_at_ms AS decidedAtMs,
            deadline_at_ms AS deadlineAtMs, created_at_ms AS createdAtMs, updated_at_ms AS updatedAtMs,
            ended_at_ms AS endedAtMs`;

/** What is to be different; a field that is left out stays. */
export type WorkflowChanges = Partial<
  Omit<WorkflowRow, "id" | "taskId" | "name" | "projectDir" | "createdAtMs" | "updatedAtMs">
>;

export type NewWorkflow =
  & Pick<
    WorkflowRow,
    "id" | "taskId" | "name" | "claimToken" | "projectDir" | "repository" | "deadlineAtMs"
  >
  & {
    /** Its plan, as JSON: it is run by this plan, also when its files change. */
    readonly definition: string;
  };

/** Keeps a workflow that begins. */
export function createWorkflow(db: DatabaseSync, workflow: NewWorkflow, atMs: number): void {
  const times = { createdAtMs: atMs, updatedAtMs: atMs };
  insertRow(db, "workflows", { ...workflow, status: "running", ...times });
  tellWorkflow(db, "workflow.started", workflow.id, {}, atMs);
}

/** Changes a workflow, and tells of it with an event of this type. */
export function changeWorkflow(
  db: DatabaseSync,
  id: string,
  changes: WorkflowChanges,
  { event, atMs, data = {} }: {
    /** Null tells nothing. */
    readonly event: string | null;
    readonly atMs: number;
    readonly data?: Readonly<Record<string, unknown>>;
  },
): void {
  updateRow(db, "workflows", id, { ...changes, updatedAtMs: atMs });
  if (event !== null) tellWorkflow(db, event, id, data, atMs);
}

export function tellWorkflow(
  db: DatabaseSync,
  type: string,
  id: string,
  data: Readonly<Record<string, unknown>>,
  atMs: number,
): void {
  const workflow = readWorkflow(db, id);
  const told = { workflow, ...data };
  recordEvent(db, { type, entityType: "workflow", entityId: id, data: told, atMs });
}

/** The workflow with this id; `undefined` when there is none. */
export function readWorkflow(db: DatabaseSync, id: string): WorkflowRow | undefined {
  const row = statement(db, `SELECT ${COLUMNS} FROM workflows WHERE id = ?`).get(id);
  return row as unknown as WorkflowRow | undefined;
}

/** The workflow of a task that has not ended, else the newest that has; `undefined` when there was none. */
export function readWorkflowOfTask(db: DatabaseSync, taskId: string): WorkflowRow | undefined {
  const row = statement(
    db,
    `SELECT ${COLUMNS}
       FROM workflows
      WHERE task_id = ?
      ORDER BY ended_at_ms IS NULL DESC, created_at_ms DESC, id DESC
      LIMIT 1`,
  ).get(taskId);
  return row as unknown as WorkflowRow | undefined;
}

/** The plan of a workflow, as JSON. */
export function readDefinition(db: DatabaseSync, id: string): string {
  return String(
    statement(db, "SELECT definition FROM workflows WHERE id = ?").get(id)?.["definition"],
  );
}

/** Workflows, the newest first. A filter that is left out, or null, lets everything through. */
export function listWorkflows(
  db: DatabaseSync,
  { statuses, project, limit = -1 }: {
    readonly statuses?: readonly string[] | null;
    readonly project?: string | null | undefined;
    readonly limit?: number;
  },
): WorkflowRow[] {
  return statement(
    db,
    `SELECT ${COLUMNS}
       FROM workflows
      WHERE (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))
        AND (?2 IS NULL OR coalesce(repository, project_dir) = ?2)
      ORDER BY created_at_ms DESC, id DESC
      LIMIT ?3`,
  ).all(...filterValues(statuses, project, limit)) as unknown as WorkflowRow[];
}

/** Workflows with a decision that is not done yet, in the order of the decisions. */
export function listDecided(db: DatabaseSync): WorkflowRow[] {
  return statement(
    db,
    `SELECT ${COLUMNS}
       FROM workflows
      WHERE decision IS NOT NULL
        AND ended_at_ms IS NULL
      ORDER BY decided_at_ms, id`,
  ).all() as unknown as WorkflowRow[];
}

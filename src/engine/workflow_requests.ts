/** What a person may want of a workflow, and what then is written down for the engine. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import type { Author } from "../store/task_changes.ts";
import {
  type Decision,
  readWorkflow,
  readWorkflowOfTask,
  type WorkflowRow,
  type WorkflowStatus,
} from "../store/workflows.ts";
import { decide } from "./advance.ts";
import { resumeWorkflow, wrongStatus } from "./begin.ts";
import { cancel, reject } from "./reviews.ts";

/** What can be asked of a workflow. */
export type WorkflowAction = Decision | "retry";

/** What can be asked where. */
const ACTIONS: Readonly<Record<WorkflowStatus, readonly WorkflowAction[]>> = {
  running: ["cancel"],
  pending_merge: ["approve", "reject", "cancel"],
  blocked: ["retry", "cancel"],
  failed: ["retry", "cancel"],
  completed: [],
  cancelled: [],
};

/** What a workflow is to have become, as a refusal tells it. */
const DONE: Readonly<Record<WorkflowAction, string>> = {
  approve: "merged",
  reject: "rejected",
  cancel: "cancelled",
  retry: "retried",
};

/** Why a workflow is rejected when nobody says why. */
export const REJECTED = "merge rejected by user";

/** Why a workflow is cancelled when nobody says why. */
export const CANCELLED = "cancelled by user";

/** Whether somebody may be carrying out what was decided before: then nothing else can be asked for. */
export interface Carried {
  readonly isCarriedOut: boolean;
}

/** What can be asked of a workflow now; nothing new while something is being done. */
export function actionsOf(
  { status, decision }: Pick<WorkflowRow, "status" | "decision">,
  { isCarriedOut }: Carried = { isCarriedOut: true },
): readonly WorkflowAction[] {
  return decision === null || !isCarriedOut ? ACTIONS[status] : [];
}

/** The workflow with this id, or of the task with this id. @throws {UserError} WORKFLOW_NOT_FOUND */
export function needWorkflow(db: DatabaseSync, id: string): WorkflowRow {
  const workflow = readWorkflow(db, id) ?? readWorkflowOfTask(db, id);
  if (workflow !== undefined) return workflow;
  throw refusal("WORKFLOW_NOT_FOUND", {
    what: `There is no workflow "${id}"`,
    why: "no workflow, and no task with one, has this id; nothing was changed",
    next: "conclaude workflow list",
    details: { workflowId: id },
  });
}

/** Writes a decision down; the engine carries it out. @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND */
export function requestDecision(
  db: DatabaseSync,
  id: string,
  { isCarriedOut = true, ...what }: Author & Partial<Carried> & {
    readonly decision: Decision;
    readonly text: string | null;
  },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), what.decision, { isCarriedOut });
  decide(db, workflow, what);
  return readWorkflow(db, workflow.id)!;
}

/**
 * Rejects or cancels a workflow at once: neither needs an engine.
 *
 * @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND
 */
export function endNow(
  db: DatabaseSync,
  id: string,
  { action, reason, isCarriedOut, ...author }: Author & Carried & {
    readonly action: "reject" | "cancel";
    readonly reason: string;
  },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), action, { isCarriedOut });
  const end = action === "reject" ? reject : cancel;
  end(db, workflow, { ...author, reason });
  return readWorkflow(db, workflow.id)!;
}

/** Lets a workflow go on with what stopped it. @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND */
export function requestRetry(
  db: DatabaseSync,
  id: string,
  { isCarriedOut = true, ...terms }: Author & Partial<Carried> & {
    readonly leaseMs: number;
    /** For a workflow that says nothing of it. */
    readonly timeoutMs: number;
  },
): WorkflowRow {
  return resumeWorkflow(db, needAction(needWorkflow(db, id), "retry", { isCarriedOut }), terms);
}

function needAction(workflow: WorkflowRow, action: WorkflowAction, carried: Carried): WorkflowRow {
  const actions = actionsOf(workflow, carried);
  if (actions.includes(action)) return workflow;
  throw wrongStatus(
    workflow,
    DONE[action],
    workflow.decision === null || !carried.isCarriedOut
      ? `then ${actions.length === 0 ? "nothing" : `only ${actions.join(", ")}`} can be asked of it`
      : `"${workflow.decisionBy}" has decided something that is not done yet (${workflow.decision})`,
  );
}

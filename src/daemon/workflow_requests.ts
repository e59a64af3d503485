/** What a person may want of a workflow, and what then is written down for the engine. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { decide } from "../engine/advance.ts";
import { resumeWorkflow, wrongStatus } from "../engine/begin.ts";
import { readPlan } from "../engine/plan.ts";
import { refusal } from "../orchestration/refusal.ts";
import type { Author } from "../store/task_changes.ts";
import {
  type Decision,
  readWorkflow,
  readWorkflowOfTask,
  type WorkflowRow,
  type WorkflowStatus,
} from "../store/workflows.ts";

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

/** What can be asked of a workflow now; nothing new while something is being done. */
export function actionsOf({ status, decision }: WorkflowRow): readonly WorkflowAction[] {
  return decision === null ? ACTIONS[status] : [];
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
  what: Author & { readonly decision: Decision; readonly text: string | null },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), what.decision);
  decide(db, workflow, what);
  return readWorkflow(db, workflow.id)!;
}

/** Lets a workflow go on with what stopped it. @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND */
export function requestRetry(
  db: DatabaseSync,
  id: string,
  { leaseMs, timeoutMs, ...author }: Author & {
    readonly leaseMs: number;
    /** For a workflow that says nothing of it. */
    readonly timeoutMs: number;
  },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), "retry");
  const own = readPlan(db, workflow.id).workflow.timeoutMs;
  return resumeWorkflow(db, workflow, { ...author, leaseMs, timeoutMs: own ?? timeoutMs });
}

function needAction(workflow: WorkflowRow, action: WorkflowAction): WorkflowRow {
  const actions = actionsOf(workflow);
  if (actions.includes(action)) return workflow;
  throw wrongStatus(
    workflow,
    DONE[action],
    workflow.decision === null
      ? `then ${actions.length === 0 ? "nothing" : `only ${actions.join(", ")}`} can be asked of it`
      : `"${workflow.decisionBy}" has decided something that is not done yet (${workflow.decision})`,
  );
}

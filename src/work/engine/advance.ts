/**
 * Moves a workflow forward. One transaction writes the result of a step and everything that follows, up to the next
 * action of an agent or a person. So at any moment the database says what is next: an agent starts, a person decides,
 * or the workflow has ended.
 */
import type { DatabaseSync } from "node:sqlite";
import { newId } from "../../base/ids.ts";
import { type Move, nextMove, runsAnew } from "../progress.ts";
import * as work from "../store.ts";
import { allSteps, type Step, type Workflow } from "../workflow.ts";
import { refusal } from "../refusal.ts";
import type { Task } from "../task.ts";

export function workflowOwner(workflowId: string): string {
  return `workflow:${workflowId}`;
}

export function moveOf(db: DatabaseSync, { id, taskId }: work.WorkflowRow): Move {
  return nextMove(readPlan(db, id).workflow, work.listSteps(db, id), work.readTask(db, taskId)!);
}

/**
 * Moves a workflow forward from its finished steps, in the caller's transaction, until it stores an agent to start,
 * waits for a person, or has ended.
 *
 * Cancels a workflow that has lost its claim on the task, since somebody else works on the task.
 */
export function advance(db: DatabaseSync, workflowId: string, atMs: number): void {
  const workflow = work.readWorkflow(db, workflowId);
  if (workflow === undefined || workflow.status !== "running") return;
  if (!holdsClaim(db, workflow)) return loseClaim(db, workflow, atMs);
  if (work.listSteps(db, workflowId).some(({ status }) => status === "running")) return;
  for (;;) {
    const move = moveOf(db, workflow);
    if (move.kind === "run") return run(db, workflow, move, atMs);
    if (move.kind === "completed") {
      const [fields, task] = [{ endedAtMs: atMs }, { closedAtMs: atMs }];
      return moveWorkflow(db, workflow, move.kind, { atMs, fields, task });
    }
    if (move.kind !== "record") {
      return stop(db, workflow, { status: move.kind, key: move.key, reason: move.reason, atMs });
    }
    const { key, attempt, outcome } = move;
    const { type } = stepOfKey(db, workflowId, key);
    work.finishStep(db, workflowId, { key, attempt, type, outcome }, atMs);
  }
}

/** Stores the outcome of a step and moves the workflow forward, in the caller's transaction. */
export function finishAndAdvance(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  step: work.StepRow,
  { outcome, atMs }: { readonly outcome: work.StepOutcome; readonly atMs: number },
): void {
  const { key, attempt, type } = step;
  work.finishStep(db, workflow.id, { key, attempt, type, outcome }, atMs);
  advance(db, workflow.id, atMs);
}

/** Finds the step that an agent works on; `undefined` when its workflow has ended, or runs the step anew. */
export function stepOfAgent(
  db: DatabaseSync,
  { id, workflowId }: Pick<work.Agent, "id" | "workflowId">,
): { readonly workflow: work.WorkflowRow; readonly step: work.StepRow } | undefined {
  const workflow = work.readWorkflow(db, workflowId);
  const step = workflow && work.listSteps(db, workflow.id)
    .find(({ agentId, status }) => agentId === id && status === "running");
  return workflow && step && { workflow, step };
}

function run(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { step, key, attempt }: Extract<Move, { readonly kind: "run" }>,
  atMs: number,
): void {
  const { id: workflowId, taskId, worktree } = workflow;
  const { type, name } = step;
  if (type === "merge") {
    work.beginStep(db, workflowId, { key, attempt, type, agentId: null }, atMs);
    if (step.requireReview) moveWorkflow(db, workflow, "merge_pending", { atMs });
    else decide(db, workflow, { decision: "approve", by: workflowOwner(workflowId), atMs });
    return;
  }
  const agentId = newId(atMs);
  const place = { taskId, workflowId, stepKey: key, attempt, worktree };
  work.createAgent(db, { id: agentId, kind: type, name, ...place }, atMs);
  work.beginStep(db, workflowId, { key, attempt, type, agentId }, atMs);
}

export const UNDECIDED = {
  decision: null,
  decisionBy: null,
  decisionText: null,
  decidedAtMs: null,
} as const;

/** The changes of each move, named by its event, in a workflow and in its task. */
const MOVES = {
  /** The work waits for a person's review; the reason is what the person should know. */
  merge_pending: {
    workflow: { status: "pending_merge", reason: null },
    task: { status: "pending_merge" },
  },
  merged: {
    workflow: { status: "running", reason: null, ...UNDECIDED },
    task: { status: "in_progress" },
  },
  blocked: {
    workflow: { status: "blocked", ...UNDECIDED },
    task: { ...work.UNCLAIMED, status: "blocked" },
  },
  failed: {
    workflow: { status: "failed", ...UNDECIDED },
    task: { ...work.UNCLAIMED, status: "blocked" },
  },
  completed: {
    workflow: { status: "completed", currentStep: null, reason: null, ...UNDECIDED },
    task: { ...work.UNCLAIMED, status: "closed", reason: null },
  },
  cancelled: {
    workflow: { status: "cancelled", ...UNDECIDED },
    task: { ...work.UNCLAIMED, status: "open", reason: null, queuedAtMs: null },
  },
} as const satisfies Readonly<
  Record<string, { readonly workflow: work.WorkflowChanges; readonly task: work.TaskChanges }>
>;

/** Moves a workflow and its task. @param options `fields`, `task`: further changes; a null `task` stays unchanged. */
export function moveWorkflow(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  move: keyof typeof MOVES,
  { atMs, by = workflowOwner(workflow.id), fields = {}, task = {}, data = {} }: {
    readonly atMs: number;
    readonly by?: string;
    readonly fields?: work.WorkflowChanges;
    readonly task?: work.TaskChanges | null;
    readonly data?: Readonly<Record<string, unknown>>;
  },
): void {
  if (task !== null) {
    const changes = { ...MOVES[move].task, ...task };
    work.changeTask(db, work.readTask(db, workflow.taskId)!, changes, { by, atMs });
  }
  const event = `workflow.${move}`;
  work.changeWorkflow(db, workflow.id, { ...MOVES[move].workflow, ...fields }, {
    event,
    atMs,
    data,
  });
}

/** Stores a decision, which the daemon carries out. */
export function decide(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { decision, by, text = null, atMs }: work.Author & {
    readonly decision: work.Decision;
    readonly text?: string | null;
  },
): work.WorkflowRow {
  const changes = { decision, decisionBy: by, decisionText: text, decidedAtMs: atMs };
  work.changeWorkflow(db, workflow.id, changes, { event: "workflow.decided", atMs });
  return work.readWorkflow(db, workflow.id)!;
}

/** Stops a workflow at a step, and blocks its task, whose claim ends. */
export function stop(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { status, key, reason, atMs }: {
    readonly status: "blocked" | "failed";
    readonly key: string | null;
    readonly reason: string;
    readonly atMs: number;
  },
): void {
  const task = { reason: key === null ? reason : `${key}: ${reason}` };
  moveWorkflow(db, workflow, status, { atMs, fields: { currentStep: key, reason }, task });
}

/** Tells whether a workflow still holds the claim with which it began or resumed. */
export function holdsClaim(db: DatabaseSync, workflow: work.WorkflowRow): boolean {
  const task = work.readTask(db, workflow.taskId);
  return task !== undefined && task.deletedAtMs === null &&
    task.claimedBy === workflowOwner(workflow.id) && task.claimToken === workflow.claimToken;
}

export const CLAIM_LOST = "its claim on the task counts no more";

/** Cancels a workflow that has lost its claim, in the caller's transaction. */
export function loseClaim(db: DatabaseSync, workflow: work.WorkflowRow, atMs: number): void {
  const fields = { reason: CLAIM_LOST, endedAtMs: atMs };
  moveWorkflow(db, workflow, "cancelled", { atMs, fields, task: null });
}

/** The workflow and prompts as they were at the start. The workflow follows them even when its files change. */
export interface Plan {
  readonly workflow: Workflow;
  readonly prompts: Readonly<Record<string, string>>;
}

export function readPlan(db: DatabaseSync, workflowId: string): Plan {
  return JSON.parse(work.readDefinition(db, workflowId));
}

/** Finds the step of a key, which ends with the step's name. */
export function stepOfKey(db: DatabaseSync, workflowId: string, key: string): Step {
  const name = key.slice(key.lastIndexOf("/") + 1);
  for (const { step } of allSteps(readPlan(db, workflowId).workflow.steps)) {
    if (step.name === name) return step;
  }
  throw new Error(`workflow ${workflowId} has no step ${name}`);
}

/** How long claims and workflows last, in milliseconds, from `atMs` on. */
export interface Lasting {
  readonly leaseMs: number;
  /** The time limit of a workflow whose file names none. */
  readonly timeoutMs: number;
  readonly atMs: number;
}

/** Claims a task, begins its workflow, and stores its first agent. @throws {UserError} When the claim is refused. */
export function beginWorkflow(
  db: DatabaseSync,
  task: Task,
  { workflow, prompts }: Plan,
  { leaseMs, timeoutMs, atMs }: Lasting,
): work.WorkflowRow {
  const id = newId(atMs);
  const claimed = work.claimTask(db, task.id, { by: workflowOwner(id), leaseMs, atMs });
  work.createWorkflow(db, {
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
  return work.readWorkflow(db, id)!;
}

/**
 * Resumes a workflow that is blocked or has failed. The steps that stopped it and unfinished steps run anew; other
 * finished steps keep their outcome.
 * @throws {UserError} INVALID_STATUS when it has not stopped; also what `claimTask` throws.
 */
export function resumeWorkflow(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { by, leaseMs, timeoutMs, atMs }: Lasting & { readonly by: string },
): work.WorkflowRow {
  if (workflow.status !== "blocked" && workflow.status !== "failed") {
    throw wrongStatus(workflow, "retried", "only one that is blocked or has failed can be");
  }
  const task = work.needTask(db, workflow.taskId);
  if (task.status === "blocked") {
    work.changeTask(db, task, { status: "open", reason: null }, { by, atMs });
  }
  const owner = workflowOwner(workflow.id);
  const claimed = work.claimTask(db, workflow.taskId, { by: owner, leaseMs, atMs });
  for (const step of work.listSteps(db, workflow.id)) {
    if (runsAnew(step)) work.supersedeStep(db, workflow.id, step, atMs);
  }
  // Nobody waits for open questions any more. Answers are delivered when the step runs.
  work.resolveQuestions(db, workflow.id, { statuses: ["pending"], atMs });
  work.changeWorkflow(db, workflow.id, {
    status: "running",
    reason: null,
    claimToken: claimed.claimToken!,
    deadlineAtMs: atMs + (readPlan(db, workflow.id).workflow.timeoutMs ?? timeoutMs),
    ...UNDECIDED,
  }, { event: "workflow.resumed", atMs, data: { by } });
  advance(db, workflow.id, atMs);
  return work.readWorkflow(db, workflow.id)!;
}

/** Makes the refusal of an action that the status of a workflow does not allow. */
export function wrongStatus(workflow: work.WorkflowRow, wanted: string, why: string) {
  return refusal("INVALID_STATUS", {
    what: `Cannot have workflow ${workflow.id} ${wanted}`,
    why: `it is ${workflow.status}, and ${why}; nothing was changed`,
    next: `conclaude workflow show ${workflow.id}`,
    details: { currentStatus: workflow.status, taskId: workflow.taskId },
  });
}

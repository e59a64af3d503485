/** Records people's requests to workflows and agents, which the engine carries out. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { notFound, refusal } from "../refusal.ts";
import type { Author } from "../task_changes_table.ts";
import {
  type Decision,
  listSteps,
  readWorkflow,
  readWorkflowOfTask,
  supersedeStep,
  type WorkflowRow,
  type WorkflowStatus,
} from "../workflows_table.ts";
import { decide, type Lasting, resumeWorkflow, wrongStatus } from "./advance.ts";
import { cancel, reject } from "./reviews.ts";
import { type Agent, readAgent, requestKill } from "../agents_table.ts";
import { isUserError } from "../../base/errors.ts";
import { isOfSession } from "../../claude/session_changes.ts";
import { allOrNothing } from "../../db/transaction.ts";
import {
  answerQuestion,
  askQuestion,
  markDelivered,
  needQuestion,
  type Question,
} from "../questions_table.ts";

export type WorkflowAction = Decision | "retry";

/** The possible actions on a workflow in each status. */
const ACTIONS: Readonly<Record<WorkflowStatus, readonly WorkflowAction[]>> = {
  running: ["cancel"],
  pending_merge: ["approve", "reject", "cancel"],
  blocked: ["retry", "cancel"],
  failed: ["retry", "cancel"],
  completed: [],
  cancelled: [],
};

/** The participle of each action, for a refusal. */
const PARTICIPLES: Readonly<Record<WorkflowAction, string>> = {
  approve: "merged",
  reject: "rejected",
  cancel: "cancelled",
  retry: "retried",
};

/** Whether a daemon may be carrying out an earlier decision, which excludes any other action. */
interface Carried {
  readonly isCarriedOut: boolean;
}

/** Lists the possible actions on a workflow now. */
export function actionsOf(
  { status, decision }: Pick<WorkflowRow, "status" | "decision">,
  { isCarriedOut }: Carried = { isCarriedOut: true },
): readonly WorkflowAction[] {
  return decision === null || !isCarriedOut ? ACTIONS[status] : [];
}

/** Finds the workflow with this id, or of the task with this id. @throws {UserError} WORKFLOW_NOT_FOUND */
export function needWorkflow(db: DatabaseSync, id: string): WorkflowRow {
  const workflow = readWorkflow(db, id) ?? readWorkflowOfTask(db, id);
  if (workflow !== undefined) return workflow;
  throw notFound("workflow", id, { why: "no workflow, and no task with one, has this id" });
}

/** Stores a decision, which the engine carries out. @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND */
export function requestDecision(
  db: DatabaseSync,
  id: string,
  { isCarriedOut = true, ...decided }: Author & Partial<Carried> & {
    readonly decision: Decision;
    readonly text: string | null;
  },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), decided.decision, { isCarriedOut });
  decide(db, workflow, decided);
  return readWorkflow(db, workflow.id)!;
}

/**
 * Rejects or cancels a workflow at once, when no engine runs.
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

/** Resumes a workflow at the steps that stopped it. @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND */
export function requestRetry(
  db: DatabaseSync,
  id: string,
  { isCarriedOut = true, ...terms }: Terms & Partial<Carried>,
): WorkflowRow {
  return resumeWorkflow(db, needAction(needWorkflow(db, id), "retry", { isCarriedOut }), terms);
}

/** The question that stands for a person's review of an agent's work; the person's words are the answer. */
const REVIEW = "Is the work right as it is?";

/**
 * Rejects the work of a workflow, and lets the agent that worked last go on with a person's words about it. That step
 * and the later ones run anew.
 * @throws {UserError} INVALID_STATUS, also when no agent has worked; WORKFLOW_NOT_FOUND
 */
export function sendBack(
  db: DatabaseSync,
  id: string,
  { reason, isCarriedOut = true, ...terms }: Terms & Partial<Carried> & { readonly reason: string },
): WorkflowRow {
  const workflow = needAction(needWorkflow(db, id), "reject", { isCarriedOut });
  const steps = listSteps(db, workflow.id);
  const first = steps.findLastIndex(({ type, status }) =>
    type === "agent" && status !== "superseded"
  );
  const agent = readAgent(db, steps[first]?.agentId ?? "");
  if (agent === undefined) {
    const why = "no agent has worked on it that could be told; nothing was changed";
    const next = `conclaude workflow reject ${workflow.id}`;
    throw refusal("INVALID_STATUS", {
      what: `Cannot send workflow ${workflow.id} back`,
      why,
      next,
    });
  }
  const { by, atMs } = terms;
  reject(db, workflow, { by, reason, atMs });
  const review = {
    type: "input",
    text: REVIEW,
    options: [],
    source: "output",
    origin: null,
  } as const;
  const { taskId, workflowId, stepKey, sessionId } = agent;
  const asker = { taskId, workflowId, stepKey, sessionId, agentId: agent.id };
  const questionId = askQuestion(db, { ...review, ...asker }, atMs)!;
  answerQuestion(db, questionId, { answer: reason, by, atMs });
  for (const { key, attempt } of steps.slice(first)) {
    supersedeStep(db, { workflowId: workflow.id, key, attempt }, atMs);
  }
  return resumeWorkflow(db, readWorkflow(db, workflow.id)!, terms);
}

function needAction(workflow: WorkflowRow, action: WorkflowAction, carried: Carried): WorkflowRow {
  const actions = actionsOf(workflow, carried);
  if (actions.includes(action)) return workflow;
  throw wrongStatus(
    workflow,
    PARTICIPLES[action],
    workflow.decision === null || !carried.isCarriedOut
      ? `then ${actions.length === 0 ? "nothing" : `only ${actions.join(", ")}`} can be asked of it`
      : `"${workflow.decisionBy}" has decided something that is not done yet (${workflow.decision})`,
  );
}

/** Reads the agent with this id. @throws {UserError} AGENT_NOT_FOUND */
export function needAgent(db: DatabaseSync, id: string): Agent {
  const agent = readAgent(db, id);
  if (agent !== undefined) return agent;
  throw notFound("agent", id);
}

/**
 * Requests the end of an agent.
 * @param options.reason Null for a default that names `by`. @throws {UserError} AGENT_NOT_FOUND, INVALID_TRANSITION
 */
export function requestEnd(
  db: DatabaseSync,
  id: string,
  { reason, by, atMs }: Author & { readonly reason: string | null },
): Agent {
  const agent = needAgent(db, id);
  const isOurs = agent.kind !== "subagent";
  if (isOurs && requestKill(db, id, { reason: reason ?? `"${by}" asked for it`, atMs })) {
    return needAgent(db, id);
  }
  const why = isOurs
    ? `it has ended already: ${agent.status}`
    : "it lives inside a session of Claude Code";
  throw refusal("INVALID_TRANSITION", {
    what: `Cannot end agent ${id}`,
    why: `${why}; nothing was changed`,
    next: `conclaude agent show ${id}`,
    details: { currentStatus: agent.status },
  });
}

interface Answered {
  readonly question: Question;
  /** Whether the step that asked goes on with the answer; the engine starts it as soon as there is room. */
  readonly delivered: boolean;
  /** Why the step does not go on; null when it does. */
  readonly deliveryError: string | null;
}

const TOO_LATE = "whoever asked does not wait for it any more";

/**
 * Stores the answer to a question in any case, and resumes the workflow whose step waits for it. Refuses a question that
 * Claude Code asks itself, since its own dialog waits for the answer.
 * @throws {UserError} QUESTION_NOT_FOUND, ALREADY_ANSWERED, INVALID_STATUS, INVALID_INPUT.
 */
export function answer(
  db: DatabaseSync,
  id: string,
  { text, by, ...lasting }: Terms & { readonly text: string },
): Answered {
  const { atMs } = lasting;
  const { status, sessionId, source } = needQuestion(db, id);
  if (status === "pending" && isOfSession({ source })) {
    throw refusal("INVALID_STATUS", {
      what: `Cannot answer question ${id} from here`,
      why: "Claude Code asks it itself, and waits for the answer in its own dialog; " +
        "nothing was changed",
      next: `Answer it where session ${sessionId} runs`,
      details: { questionId: id, sessionId },
    });
  }
  const trimmed = text.trim().toWellFormed();
  if (trimmed === "") {
    throw refusal("INVALID_INPUT", {
      what: `Cannot take the answer to question ${id}`,
      why: "an answer is not empty; nothing was changed",
      next: `conclaude question show ${id}`,
      details: { questionId: id },
    });
  }
  const question = answerQuestion(db, id, { answer: trimmed, by, atMs });
  const deliveryError = deliver(db, question, { ...lasting, by });
  if (deliveryError !== null) markDelivered(db, id, { error: deliveryError, atMs });
  return { question: needQuestion(db, id), delivered: deliveryError === null, deliveryError };
}

type Terms = Lasting & { readonly by: string };

/** Delivers an answer. @returns Why that is impossible; null when it succeeded. */
function deliver(db: DatabaseSync, question: Question, terms: Terms): string | null {
  const { workflowId, stepKey } = question;
  const workflow = workflowId === null ? undefined : readWorkflow(db, workflowId);
  const waits = workflow?.status === "blocked" && workflow.currentStep === stepKey;
  return waits ? resume(db, workflow, terms) : TOO_LATE;
}

/** Resumes a workflow. @returns Why that is impossible; null when it succeeded. */
function resume(db: DatabaseSync, workflow: WorkflowRow, terms: Terms): string | null {
  try {
    allOrNothing(db, () => resumeWorkflow(db, workflow, terms));
    return null;
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return `${thrown.what}: ${thrown.why}`;
  }
}

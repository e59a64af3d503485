/** Records people's requests to workflows and agents, which the engine carries out. In the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { notFound, refusal } from "../refusal.ts";
import * as work from "../store.ts";
import { type Lasting, resumeWorkflow, wrongStatus } from "./advance.ts";
import { reject } from "./reviews.ts";
import { isUserError } from "../../base/errors.ts";
import { isOfSession } from "../../claude/session_changes.ts";
import { allOrNothing } from "../../db/transaction.ts";

export type WorkflowAction = work.Decision | "retry";

const ACTIONS: Readonly<Record<work.WorkflowRow["status"], readonly WorkflowAction[]>> = {
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

/**
 * Lists the possible actions on a workflow now.
 * @param hasDaemon Whether a daemon may run, and carry out an earlier decision, which excludes any other action.
 */
export function actionsOf(
  { status, decision }: Pick<work.WorkflowRow, "status" | "decision">,
  hasDaemon = true,
): readonly WorkflowAction[] {
  return decision === null || !hasDaemon ? ACTIONS[status] : [];
}

/** Finds the workflow with this id, or of the task with this id. @throws {UserError} WORKFLOW_NOT_FOUND */
export function needWorkflow(db: DatabaseSync, id: string): work.WorkflowRow {
  const workflow = work.readWorkflow(db, id) ?? work.readWorkflowOfTask(db, id);
  if (workflow !== undefined) return workflow;
  throw notFound("workflow", id, { why: "no workflow, and no task with one, has this id" });
}

/**
 * Finds a workflow, as {@linkcode needWorkflow} does, on which an action is possible now.
 * @throws {UserError} INVALID_STATUS, WORKFLOW_NOT_FOUND
 */
export function needAction(
  db: DatabaseSync,
  id: string,
  action: WorkflowAction,
  hasDaemon = true,
): work.WorkflowRow {
  const workflow = needWorkflow(db, id);
  const { decision, decisionBy } = workflow;
  const actions = actionsOf(workflow, hasDaemon);
  if (actions.includes(action)) return workflow;
  const only = actions.length === 0 ? "nothing" : `only ${actions.join(", ")}`;
  throw wrongStatus(
    workflow,
    PARTICIPLES[action],
    decision === null || !hasDaemon
      ? `then ${only} can be asked of it`
      : `"${decisionBy}" has decided something that is not done yet (${decision})`,
  );
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
  { reason, hasDaemon, ...terms }: Terms & {
    readonly reason: string;
    readonly hasDaemon?: boolean;
  },
): work.WorkflowRow {
  const workflow = needAction(db, id, "reject", hasDaemon);
  const steps = work.listSteps(db, workflow.id);
  const first = steps.findLastIndex(({ type, status }) =>
    type === "agent" && status !== "superseded"
  );
  const agent = work.readAgent(db, steps[first]?.agentId ?? null);
  if (agent === undefined) {
    throw refusal("INVALID_STATUS", {
      what: `Cannot send workflow ${workflow.id} back`,
      why: "no agent has worked on it, so none can go on with it; nothing was changed",
      next: `conclaude workflow reject ${workflow.id}`,
    });
  }
  const { by, atMs } = terms;
  reject(db, workflow, { by, reason, atMs });
  const { id: agentId, taskId, workflowId, stepKey, sessionId } = agent;
  const questionId = work.askQuestion(db, {
    type: "input",
    text: REVIEW,
    options: [],
    source: "output",
    origin: null,
    agentId,
    taskId,
    workflowId,
    stepKey,
    sessionId,
  }, atMs)!;
  work.answerQuestion(db, questionId, { answer: reason, by, atMs });
  for (const step of steps.slice(first)) work.supersedeStep(db, workflow.id, step, atMs);
  return resumeWorkflow(db, work.readWorkflow(db, workflow.id)!, terms);
}

export function needAgent(db: DatabaseSync, id: string): work.Agent {
  const agent = work.readAgent(db, id);
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
  { reason, by, atMs }: work.Author & { readonly reason: string | null },
): work.Agent {
  const agent = needAgent(db, id);
  const isOurs = agent.kind !== "subagent";
  if (isOurs && work.requestKill(db, id, { reason: reason ?? `"${by}" asked for it`, atMs })) {
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

/**
 * Stores the answer to a question in any case, and resumes the workflow whose step waits for it: the engine starts the
 * step as soon as there is room. Refuses a question that Claude Code asks itself, since its own dialog waits for the
 * answer.
 * @returns `deliveryError`: why the step does not go on; null when it does.
 * @throws {UserError} QUESTION_NOT_FOUND, ALREADY_ANSWERED, INVALID_STATUS, INVALID_INPUT.
 */
export function answer(
  db: DatabaseSync,
  id: string,
  { text, ...terms }: Terms & { readonly text: string },
) {
  const { by, atMs } = terms;
  const { status, sessionId, source } = work.needQuestion(db, id);
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
  const question = work.answerQuestion(db, id, { answer: trimmed, by, atMs });
  const deliveryError = deliver(db, question, terms);
  if (deliveryError !== null) work.markDelivered(db, id, { error: deliveryError, atMs });
  return { question: work.needQuestion(db, id), delivered: deliveryError === null, deliveryError };
}

type Terms = Lasting & { readonly by: string };

/** Resumes the workflow that waits for an answer. @returns Why that is impossible; null when it succeeded. */
function deliver(
  db: DatabaseSync,
  { workflowId, stepKey }: work.Question,
  terms: Terms,
): string | null {
  const workflow = work.readWorkflow(db, workflowId);
  if (workflow?.status !== "blocked" || workflow.currentStep !== stepKey) {
    return "whoever asked does not wait for it any more";
  }
  try {
    allOrNothing(db, () => resumeWorkflow(db, workflow, terms));
    return null;
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return `${thrown.what}: ${thrown.why}`;
  }
}

/** Keeps answers to questions and delivers them to the agents that asked, in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError } from "../../base/errors.ts";
import { refusal } from "../refusal.ts";
import { type Agent, readAgent } from "../agents_table.ts";
import { allOrNothing } from "../../db/transaction.ts";
import {
  answerQuestion,
  listQuestions,
  markDelivered,
  needQuestion,
  type Question,
} from "../questions_table.ts";
import { readWorkflow, type WorkflowRow } from "../workflows_table.ts";
import { type Lasting, resumeWorkflow } from "./begin.ts";

export interface Answered {
  readonly question: Question;
  /** Whether the step that asked goes on with the answer: the engine starts it as soon as there is room. */
  readonly delivered: boolean;
  /** Why not; null when it may still be delivered, because the agent has not come to its question yet. */
  readonly deliveryError: string | null;
}

/** A session shows its questions itself, and takes no answer from elsewhere. */
const ELSEWHERE = "answer it where the session runs";

const TOO_LATE = "whoever asked does not wait for it any more";

/**
 * Answers a question. The answer is kept first, whatever becomes of it; the step of a workflow that waits for it goes
 * on.
 *
 * @throws {UserError} QUESTION_NOT_FOUND, ALREADY_ANSWERED, INVALID_INPUT.
 */
export function answer(
  db: DatabaseSync,
  id: string,
  { text, by, ...lasting }: Lasting & { readonly text: string; readonly by: string },
): Answered {
  const { atMs } = lasting;
  needQuestion(db, id);
  const said = text.trim().toWellFormed();
  if (said === "") throw invalid(id, "an answer is not empty");
  const question = answerQuestion(db, id, { answer: said, by, atMs });
  const error = deliver(db, question, { ...lasting, by });
  if (typeof error === "string") markDelivered(db, id, { error, atMs });
  return {
    question: needQuestion(db, id),
    delivered: error === null,
    deliveryError: error ?? null,
  };
}

/** Lets a workflow go on whose agent's question was answered before the agent ended. */
export function goOnIfAnswered(db: DatabaseSync, agent: Agent, lasting: Lasting): void {
  const workflow = agent.workflowId === null ? undefined : readWorkflow(db, agent.workflowId);
  if (workflow === undefined || !waitsAt(workflow, agent.stepKey)) return;
  const question = listQuestions(db, { statuses: ["answered"], agentId: agent.id }).at(-1);
  if (question === undefined) return;
  const error = resume(db, workflow, { ...lasting, by: question.answeredBy ?? "user" });
  if (error !== null) markDelivered(db, question.id, { error, atMs: lasting.atMs });
}

type Terms = Lasting & { readonly by: string };

/** @returns Why the answer cannot be delivered; null when it is; `undefined` while nobody knows yet. */
function deliver(
  db: DatabaseSync,
  { source, workflowId, stepKey, agentId }: Question,
  terms: Terms,
): string | null | undefined {
  if (source === "notification" || source === "elicitation") return ELSEWHERE;
  const workflow = workflowId === null ? undefined : readWorkflow(db, workflowId);
  if (workflow === undefined) return TOO_LATE;
  if (waitsAt(workflow, stepKey)) return resume(db, workflow, terms);
  const agent = agentId === null ? undefined : readAgent(db, agentId);
  const mayWait = workflow.status === "running" && agent !== undefined && agent.endedAtMs === null;
  return mayWait ? undefined : TOO_LATE;
}

function waitsAt({ status, currentStep }: WorkflowRow, stepKey: string | null): boolean {
  return status === "blocked" && currentStep === stepKey;
}

/** @returns Why the workflow cannot go on; null when it does. */
function resume(db: DatabaseSync, workflow: WorkflowRow, terms: Terms): string | null {
  try {
    allOrNothing(db, () => resumeWorkflow(db, workflow, terms));
    return null;
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return `${thrown.what}: ${thrown.why}`;
  }
}

function invalid(questionId: string, why: string) {
  return refusal("INVALID_INPUT", {
    what: `Cannot take the answer to question ${questionId}`,
    why: `${why}; nothing was changed`,
    next: `conclaude question show ${questionId}`,
    details: { questionId },
  });
}

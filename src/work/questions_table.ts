/** Reads questions of agents and sessions, and changes them in the caller's transaction. */
import type { DatabaseSync } from "node:sqlite";
import { notFound, refusal } from "./refusal.ts";
import { recordEvent } from "./events_table.ts";
import type { Fields, RowOf } from "./row_fields.ts";
import { listRows, readRow, tableOf } from "./rows_table.ts";
import { among, insertRow, statement, updateRow } from "../db/statement.ts";

export const QUESTION_FIELDS = {
  /** `q-YYYYMMDDhhmmss-n`, in UTC. */
  id: "text",
  /** The kind of answer; `input` takes any text. */
  type: ["confirmation", "permission", "choice", "input"],
  text: "text",
  options: "texts",
  /** `resolved`: the answer has arrived, or nobody needs it any more. */
  status: ["pending", "answered", "resolved"],
  source: ["output", "notification", "elicitation", "import"],
  taskId: "text?",
  workflowId: "text?",
  stepKey: "text?",
  agentId: "text?",
  sessionId: "text?",
  answer: "text?",
  answeredBy: "text?",
  deliveryError: "text?",
  createdAtMs: "integer",
  answeredAtMs: "integer?",
  deliveredAtMs: "integer?",
  resolvedAtMs: "integer?",
} as const satisfies Fields;

export type Question = RowOf<typeof QUESTION_FIELDS>;

const QUESTIONS = tableOf("questions", QUESTION_FIELDS);

export interface NewQuestion
  extends
    Omit<Question, "id" | "status" | "answer" | "answeredBy" | "deliveryError" | `${string}AtMs`> {
  /** The exact source, which prevents a second copy; null when the question cannot be seen twice. */
  readonly origin: string | null;
}

/** Stores a question. @returns Its id; null when it was stored before. */
export function askQuestion(db: DatabaseSync, question: NewQuestion, atMs: number): string | null {
  const known = question.origin !== null &&
    statement(db, "SELECT 1 FROM questions WHERE origin = ?").get(question.origin) !== undefined;
  if (known) return null;
  const id = freeQuestionId(db, atMs);
  const options = JSON.stringify(question.options);
  insertRow(db, "questions", { ...question, id, options, status: "pending", createdAtMs: atMs });
  recordQuestionEvent(db, "agent.question", id, atMs);
  return id;
}

/** Makes an id: `q-`, the second, and the next number. */
function freeQuestionId(db: DatabaseSync, atMs: number): string {
  const second = new Date(atMs).toISOString().replace(/\D/g, "").slice(0, 14);
  const row = statement(
    db,
    `SELECT max(cast(substr(id, 18) AS INTEGER)) AS last
       FROM questions
      WHERE id GLOB ?`,
  ).get(`q-${second}-*`);
  return `q-${second}-${Number(row?.["last"] ?? 0) + 1}`;
}

/** Stores an answer; the caller delivers it afterwards. @throws {UserError} QUESTION_NOT_FOUND, ALREADY_ANSWERED. */
export function answerQuestion(
  db: DatabaseSync,
  id: string,
  { answer, by, atMs }: { readonly answer: string; readonly by: string; readonly atMs: number },
): Question {
  const question = needQuestion(db, id);
  if (question.status !== "pending") {
    throw refusal("ALREADY_ANSWERED", {
      what: `Question ${id} is not open`,
      why: question.answer === null
        ? "whoever asked has gone on without an answer; nothing was changed"
        : `"${question.answeredBy}" has answered it already; nothing was changed`,
      next: `conclaude question show ${id}`,
      details: { status: question.status, answer: question.answer },
    });
  }
  const change = { status: "answered", answer, answeredBy: by, answeredAtMs: atMs };
  updateRow(db, "questions", id, change);
  recordQuestionEvent(db, "question.answered", id, atMs);
  return needQuestion(db, id);
}

/** Records that an answer has arrived, or why it could not be delivered. */
export function markDelivered(
  db: DatabaseSync,
  id: string,
  { error, atMs }: { readonly error: string | null; readonly atMs: number },
): void {
  const resolved = { status: "resolved", deliveredAtMs: atMs, resolvedAtMs: atMs };
  const delivery = error === null ? resolved : { deliveredAtMs: null, resolvedAtMs: null };
  updateRow(db, "questions", id, { deliveryError: error, ...delivery });
  recordQuestionEvent(db, error === null ? "question.resolved" : "question.undelivered", id, atMs);
}

/** Closes the questions of a workflow that goes on without an answer, or without its delivery. */
export function resolveQuestions(
  db: DatabaseSync,
  workflowId: string,
  { statuses, atMs }: { readonly statuses: readonly Question["status"][]; readonly atMs: number },
): void {
  for (const { id } of listQuestions(db, { workflowId, statuses })) {
    updateRow(db, "questions", id, { status: "resolved", resolvedAtMs: atMs });
    recordQuestionEvent(db, "question.resolved", id, atMs);
  }
}

/** Reads the question with this id. @throws {UserError} QUESTION_NOT_FOUND */
export function needQuestion(db: DatabaseSync, id: string): Question {
  const question = readRow(db, QUESTIONS, id);
  if (question !== undefined) return question;
  throw notFound("question", id);
}

/** Lists questions, the oldest first. A filter that is missing or null lets all through. */
export function listQuestions(
  db: DatabaseSync,
  { statuses, taskId, agentId, workflowId, limit }: {
    readonly statuses?: readonly string[] | null;
    readonly taskId?: string | null | undefined;
    readonly agentId?: string | null | undefined;
    readonly workflowId?: string | null | undefined;
    readonly limit?: number;
  },
): Question[] {
  return listRows(db, QUESTIONS, {
    where: [
      [among("status"), statuses],
      ["task_id = ?", taskId],
      ["agent_id = ?", agentId],
      ["workflow_id = ?", workflowId],
    ],
    order: "created_at_ms, id",
    limit,
  });
}

export function recordQuestionEvent(
  db: DatabaseSync,
  type: string,
  id: string,
  atMs: number,
): void {
  const question = needQuestion(db, id);
  recordEvent(db, { type, entityType: "question", entityId: id, data: { question }, atMs });
}

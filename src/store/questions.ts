/** Questions of agents and sessions. Changes are in the caller's transaction. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { recordEvent } from "./events.ts";
import { statement } from "./statement.ts";

/** What sort of answer a question wants. */
export type QuestionType = "confirmation" | "permission" | "choice" | "input";

/** A question as people and programs see it. */
export interface Question {
  /** `q-YYYYMMDDhhmmss-n`, in UTC. */
  readonly id: string;
  readonly type: QuestionType;
  readonly text: string;
  readonly options: readonly string[];
  /** Pending until it is answered; resolved when the answer has arrived, or is not needed any more. */
  readonly status: "pending" | "answered" | "resolved";
  /** Where it was seen. */
  readonly source: "output" | "notification" | "elicitation" | "import";
  readonly taskId: string | null;
  readonly workflowId: string | null;
  readonly stepKey: string | null;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly answer: string | null;
  readonly answeredBy: string | null;
  readonly deliveryError: string | null;
  readonly createdAtMs: number;
  readonly answeredAtMs: number | null;
  readonly deliveredAtMs: number | null;
  readonly resolvedAtMs: number | null;
}

const COLUMNS =
  `id, type, text, options, status, source, task_id AS taskId, workflow_id AS workflowId,
            step_key AS stepKey, agent_id AS agentId, session_id AS sessionId, answer, answered_by AS answeredBy,
            delivery_error AS deliveryError, created_at_ms AS createdAtMs, answered_at_ms AS answeredAtMs,
            delivered_at_ms AS deliveredAtMs, resolved_at_ms AS resolvedAtMs`;

/** A question that was asked. */
export type NewQuestion =
  & Pick<
    Question,
    | "type"
    | "text"
    | "options"
    | "source"
    | "taskId"
    | "workflowId"
    | "stepKey"
    | "agentId"
    | "sessionId"
  >
  & {
    /** Where exactly it was seen, so that it is written down once; null when that cannot happen twice. */
    readonly origin: string | null;
  };

/** Writes a question down. @returns Its id; null when it was written down before. */
export function askQuestion(db: DatabaseSync, question: NewQuestion, atMs: number): string | null {
  const known = question.origin !== null &&
    statement(db, "SELECT 1 FROM questions WHERE origin = ?").get(question.origin) !== undefined;
  if (known) return null;
  const id = freeQuestionId(db, atMs);
  statement(
    db,
    `INSERT INTO questions (id, type, text, options, status, source, task_id, workflow_id, step_key, agent_id,
                            session_id, origin, created_at_ms)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    question.type,
    question.text,
    JSON.stringify(question.options),
    question.source,
    question.taskId,
    question.workflowId,
    question.stepKey,
    question.agentId,
    question.sessionId,
    question.origin,
    atMs,
  );
  tellQuestion(db, "agent.question", id, atMs);
  return id;
}

/** `q-` and the second, with the first number that is free. */
export function freeQuestionId(db: DatabaseSync, atMs: number): string {
  const second = new Date(atMs).toISOString().replace(/\D/g, "").slice(0, 14);
  const row = statement(
    db,
    `SELECT max(cast(substr(id, 18) AS INTEGER)) AS last
       FROM questions
      WHERE id GLOB ?`,
  ).get(`q-${second}-*`);
  return `q-${second}-${Number(row?.["last"] ?? 0) + 1}`;
}

/**
 * Writes the answer down. It is delivered afterwards.
 *
 * @throws {UserError} QUESTION_NOT_FOUND, ALREADY_ANSWERED.
 */
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
  statement(
    db,
    `UPDATE questions
        SET status = 'answered', answer = ?, answered_by = ?, answered_at_ms = ?
      WHERE id = ?`,
  ).run(answer, by, atMs, id);
  tellQuestion(db, "question.answered", id, atMs);
  return needQuestion(db, id);
}

/** Writes down that an answer has arrived, or why it could not be delivered. */
export function markDelivered(
  db: DatabaseSync,
  id: string,
  { error, atMs }: { readonly error: string | null; readonly atMs: number },
): void {
  statement(
    db,
    `UPDATE questions
        SET delivery_error = ?1, delivered_at_ms = iif(?1 IS NULL, ?2, NULL),
            status = iif(?1 IS NULL, 'resolved', status), resolved_at_ms = iif(?1 IS NULL, ?2, NULL)
      WHERE id = ?3`,
  ).run(error, atMs, id);
  tellQuestion(db, error === null ? "question.resolved" : "question.undelivered", id, atMs);
}

/** Questions that somebody still waits for, or whose answer has not arrived. */
export const UNRESOLVED: readonly Question["status"][] = ["pending", "answered"];

/** Closes questions of an agent, a session or a workflow: whoever asked has gone on without an answer. */
export function resolveQuestions(
  db: DatabaseSync,
  of: { readonly agentId: string } | { readonly sessionId: string } | {
    readonly workflowId: string;
  },
  { statuses, atMs }: { readonly statuses: readonly Question["status"][]; readonly atMs: number },
): void {
  const [column, value] = "agentId" in of
    ? ["agent_id", of.agentId]
    : "sessionId" in of
    ? ["session_id", of.sessionId]
    : ["workflow_id", of.workflowId];
  const rows = statement(
    db,
    `SELECT id
       FROM questions
      WHERE ${column} = ?
        AND status IN (SELECT value FROM json_each(?))`,
  ).all(value, JSON.stringify(statuses));
  for (const row of rows) {
    const id = String(row["id"]);
    statement(db, "UPDATE questions SET status = 'resolved', resolved_at_ms = ? WHERE id = ?")
      .run(atMs, id);
    tellQuestion(db, "question.resolved", id, atMs);
  }
}

/** The question with this id. @throws {UserError} QUESTION_NOT_FOUND */
export function needQuestion(db: DatabaseSync, id: string): Question {
  const row = statement(db, `SELECT ${COLUMNS} FROM questions WHERE id = ?`).get(id);
  if (row !== undefined) return questionOf(row);
  throw refusal("QUESTION_NOT_FOUND", {
    what: `There is no question "${id}"`,
    why: "no question has this id; nothing was changed",
    next: "conclaude question list",
    details: { questionId: id },
  });
}

/** Questions, the oldest first. Null filters let everything through. */
export function listQuestions(
  db: DatabaseSync,
  filter: {
    readonly statuses?: readonly string[] | null;
    readonly taskId?: string | null;
    readonly agentId?: string | null;
    readonly workflowId?: string | null;
    readonly limit?: number;
  },
): Question[] {
  return statement(
    db,
    `SELECT ${COLUMNS}
       FROM questions
      WHERE (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))
        AND (?2 IS NULL OR task_id = ?2)
        AND (?3 IS NULL OR agent_id = ?3)
        AND (?4 IS NULL OR workflow_id = ?4)
      ORDER BY created_at_ms, id
      LIMIT ?5`,
  ).all(
    filter.statuses ? JSON.stringify(filter.statuses) : null,
    filter.taskId ?? null,
    filter.agentId ?? null,
    filter.workflowId ?? null,
    filter.limit ?? -1,
  ).map(questionOf);
}

/** Writes the event of a question. */
export function tellQuestion(db: DatabaseSync, type: string, id: string, atMs: number): void {
  const question = needQuestion(db, id);
  recordEvent(db, { type, entityType: "question", entityId: id, data: { question }, atMs });
}

function questionOf(row: Readonly<Record<string, SQLOutputValue>>): Question {
  return { ...row, options: JSON.parse(String(row["options"])) } as unknown as Question;
}

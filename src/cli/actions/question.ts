/** Questions of agents and sessions, and their answers. */
import { plain } from "../../capture/plain.ts";
import { answer } from "../../engine/answers.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { listQuestions, needQuestion, type Question } from "../../store/questions.ts";
import { readTask } from "../../store/tasks.ts";
import { readWorkflow } from "../../store/workflows.ts";
import { relativeTime } from "../../time.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere, startDaemon } from "../daemon_here.ts";
import { knownTaskId } from "../id_lookup.ts";
import { lastingOf } from "../orchestration_here.ts";
import { openKeptStore, openStore } from "../store.ts";
import { type Column, tableText } from "../table.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf, readStdin } from "../task_text.ts";
import { nameOf, shortTaskId, valueText } from "../task_view.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";

/** Which questions are wanted. */
export type ListFlags = {
  readonly all: boolean;
  readonly task?: string;
  readonly limit: number;
};

const COLUMNS: readonly Column<Question>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "TYPE", value: ({ type }) => type },
  { title: "STATUS", value: ({ status }) => status },
  { title: "TASK", value: ({ taskId }) => taskId === null ? null : shortTaskId(taskId) },
  { title: "QUESTION", value: ({ text }) => valueText(text) },
];

/** `conclaude question list` */
export async function listAll(context: CliContext, flags: ListFlags): Promise<View> {
  const { db } = await openStore(context, "read");
  const { limit, all } = flags;
  const found = listQuestions(db, {
    statuses: all ? null : ["pending"],
    taskId: flags.task === undefined ? null : knownTaskId(db, flags.task),
    limit: limit + 1,
  });
  const questions = found.slice(0, limit);
  const more = found.length > limit;
  const table = tableText(questions, COLUMNS, {
    empty: all ? "No questions." : "Nobody asks anything.",
    color: context.globals.color,
  });
  return { json: { questions, more }, text: more ? `${table}\n… and more: --limit` : table };
}

/** `conclaude question show ID` */
export async function showQuestion(
  context: CliContext,
  _flags: object,
  id: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const question = needQuestion(db, id.trim());
  const task = question.taskId === null ? undefined : readTask(db, question.taskId);
  const options = question.options.length > 0
    ? question.options
    : question.type === "permission"
    ? ["allow", "deny"]
    : [];
  const facts: readonly (readonly [string, string | null])[] = [
    ["id", question.id],
    ["type", question.type],
    ["status", question.status],
    ["options", options.join(", ") || null],
    ["task", task === undefined ? question.taskId : nameOf(task)],
    ["step", question.stepKey],
    ["session", question.sessionId],
    ["asked", relativeTime(question.createdAtMs, Date.now())],
    ["answer", question.answer],
    ["answered by", question.answeredBy],
    ["not delivered", question.deliveryError],
  ];
  return {
    json: { question },
    text: [
      ...question.text.split("\n"),
      ...facts.filter(([, value]) => value !== null)
        .map(([name, value]) => `  ${`${name}:`.padEnd(15)}${value}`),
    ].map(plain).join("\n"),
  };
}

/** `conclaude question answer ID TEXT` */
export async function answerOne(
  context: CliContext,
  flags: ByFlag & { readonly stdin: boolean },
  id: string,
  said?: string,
): Promise<View> {
  if (flags.stdin === (said !== undefined)) {
    throw usageError("Cannot tell what the answer is", {
      why: flags.stdin ? "there is a text beside --stdin" : "there is neither a text nor --stdin",
      next: "conclaude question answer --help",
    });
  }
  const by = authorOf(context, flags);
  const given = said ?? readStdin(context);
  const { db, place } = await openKeptStore(context, "answer a question");
  const { workflowId } = needQuestion(db, id.trim());
  const project = workflowId === null ? null : readWorkflow(db, workflowId)?.projectDir ?? null;
  const text = checkBody((await maskerOf(place.config))(given));
  const lasting = lastingOf(context, place, project);
  const { question, delivered, deliveryError } = transaction(
    db,
    () => answer(db, id.trim(), { ...lasting, text, by }),
  );
  const way = isDaemonHere(context, place) ? "" : ` The daemon runs it: ${startDaemon(context)}`;
  const told = delivered
    ? `${question.stepKey} goes on with the answer.${way}`
    : deliveryError === null
    ? "The answer is recorded; the agent gets it when it has come to its question."
    : `The answer is recorded, and not delivered: ${deliveryError}`;
  return {
    json: { question, delivered, ...deliveryError === null ? {} : { deliveryError } },
    text: plain(told),
  };
}

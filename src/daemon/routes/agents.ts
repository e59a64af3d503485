/** Routes for agents and their questions. */
import * as z from "zod/mini";
import { agentFiles, readOutputPage } from "../../work/engine/agent_files.ts";
import { answer, needAgent, requestEnd } from "../../work/engine/requests.ts";
import { withWanted } from "../../operations/open_here.ts";
import { refusal } from "../../work/refusal.ts";
import { checkBody } from "../../work/task_input.ts";
import { AGENT_FIELDS, listAgents, listQuestions, needQuestion } from "../../work/store.ts";
import { titled, withTaskTitles } from "../task_titles.ts";
import { type Call, type Daemon, type Route, routesOf } from "../route.ts";
import { agentSchema, fields, isSet, listOf, paged, questionSchema, words } from "../schemas.ts";

const route = routesOf("agents");
const questionRoute = routesOf("questions");
const oneAgent = z.object({ agent: agentSchema });
const oneAnswer = z.object({
  question: questionSchema,
  delivered: z.boolean(),
  deliveryError: z.optional(z.string()),
});

export const agentRoutes: readonly Route[] = [
  route({
    name: "GET /agents",
    query: z.strictObject({
      ...words("status", "kind", "taskId", "sessionId", "workflowId"),
      hasTree: z.optional(fields.flag),
      limit: fields.limit,
    }),
    response: z.object({ agents: z.array(z.extend(agentSchema, titled)), more: z.boolean() }),
    handle: ({ db }, { query: { status, kind, limit, hasTree, ...query } }) => {
      const statuses = listOf("status", status, AGENT_FIELDS.status);
      const kinds = listOf("kind", kind, AGENT_FIELDS.kind);
      const filter = { statuses, kinds, hasTree: isSet(hasTree), ...query };
      const list = (limit: number) => withTaskTitles(db, listAgents(db, { ...filter, limit }));
      return paged("agents", limit, list);
    },
  }),
  route({
    name: "GET /agents/:id",
    response: oneAgent,
    errors: ["AGENT_NOT_FOUND"],
    handle: ({ db }, { id }) => ({ agent: needAgent(db, id) }),
  }),
  route({
    name: "GET /agents/:id/output",
    query: z.strictObject({
      since: z.optional(fields.number(0, Number.MAX_SAFE_INTEGER)),
      limit: z.optional(fields.number(1, 10_000)),
    }),
    response: z.object({
      taskId: z.nullable(z.string()),
      lines: z.array(z.object({
        seq: z.int(),
        ts: z.string(),
        stream: z.enum(["stdout", "stderr"]),
        data: z.string(),
      })),
      lineCount: z.int(),
      lastSeq: z.int(),
      more: z.boolean(),
    }),
    errors: ["AGENT_NOT_FOUND"],
    handle: ({ db, database }, { id, query: { since = 0, limit = 1_000 } }) => {
      const { taskId } = needAgent(db, id);
      const page = readOutputPage(agentFiles(database, id).output, { since, limit });
      return { taskId, ...page, lineCount: page.lines.length };
    },
  }),
  route({
    name: "POST /agents/:id/kill",
    status: 202,
    body: z.strictObject({ reason: z.optional(fields.text) }),
    response: oneAgent,
    errors: ["AGENT_NOT_FOUND", "INVALID_TRANSITION"],
    handle: ({ db, redact }, { id, body, author }) => {
      const reason = body.reason === undefined ? null : redact(checkBody(body.reason));
      return { agent: requestEnd(db, id, { ...author, reason }) };
    },
  }),
  route({
    name: "POST /agents/:id/respond",
    forPerson: true,
    body: z.strictObject({ response: fields.text }),
    response: oneAnswer,
    errors: ["AGENT_NOT_FOUND", "QUESTION_NOT_FOUND", "INVALID_STATUS"],
    handle: (daemon, { id, body, author }) => {
      const agentId = needAgent(daemon.db, id).id;
      const [open] = listQuestions(daemon.db, { agentId, statuses: ["pending"], limit: 1 });
      if (open !== undefined) return answerWith(daemon, open.id, body.response, author);
      throw refusal("QUESTION_NOT_FOUND", {
        what: `Agent ${agentId} asks nothing`,
        why: "none of its questions is open; nothing was changed",
        next: "conclaude question list",
        details: { agentId },
      });
    },
  }),
  questionRoute({
    name: "GET /questions",
    query: z.strictObject({
      pending: z.optional(fields.flag),
      ...words("taskId", "agentId", "workflowId"),
      limit: fields.limit,
    }),
    response: z.object({
      questions: z.array(z.extend(questionSchema, { ...titled, wanted: z.nullable(z.string()) })),
      more: z.boolean(),
    }),
    handle: ({ db }, { query: { pending, limit, ...query } }) => {
      // Lists only open questions, unless `pending=false`.
      const statuses = pending === undefined || isSet(pending) ? ["pending"] : null;
      const list = (limit: number) =>
        withWanted(db, listQuestions(db, { statuses, limit, ...query }));
      return paged("questions", limit, (limit) => withTaskTitles(db, list(limit)));
    },
  }),
  questionRoute({
    name: "GET /questions/:id",
    response: z.object({ question: questionSchema }),
    errors: ["QUESTION_NOT_FOUND"],
    handle: ({ db }, { id }) => ({ question: needQuestion(db, id) }),
  }),
  questionRoute({
    name: "POST /questions/:id/answer",
    forPerson: true,
    body: z.strictObject({ answer: fields.text }),
    response: oneAnswer,
    errors: ["QUESTION_NOT_FOUND", "ALREADY_ANSWERED", "INVALID_STATUS", "INVALID_INPUT"],
    handle: (daemon, { id, body, author }) => answerWith(daemon, id, body.answer, author),
  }),
];

function answerWith(
  { db, redact, lasting }: Daemon,
  id: string,
  given: string,
  author: Call["author"],
) {
  const terms = { ...lasting(author.atMs), by: author.by, text: redact(checkBody(given)) };
  const { deliveryError, ...rest } = answer(db, id, terms);
  return deliveryError === null ? rest : { ...rest, deliveryError };
}

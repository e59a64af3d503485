/** Routes of agents and of what they ask. */
import * as z from "zod/mini";
import { agentFiles } from "../../engine/agent_files.ts";
import { needAgent, requestEnd } from "../../engine/agent_requests.ts";
import { answer } from "../../engine/answers.ts";
import { readOutputPage } from "../../engine/output_page.ts";
import { refusal } from "../../orchestration/refusal.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { listAgents } from "../../store/agents.ts";
import { listQuestions, needQuestion } from "../../store/questions.ts";
import { type Daemon, type Route, route } from "../route.ts";
import { agentSchema, fields, isSet, listOf, questionSchema, wordOf } from "../schemas.ts";

const oneAgent = z.object({ agent: agentSchema });
const oneQuestion = z.object({ question: questionSchema });
const oneAnswer = z.object({
  question: questionSchema,
  delivered: z.boolean(),
  deliveryError: z.optional(z.string()),
});
const checkAgentStatus = wordOf(agentSchema.shape.status, "status");
const checkKind = wordOf(agentSchema.shape.kind, "kind");

export const agentRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/agents",
    summary: "Lists agents, the newest first; commas in a filter mean or",
    tag: "agents",
    query: z.strictObject({
      status: z.optional(fields.words),
      kind: z.optional(fields.words),
      taskId: z.optional(fields.words),
      sessionId: z.optional(fields.words),
      workflowId: z.optional(fields.words),
      limit: z.optional(fields.number(1, 1_000)),
    }),
    response: z.object({ agents: z.array(agentSchema), more: z.boolean() }),
    handle: ({ db }, { query }) => {
      const limit = query.limit ?? 100;
      const agents = listAgents(db, {
        statuses: listOf(query.status, checkAgentStatus),
        kinds: listOf(query.kind, checkKind),
        taskId: query.taskId ?? null,
        sessionId: query.sessionId ?? null,
        workflowId: query.workflowId ?? null,
        limit: limit + 1,
      });
      return { agents: agents.slice(0, limit), more: agents.length > limit };
    },
  }),
  route({
    method: "GET",
    path: "/agents/:id",
    summary: "Shows an agent",
    tag: "agents",
    response: oneAgent,
    errors: ["AGENT_NOT_FOUND"],
    handle: (daemon, { params }) => ({ agent: needAgent(daemon.db, params["id"]!) }),
  }),
  route({
    method: "GET",
    path: "/agents/:id/output",
    summary: "The lines of an agent's output after the number `since`",
    tag: "agents",
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
    handle: (daemon, { params, query }) => {
      const agent = needAgent(daemon.db, params["id"]!);
      const { output } = agentFiles(daemon.database, agent.id);
      const page = readOutputPage(output, { since: query.since ?? 0, limit: query.limit ?? 1_000 });
      return {
        taskId: agent.taskId,
        lines: [...page.lines],
        lineCount: page.lines.length,
        lastSeq: page.lastSeq,
        more: page.more,
      };
    },
  }),
  route({
    method: "POST",
    path: "/agents/:id/kill",
    summary: "Asks for an agent to be ended",
    tag: "agents",
    status: 202,
    body: z.strictObject({ reason: z.optional(fields.text) }),
    response: oneAgent,
    errors: ["AGENT_NOT_FOUND", "INVALID_TRANSITION"],
    handle: ({ db, redact }, { params, body, author }) => ({
      agent: requestEnd(db, params["id"]!, {
        ...author,
        reason: body.reason === undefined ? null : redact(checkBody(body.reason)),
      }),
    }),
  }),
  route({
    method: "POST",
    path: "/agents/:id/respond",
    summary: "Answers the oldest question of an agent that is open",
    forPerson: true,
    tag: "agents",
    body: z.strictObject({ response: fields.text }),
    response: oneAnswer,
    errors: ["AGENT_NOT_FOUND", "QUESTION_NOT_FOUND"],
    handle: (daemon, { params, body, author }) => {
      const agent = needAgent(daemon.db, params["id"]!);
      const [open] = listQuestions(daemon.db, {
        agentId: agent.id,
        statuses: ["pending"],
        limit: 1,
      });
      if (open === undefined) {
        throw refusal("QUESTION_NOT_FOUND", {
          what: `Agent ${agent.id} asks nothing`,
          why: "none of its questions is open; nothing was changed",
          next: "conclaude question list",
          details: { agentId: agent.id },
        });
      }
      return answered(daemon, open.id, body.response, author);
    },
  }),
  route({
    method: "GET",
    path: "/questions",
    summary: "Lists questions, the oldest first; with pending=false also those that are answered",
    tag: "questions",
    query: z.strictObject({
      pending: z.optional(fields.flag),
      taskId: z.optional(fields.words),
      agentId: z.optional(fields.words),
      workflowId: z.optional(fields.words),
      limit: z.optional(fields.number(1, 1_000)),
    }),
    response: z.object({ questions: z.array(questionSchema), more: z.boolean() }),
    handle: ({ db }, { query }) => {
      const limit = query.limit ?? 100;
      const isPending = query.pending === undefined || isSet(query.pending);
      const questions = listQuestions(db, {
        statuses: isPending ? ["pending"] : null,
        taskId: query.taskId ?? null,
        agentId: query.agentId ?? null,
        workflowId: query.workflowId ?? null,
        limit: limit + 1,
      });
      return { questions: questions.slice(0, limit), more: questions.length > limit };
    },
  }),
  route({
    method: "GET",
    path: "/questions/:id",
    summary: "Shows a question",
    tag: "questions",
    response: oneQuestion,
    errors: ["QUESTION_NOT_FOUND"],
    handle: ({ db }, { params }) => ({ question: needQuestion(db, params["id"]!) }),
  }),
  route({
    method: "POST",
    path: "/questions/:id/answer",
    summary: "Answers a question: the answer is written down first, and delivered then",
    forPerson: true,
    tag: "questions",
    body: z.strictObject({ answer: fields.text }),
    response: oneAnswer,
    errors: ["QUESTION_NOT_FOUND", "ALREADY_ANSWERED", "INVALID_INPUT"],
    handle: (daemon, { params, body, author }) =>
      answered(daemon, params["id"]!, body.answer, author),
  }),
];

function answered(
  { db, redact, leaseMs, workflowTimeoutMs }: Daemon,
  id: string,
  text: string,
  author: { readonly by: string; readonly atMs: number },
) {
  const { question, delivered, deliveryError } = answer(db, id, {
    ...author,
    text: redact(checkBody(text)),
    leaseMs,
    timeoutMs: workflowTimeoutMs,
  });
  return { question, delivered, ...deliveryError === null ? {} : { deliveryError } };
}

/** Routes for workflows, agents and their questions. A route records a person's decision; the engine carries it out. */
import * as z from "zod/mini";
import { withTaskTitles } from "../../operations/task_view.ts";
import { withWanted } from "../../operations/open_here.ts";
import { filesOfAgent, readOutputPage } from "../../work/engine/agent_files.ts";
import { decide, resumeWorkflow } from "../../work/engine/advance.ts";
import * as requests from "../../work/engine/requests.ts";
import { REJECTED } from "../../work/engine/reviews.ts";
import { refusal } from "../../work/refusal.ts";
import * as work from "../../work/store.ts";
import { checkBody } from "../../work/task_input.ts";
import { type Call, type Daemon, type Route, routesOf } from "../route.ts";
import { fields, isSet, listOf, oneTask, paged, rows, titled, words } from "../schemas.ts";

const agentRoute = routesOf("agents");
const oneAgent = { agent: rows.agent };
const optionalReason = { reason: z.optional(fields.text) };

const agentRoutes: readonly Route[] = [
  agentRoute("GET /agents", {
    query: {
      ...words("status", "kind", "taskId", "sessionId", "workflowId"),
      hasTree: z.optional(fields.flag),
      limit: fields.limit,
    },
    response: { agents: z.array(z.extend(rows.agent, titled)), more: z.boolean() },
  }, ({ db }, { query: { status, kind, limit, hasTree, ...query } }) => {
    const statuses = listOf("status", status, work.AGENT_FIELDS.status);
    const kinds = listOf("kind", kind, work.AGENT_FIELDS.kind);
    const filter = { statuses, kinds, hasTree: isSet(hasTree), ...query };
    const list = (limit: number) => withTaskTitles(db, work.listAgents(db, { ...filter, limit }));
    return paged("agents", limit, list);
  }),
  agentRoute("GET /agents/:id", { response: oneAgent }, ({ db }, { id }) => ({
    agent: requests.needAgent(db, id),
  })),
  agentRoute("GET /agents/:id/output", {
    query: {
      since: z.optional(fields.number(0, Number.MAX_SAFE_INTEGER)),
      limit: z.optional(fields.number(1, 10_000)),
    },
    response: {
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
    },
  }, ({ db, database }, { id, query: { since = 0, limit = 1_000 } }) => {
    const { taskId } = requests.needAgent(db, id);
    const page = readOutputPage(filesOfAgent(database, id).output, { since, limit });
    return { taskId, ...page, lineCount: page.lines.length };
  }),
  agentRoute("POST /agents/:id/kill", {
    status: 202,
    body: optionalReason,
    response: oneAgent,
    errors: ["INVALID_TRANSITION"],
  }, (daemon, { id, body: { reason }, author }) => ({
    agent: requests.requestEnd(daemon.db, id, {
      ...author,
      reason: cleanText(daemon, reason) ?? null,
    }),
  })),
];

const questionRoute = routesOf("questions");
const answerOptions = {
  forPerson: true,
  response: {
    question: rows.question,
    delivered: z.boolean(),
    deliveryError: z.optional(z.string()),
  },
} as const;

const questionRoutes: readonly Route[] = [
  agentRoute("POST /agents/:id/respond", {
    ...answerOptions,
    body: { response: fields.text },
    errors: ["QUESTION_NOT_FOUND", "INVALID_STATUS"],
  }, (daemon, { id, body, author }) => {
    const agentId = requests.needAgent(daemon.db, id).id;
    const [open] = work.listQuestions(daemon.db, { agentId, statuses: ["pending"], limit: 1 });
    if (open !== undefined) return answerWith(daemon, open.id, { text: body.response, author });
    throw refusal("QUESTION_NOT_FOUND", {
      what: `Agent ${agentId} asks nothing`,
      why: "none of its questions is open; nothing was changed",
      next: "conclaude question list",
      details: { agentId },
    });
  }),
  questionRoute("GET /questions", {
    query: {
      pending: z.optional(fields.flag),
      ...words("taskId", "agentId", "workflowId"),
      limit: fields.limit,
    },
    response: {
      questions: z.array(z.extend(rows.question, { ...titled, wanted: z.nullable(z.string()) })),
      more: z.boolean(),
    },
  }, ({ db }, { query: { pending, limit, ...query } }) => {
    // Lists only open questions, unless `pending=false`.
    const statuses = pending === undefined || isSet(pending) ? ["pending"] : null;
    return paged(
      "questions",
      limit,
      (limit) =>
        withTaskTitles(db, withWanted(db, work.listQuestions(db, { statuses, limit, ...query }))),
    );
  }),
  questionRoute("GET /questions/:id", {
    response: { question: rows.question },
  }, ({ db }, { id }) => ({ question: work.needQuestion(db, id) })),
  questionRoute("POST /questions/:id/answer", {
    ...answerOptions,
    body: { answer: fields.text },
    errors: ["ALREADY_ANSWERED", "INVALID_STATUS", "INVALID_INPUT"],
  }, (daemon, { id, body, author }) => answerWith(daemon, id, { text: body.answer, author })),
];

const workflowRoute = routesOf("workflows");
const oneWorkflow = { workflow: rows.workflow };

const ownRoutes: readonly Route[] = [
  workflowRoute("GET /workflows", {
    query: { ...words("status", "project"), limit: fields.limit },
    response: {
      workflows: z.array(z.extend(rows.workflow, titled)),
      count: z.int(),
      more: z.boolean(),
    },
  }, ({ db }, { query: { status, limit, ...query } }) => {
    const statuses = listOf("status", status, work.WORKFLOW_FIELDS.status);
    const page = paged(
      "workflows",
      limit,
      (limit) => withTaskTitles(db, work.listWorkflows(db, { statuses, limit, ...query })),
    );
    return { ...page, count: page.workflows.length };
  }),
  workflowRoute("GET /workflows/:id", {
    response: {
      workflow: z.extend(rows.workflow, titled),
      steps: z.array(rows.step),
      actions: z.array(z.enum(["approve", "reject", "cancel", "retry"])),
    },
  }, ({ db }, { id }) => {
    const workflow = requests.needWorkflow(db, id);
    // A step's depth is the number of loops around it.
    const steps = work.listSteps(db, workflow.id)
      .map((step) => ({ ...step, depth: step.key.split("/").length - 1 }));
    const [whole] = withTaskTitles(db, [workflow]);
    return { workflow: whole!, steps, actions: requests.actionsOf(workflow) };
  }),
  workflowRoute("GET /workflows/:id/log", {
    mediaType: "application/x-ndjson",
  }, ({ db }, { id }) => {
    const events = work.listEvents(db, {
      entityId: requests.needWorkflow(db, id).id,
      limit: 10_000,
    });
    return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(""), {
      headers: { "content-type": "application/x-ndjson" },
    });
  }),
  decisionRoute("cancel", { decision: "cancel", forPerson: false }),
  decisionRoute("approve-merge", { decision: "approve", forPerson: true }),
  decisionRoute("reject-merge", { decision: "reject", forPerson: true, fallback: REJECTED }),
  workflowRoute("POST /workflows/:id/send-back", {
    body: { reason: fields.text },
    response: oneWorkflow,
    errors: ["INVALID_STATUS"],
    forPerson: true,
  }, (daemon, { id, body, author: { by, atMs } }) => {
    const reason = cleanText(daemon, body.reason);
    return { workflow: requests.sendBack(daemon.db, id, { ...daemon.lasting(atMs), by, reason }) };
  }),
  workflowRoute("POST /workflows/:id/retry", {
    response: oneWorkflow,
    errors: ["INVALID_STATUS", "ALREADY_CLAIMED", "TASK_NOT_FOUND"],
  }, ({ db, lasting }, { id, author: { by, atMs } }) => ({
    workflow: resumeWorkflow(db, requests.needAction(db, id, "retry"), { ...lasting(atMs), by }),
  })),
  workflowRoute("POST /tasks/:id/stop", {
    status: 202,
    response: oneTask,
    errors: ["INVALID_TRANSITION", "INVALID_STATUS"],
  }, ({ db }, { id, author }) => {
    const task = work.needTask(db, id);
    const workflow = work.readWorkflowOfTask(db, task.id);
    if (workflow !== undefined && workflow.endedAtMs === null) {
      decide(db, requests.needAction(db, workflow.id, "cancel"), { ...author, decision: "cancel" });
      return { task };
    }
    if (task.queuedAtMs !== null) {
      return { task: work.changeTask(db, task, { queuedAtMs: null }, author) };
    }
    throw refusal("INVALID_TRANSITION", {
      what: `Cannot stop task ${task.id}`,
      why: "it has no workflow that runs, and does not wait for one; nothing was changed",
      next: `conclaude task show ${task.id}`,
      details: { currentStatus: task.status },
    });
  }),
];

/** Makes the route of a decision. @param fallback The reason if the request gives none. */
function decisionRoute(
  verb: string,
  { decision, forPerson, fallback = null }: Pick<Route, "forPerson"> & {
    readonly decision: work.Decision;
    readonly fallback?: string | null;
  },
): Route {
  return workflowRoute(`POST /workflows/:id/${verb}`, {
    status: 202,
    body: optionalReason,
    response: oneWorkflow,
    errors: ["INVALID_STATUS"],
    forPerson,
  }, (daemon, { id, body, author }) => {
    const text = cleanText(daemon, body.reason) ?? fallback;
    const workflow = requests.needAction(daemon.db, id, decision);
    return { workflow: decide(daemon.db, workflow, { ...author, decision, text }) };
  });
}

/** Checks a text and masks its secrets. */
function cleanText<Text extends string | undefined>({ redact }: Daemon, text: Text) {
  return (text === undefined ? undefined : redact(checkBody(text))) as Text;
}

function answerWith(
  daemon: Daemon,
  id: string,
  { text, author: { by, atMs } }: Pick<Call, "author"> & { readonly text: string },
) {
  const terms = { ...daemon.lasting(atMs), by, text: cleanText(daemon, text) };
  const { deliveryError, ...rest } = requests.answer(daemon.db, id, terms);
  return deliveryError === null ? rest : { ...rest, deliveryError };
}

export const workflowRoutes: readonly Route[] = [...agentRoutes, ...questionRoutes, ...ownRoutes];

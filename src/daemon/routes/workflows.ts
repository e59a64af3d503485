/** Routes for workflows. A route records a person's decision; the engine carries it out. */
import * as z from "zod/mini";
import { decide, resumeWorkflow } from "../../work/engine/advance.ts";
import { actionsOf, needAction, needWorkflow, sendBack } from "../../work/engine/requests.ts";
import { REJECTED } from "../../work/engine/reviews.ts";
import { refusal } from "../../work/refusal.ts";
import { checkBody } from "../../work/task_input.ts";
import {
  changeTask,
  type Decision,
  listEvents,
  listSteps,
  listWorkflows,
  needTask,
  readWorkflowOfTask,
  WORKFLOW_FIELDS,
} from "../../work/store.ts";
import { type Route, routesOf } from "../route.ts";
import { titled, withTaskTitles } from "../task_titles.ts";
import { fields, listOf, oneTask, paged, stepSchema, words, workflowSchema } from "../schemas.ts";

const route = routesOf("workflows");
const oneWorkflow = z.object({ workflow: workflowSchema });

/** Makes the route of a decision. @param fallback The reason if the request gives none. */
function decisionRoute(
  verb: string,
  { decision, forPerson, fallback = null }: Pick<Route, "forPerson"> & {
    readonly decision: Decision;
    readonly fallback?: string | null;
  },
): Route {
  return route({
    name: `POST /workflows/:id/${verb}`,
    status: 202,
    body: z.strictObject({ reason: z.optional(fields.text) }),
    response: oneWorkflow,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS"],
    forPerson,
    handle: ({ db, redact }, { id, body, author }) => {
      const text = body.reason === undefined ? fallback : redact(checkBody(body.reason));
      return { workflow: decide(db, needAction(db, id, decision), { ...author, decision, text }) };
    },
  });
}

export const workflowRoutes: readonly Route[] = [
  route({
    name: "GET /workflows",
    query: z.strictObject({ ...words("status", "project"), limit: fields.limit }),
    response: z.object({
      workflows: z.array(z.extend(workflowSchema, titled)),
      count: z.int(),
      more: z.boolean(),
    }),
    handle: ({ db }, { query: { status, limit, ...query } }) => {
      const statuses = listOf("status", status, WORKFLOW_FIELDS.status);
      const list = (limit: number) =>
        withTaskTitles(db, listWorkflows(db, { statuses, limit, ...query }));
      const page = paged("workflows", limit, list);
      return { ...page, count: page.workflows.length };
    },
  }),
  route({
    name: "GET /workflows/:id",
    response: z.object({
      workflow: z.extend(workflowSchema, titled),
      steps: z.array(stepSchema),
      actions: z.array(z.enum(["approve", "reject", "cancel", "retry"])),
    }),
    errors: ["WORKFLOW_NOT_FOUND"],
    handle: ({ db }, { id }) => {
      const workflow = needWorkflow(db, id);
      // A step's depth is the number of loops around it.
      const steps = listSteps(db, workflow.id)
        .map((step) => ({ ...step, depth: step.key.split("/").length - 1 }));
      const [whole] = withTaskTitles(db, [workflow]);
      return { workflow: whole!, steps, actions: actionsOf(workflow) };
    },
  }),
  route({
    name: "GET /workflows/:id/log",
    mediaType: "application/x-ndjson",
    errors: ["WORKFLOW_NOT_FOUND"],
    handle: ({ db }, { id }) => {
      const events = listEvents(db, { entityId: needWorkflow(db, id).id, limit: 10_000 });
      return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(""), {
        headers: { "content-type": "application/x-ndjson" },
      });
    },
  }),
  decisionRoute("cancel", { decision: "cancel", forPerson: false }),
  decisionRoute("approve-merge", { decision: "approve", forPerson: true }),
  decisionRoute("reject-merge", { decision: "reject", forPerson: true, fallback: REJECTED }),
  route({
    name: "POST /workflows/:id/send-back",
    body: z.strictObject({ reason: fields.text }),
    response: oneWorkflow,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS"],
    forPerson: true,
    handle: ({ db, lasting, redact }, { id, body, author: { by, atMs } }) => {
      const reason = redact(checkBody(body.reason));
      return { workflow: sendBack(db, id, { ...lasting(atMs), by, reason }) };
    },
  }),
  route({
    name: "POST /workflows/:id/retry",
    response: oneWorkflow,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS", "ALREADY_CLAIMED", "TASK_NOT_FOUND"],
    handle: ({ db, lasting }, { id, author }) => ({
      workflow: resumeWorkflow(db, needAction(db, id, "retry"), {
        ...lasting(author.atMs),
        by: author.by,
      }),
    }),
  }),
  route({
    name: "POST /tasks/:id/stop",
    status: 202,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION", "INVALID_STATUS"],
    handle: ({ db }, { id, author }) => {
      const task = needTask(db, id);
      const workflow = readWorkflowOfTask(db, task.id);
      if (workflow !== undefined && workflow.endedAtMs === null) {
        decide(db, needAction(db, workflow.id, "cancel"), { ...author, decision: "cancel" });
        return { task };
      }
      if (task.queuedAtMs !== null) {
        return { task: changeTask(db, task, { queuedAtMs: null }, author) };
      }
      throw refusal("INVALID_TRANSITION", {
        what: `Cannot stop task ${task.id}`,
        why: "it has no workflow that runs, and does not wait for one; nothing was changed",
        next: `conclaude task show ${task.id}`,
        details: { currentStatus: task.status },
      });
    },
  }),
];

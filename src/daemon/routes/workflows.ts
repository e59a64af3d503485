/** Routes of workflows. What a person wants is written down; the engine does it. */
import * as z from "zod/mini";
import { refusal } from "../../orchestration/refusal.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { listEvents } from "../../store/events.ts";
import { changeTask, needTask } from "../../store/task_changes.ts";
import { type Decision, listWorkflows, readWorkflowOfTask } from "../../store/workflows.ts";
import { listSteps, type StepRow } from "../../store/workflow_steps.ts";
import { type Route, route } from "../route.ts";
import { fields, listOf, stepSchema, taskSchema, wordOf, workflowSchema } from "../schemas.ts";
import {
  actionsOf,
  needWorkflow,
  requestDecision,
  requestRetry,
} from "../../engine/workflow_requests.ts";

const tag = "workflows";
const oneWorkflow = z.object({ workflow: workflowSchema });
const checkWorkflowStatus = wordOf(workflowSchema.shape.status, "status");

/** A step with how many loops it stands in. */
function withDepth(step: StepRow) {
  return { ...step, depth: step.key.split("/").length - 1 };
}

function decision(
  verb: string,
  what: {
    readonly decision: Decision;
    readonly summary: string;
    readonly text: string | null;
    readonly forPerson?: true;
  },
): Route {
  return route({
    method: "POST",
    path: `/workflows/:id/${verb}`,
    summary: what.summary,
    tag,
    status: 202,
    body: z.strictObject({ reason: z.optional(fields.text) }),
    response: oneWorkflow,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS"],
    forPerson: what.forPerson ?? false,
    handle: ({ db, redact }, { params, body, author }) => ({
      workflow: requestDecision(db, params["id"]!, {
        ...author,
        decision: what.decision,
        text: body.reason === undefined ? what.text : redact(checkBody(body.reason)),
      }),
    }),
  });
}

export const workflowRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/workflows",
    summary: "Lists workflows, the newest first",
    tag,
    query: z.strictObject({
      status: z.optional(fields.words),
      project: z.optional(fields.words),
      limit: z.optional(fields.number(1, 1_000)),
    }),
    response: z.object({ workflows: z.array(workflowSchema), count: z.int(), more: z.boolean() }),
    handle: ({ db }, { query }) => {
      const limit = query.limit ?? 100;
      const statuses = listOf(query.status, checkWorkflowStatus);
      const found = listWorkflows(db, {
        statuses,
        project: query.project ?? null,
        limit: limit + 1,
      });
      const workflows = found.slice(0, limit);
      return { workflows, count: workflows.length, more: found.length > limit };
    },
  }),
  route({
    method: "GET",
    path: "/workflows/:id",
    summary:
      "Shows a workflow, by its own id or its task's, with its steps and what can be done with it",
    tag,
    response: z.object({
      workflow: workflowSchema,
      steps: z.array(stepSchema),
      actions: z.array(z.enum(["approve", "reject", "cancel", "retry"])),
    }),
    errors: ["WORKFLOW_NOT_FOUND"],
    handle: ({ db }, { params }) => {
      const workflow = needWorkflow(db, params["id"]!);
      return {
        workflow,
        steps: listSteps(db, workflow.id).map(withDepth),
        actions: actionsOf(workflow),
      };
    },
  }),
  route({
    method: "GET",
    path: "/workflows/:id/log",
    summary: "What happened in a workflow, a line of JSON each, as far as events are kept",
    tag,
    mediaType: "application/x-ndjson",
    errors: ["WORKFLOW_NOT_FOUND"],
    handle: ({ db }, { params }) => {
      const { id } = needWorkflow(db, params["id"]!);
      const events = listEvents(db, {
        afterId: 0,
        sinceMs: null,
        type: null,
        entityId: id,
        limit: 10_000,
      });
      return new Response(events.map((event) => `${JSON.stringify(event)}\n`).join(""), {
        headers: { "content-type": "application/x-ndjson" },
      });
    },
  }),
  decision("cancel", {
    decision: "cancel",
    summary: "Ends a workflow; its task is open again, its worktree stays",
    text: null,
  }),
  decision("approve-merge", {
    decision: "approve",
    forPerson: true,
    summary: "Lets the work of a workflow be merged",
    text: null,
  }),
  decision("reject-merge", {
    decision: "reject",
    forPerson: true,
    summary: "Refuses the work of a workflow: workflow and task are blocked",
    text: "merge rejected by user",
  }),
  route({
    method: "POST",
    path: "/workflows/:id/retry",
    summary: "Lets a workflow that is blocked or has failed go on with the step that stopped it",
    tag,
    response: oneWorkflow,
    errors: ["WORKFLOW_NOT_FOUND", "INVALID_STATUS", "ALREADY_CLAIMED", "TASK_NOT_FOUND"],
    handle: ({ db, leaseMs, workflowTimeoutMs }, { params, author }) => ({
      workflow: requestRetry(db, params["id"]!, {
        ...author,
        leaseMs,
        timeoutMs: workflowTimeoutMs,
      }),
    }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/stop",
    summary:
      "Takes a task out of the scheduler's hands: its workflow is cancelled, or it waits no more",
    tag,
    status: 202,
    response: z.object({ task: taskSchema }),
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION", "INVALID_STATUS"],
    handle: ({ db }, { params, author }) => {
      const task = needTask(db, params["id"]!);
      const workflow = readWorkflowOfTask(db, task.id);
      if (workflow !== undefined && workflow.endedAtMs === null) {
        requestDecision(db, workflow.id, { ...author, decision: "cancel", text: null });
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

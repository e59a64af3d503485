/** Routes about who works on a task, and where the task stands. */
import * as z from "zod/mini";
import { refusal } from "../../work/refusal.ts";
import type { Task } from "../../work/task.ts";
import { checkBody } from "../../work/task_input.ts";
import {
  badTransition,
  blockTask,
  claimNext,
  claimTask,
  completeTask,
  needTask,
  releaseTask,
  renewTask,
  takeBackLapsed,
  unblockTask,
} from "../../work/store.ts";
import { type Call, type Daemon, type Route, routesOf } from "../route.ts";
import { fields, isSet, taskSchema } from "../schemas.ts";

const route = routesOf("claims");
const oneTask = z.object({ task: taskSchema });
const claimToken = z.optional(z.nullable(fields.token));
const HOLDER_ERRORS = ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"] as const;

function claimantOf({ lasting }: Daemon, { author }: Pick<Call, "author">) {
  return { ...lasting(author.atMs), by: author.by };
}

/** Takes back the claims that were not renewed, so that their tasks can be claimed. */
function takeBack({ db, metrics }: Daemon, atMs: number): void {
  metrics.add("lease_expiries", takeBackLapsed(db, atMs).length);
}

/** What becomes of the open tasks below one that is closed. */
const below = { withChildren: z.optional(z.boolean()), force: z.optional(z.boolean()) };
const CLOSING_ERRORS = ["HAS_OPEN_CHILDREN", "HAS_ACTIVE_CHILDREN"] as const;

const newStatus = z.strictObject({
  status: fields.status,
  reason: z.optional(fields.text),
  summary: z.optional(fields.text),
  claimToken,
  ...below,
});

export const claimRoutes: readonly Route[] = [
  route({
    name: "POST /tasks/claim-next",
    summary: "Claims the first task that is ready; null when there is none",
    body: z.strictObject({ project: z.optional(z.nullable(fields.path)) }),
    response: z.object({ task: z.nullable(taskSchema) }),
    handle: (daemon, call) => {
      takeBack(daemon, call.author.atMs);
      const project = call.body.project ?? null;
      return { task: claimNext(daemon.db, claimantOf(daemon, call), project) ?? null };
    },
  }),
  route({
    name: "POST /tasks/:id/claim",
    summary:
      "Claims a task: it is the caller's until it is given back, done, or the lease runs out",
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "ALREADY_CLAIMED", "INVALID_STATUS"],
    handle: (daemon, call) => {
      takeBack(daemon, call.author.atMs);
      return { task: claimTask(daemon.db, call.id, claimantOf(daemon, call)) };
    },
  }),
  route({
    name: "POST /tasks/:id/renew",
    summary: "Lets a claim count for a whole lease from now on",
    body: z.strictObject({ claimToken }),
    response: oneTask,
    errors: HOLDER_ERRORS,
    handle: (daemon, call) => {
      const terms = { ...claimantOf(daemon, call), token: call.body.claimToken ?? null };
      return { task: renewTask(daemon.db, call.id, terms) };
    },
  }),
  route({
    name: "POST /tasks/:id/release",
    summary: "Gives a task back; with force also somebody else's",
    query: z.strictObject({ force: z.optional(fields.flag) }),
    body: z.strictObject({ force: z.optional(z.boolean()) }),
    response: oneTask,
    errors: HOLDER_ERRORS,
    handle: ({ db }, { id, query, body, author }) => ({
      task: releaseTask(db, id, { ...author, force: body.force ?? isSet(query.force) }),
    }),
  }),
  route({
    name: "POST /tasks/:id/complete",
    summary: "Closes a task that the caller has claimed, or a blocked one",
    body: z.strictObject({ summary: z.optional(z.nullable(fields.body)), claimToken, ...below }),
    response: oneTask,
    errors: [...HOLDER_ERRORS, ...CLOSING_ERRORS],
    handle: ({ db, redact }, { id, body, author }) => {
      const { claimToken: token = null, ...terms } = body;
      const summary = body.summary ? redact(checkBody(body.summary)) : null;
      return { task: completeTask(db, id, { ...author, ...terms, token, summary }) };
    },
  }),
  route({
    name: "POST /tasks/:id/block",
    summary: "Says that a claimed task cannot go on, and gives up the claim",
    body: z.strictObject({ reason: fields.text, claimToken }),
    response: oneTask,
    errors: HOLDER_ERRORS,
    handle: ({ db, redact }, { id, body, author }) => {
      const reason = redact(checkBody(body.reason));
      return { task: blockTask(db, id, { ...author, token: body.claimToken ?? null, reason }) };
    },
  }),
  route({
    name: "POST /tasks/:id/unblock",
    summary: "Lets a blocked task be claimed again",
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION"],
    handle: ({ db }, { id, author }) => ({ task: unblockTask(db, id, author) }),
  }),
  route({
    name: "PATCH /tasks/:id/status",
    summary: "Brings a task where it may go from where it stands",
    body: newStatus,
    response: oneTask,
    errors: [...HOLDER_ERRORS, ...CLOSING_ERRORS, "INVALID_STATUS", "ALREADY_CLAIMED"],
    handle: (daemon, call) => ({ task: changeStatus(daemon, call) }),
  }),
];

/** Changes the status of a task as the verb for that status does. Only a workflow makes a task wait for its merge. */
function changeStatus(daemon: Daemon, call: Call<unknown, z.output<typeof newStatus>>): Task {
  const { db, redact } = daemon;
  const { author, body: { status: to, reason, summary, claimToken: token = null, ...terms } } =
    call;
  const task = needTask(db, call.id);
  if (to === task.status) return task;
  if (to === "in_progress") return claimTask(db, task.id, claimantOf(daemon, call));
  if (to === "open" && task.status === "blocked") return unblockTask(db, task.id, author);
  if (to === "open") return releaseTask(db, task.id, { ...author, force: false });
  if (to === "closed") {
    const text = summary === undefined ? null : redact(checkBody(summary));
    return completeTask(db, task.id, { ...author, ...terms, token, summary: text });
  }
  if (to !== "blocked") throw badTransition(task, to);
  if (reason !== undefined) {
    return blockTask(db, task.id, { ...author, token, reason: redact(checkBody(reason)) });
  }
  throw refusal("INVALID_INPUT", {
    what: `Task ${task.id} cannot become blocked`,
    why: "there is no reason; nothing was changed",
    next: "send a reason",
    details: { path: "reason" },
  });
}

/** Routes about who works on a task, and where it stands. */
import * as z from "zod/mini";
import { refusal } from "../../orchestration/refusal.ts";
import type { Task } from "../../orchestration/task.ts";
import { checkBody, checkStatus } from "../../orchestration/task_input.ts";
import { needTask } from "../../store/task_changes.ts";
import {
  claimNext,
  claimTask,
  needClaim,
  releaseTask,
  renewClaim,
  takeBackLapsed,
} from "../../store/task_claims.ts";
import { badTransition, blockTask, completeTask, unblockTask } from "../../store/task_life.ts";
import { readTask } from "../../store/tasks.ts";
import { type Call, type Daemon, type Route, route } from "../route.ts";
import { fields, taskSchema } from "../schemas.ts";

const tag = "claims";
const oneTask = z.object({ task: taskSchema });
const token = z.optional(z.nullable(fields.token));

function claimantOf({ leaseMs }: Daemon, { author }: Pick<Call<unknown, unknown>, "author">) {
  return { agentId: author.by, leaseMs, atMs: author.atMs };
}

/** Takes back the claims that were not renewed, so that their tasks can be claimed. */
function takeBack({ db, metrics }: Daemon, atMs: number): void {
  metrics.add("lease_expiries", takeBackLapsed(db, atMs).length);
}

export const claimRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/tasks/claim-next",
    summary: "Claims the first task that is ready; null when there is none",
    tag,
    body: z.strictObject({ project: z.optional(z.nullable(fields.path)) }),
    response: z.object({ task: z.nullable(taskSchema) }),
    handle: (daemon, call) => {
      takeBack(daemon, call.author.atMs);
      const project = call.body.project ?? null;
      return { task: claimNext(daemon.db, claimantOf(daemon, call), project) ?? null };
    },
  }),
  route({
    method: "POST",
    path: "/tasks/:id/claim",
    summary:
      "Claims a task: it is the caller's until it is given back, done, or the lease runs out",
    tag,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "ALREADY_CLAIMED", "INVALID_STATUS"],
    handle: (daemon, call) => {
      takeBack(daemon, call.author.atMs);
      return { task: claimTask(daemon.db, call.params["id"]!, claimantOf(daemon, call)) };
    },
  }),
  route({
    method: "POST",
    path: "/tasks/:id/renew",
    summary: "Lets a claim count for a whole lease from now on",
    tag,
    body: z.strictObject({ claimToken: token }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"],
    handle: ({ db, leaseMs }, { params, body, author }) => {
      const id = params["id"]!;
      const { claimToken } = needClaim(db, id, {
        agentId: author.by,
        token: body.claimToken ?? null,
        atMs: author.atMs,
        wants: "renewed",
        to: ["in_progress"],
      });
      const untilMs = author.atMs + leaseMs;
      renewClaim(db, id, { agentId: author.by, token: claimToken!, untilMs });
      return { task: readTask(db, id) };
    },
  }),
  route({
    method: "POST",
    path: "/tasks/:id/release",
    summary: "Gives a task back; with force also somebody else's",
    tag,
    query: z.strictObject({ force: z.optional(fields.flag) }),
    body: z.strictObject({ force: z.optional(z.boolean()) }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"],
    handle: ({ db }, { params, query, body, author }) => {
      const force = body.force ?? (query.force === "true" || query.force === "1");
      return { task: releaseTask(db, params["id"]!, { ...author, force }) };
    },
  }),
  route({
    method: "POST",
    path: "/tasks/:id/complete",
    summary: "Closes a task that the caller has claimed, or a blocked one",
    tag,
    body: z.strictObject({ summary: z.optional(z.nullable(fields.body)), claimToken: token }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"],
    handle: (daemon, { params, body, author }) => ({
      task: completeTask(daemon.db, params["id"]!, {
        ...author,
        token: body.claimToken ?? null,
        summary: body.summary ? daemon.redact(checkBody(body.summary)) : null,
      }),
    }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/block",
    summary: "Says that a claimed task cannot go on, and gives up the claim",
    tag,
    body: z.strictObject({ reason: fields.text, claimToken: token }),
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "NOT_CLAIM_OWNER", "INVALID_TRANSITION"],
    handle: (daemon, { params, body, author }) => ({
      task: blockTask(daemon.db, params["id"]!, {
        ...author,
        token: body.claimToken ?? null,
        reason: daemon.redact(checkBody(body.reason)),
      }),
    }),
  }),
  route({
    method: "POST",
    path: "/tasks/:id/unblock",
    summary: "Lets a blocked task be claimed again",
    tag,
    response: oneTask,
    errors: ["TASK_NOT_FOUND", "INVALID_TRANSITION"],
    handle: ({ db }, { params, author }) => ({ task: unblockTask(db, params["id"]!, author) }),
  }),
  route({
    method: "PATCH",
    path: "/tasks/:id/status",
    summary: "Brings a task where it may go from where it stands",
    tag,
    body: z.strictObject({
      status: fields.status,
      reason: z.optional(fields.text),
      summary: z.optional(fields.text),
      claimToken: token,
    }),
    response: oneTask,
    errors: [
      "TASK_NOT_FOUND",
      "INVALID_TRANSITION",
      "INVALID_STATUS",
      "ALREADY_CLAIMED",
      "NOT_CLAIM_OWNER",
    ],
    handle: (daemon, call) => ({ task: moved(daemon, call) }),
  }),
];

/** Brings a task to a status by the verb that leads there. Only a workflow brings it to a merge. */
function moved(
  daemon: Daemon,
  call: Call<unknown, {
    readonly status: string;
    readonly reason?: string | undefined;
    readonly summary?: string | undefined;
    readonly claimToken?: number | null | undefined;
  }>,
): Task {
  const { db, redact } = daemon;
  const { author, body } = call;
  const task = needTask(db, call.params["id"]!);
  const token = body.claimToken ?? null;
  const to = checkStatus(body.status);
  if (to === task.status) return task;
  if (to === "in_progress") return claimTask(db, task.id, claimantOf(daemon, call));
  if (to === "open" && task.status === "blocked") return unblockTask(db, task.id, author);
  if (to === "open") return releaseTask(db, task.id, { ...author, force: false });
  if (to === "closed") {
    const summary = body.summary === undefined ? null : redact(checkBody(body.summary));
    return completeTask(db, task.id, { ...author, token, summary });
  }
  if (to === "blocked" && body.reason === undefined) {
    throw refusal("INVALID_INPUT", {
      what: `Task ${task.id} cannot become blocked`,
      why: "there is no reason; nothing was changed",
      next: "send a reason",
      details: { path: "reason" },
    });
  }
  if (to === "blocked") {
    return blockTask(db, task.id, { ...author, token, reason: redact(checkBody(body.reason!)) });
  }
  throw badTransition(task, to);
}

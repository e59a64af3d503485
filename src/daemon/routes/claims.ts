/** Routes for claims and the status of tasks. */
import * as z from "zod/mini";
import { refusal } from "../../work/refusal.ts";
import type { Task, TaskStatus } from "../../work/task.ts";
import { checkBody } from "../../work/task_input.ts";
import { badTransition, needTask, takeBackLapsed } from "../../work/store.ts";
import { type Asked, askForNext } from "../../operations/shared_claims.ts";
import { THIS_PROCESS } from "../../system/environment.ts";
import { type Call, type Daemon, type Route, routesOf } from "../route.ts";
import { fields, isSet, oneTask, taskSchema } from "../schemas.ts";
import {
  askBefore,
  HOLDER_ERRORS,
  type StepInput,
  takeNext,
  TASK_STEPS,
  type TaskStep,
  type Terms,
} from "../../operations/task_steps.ts";

const route = routesOf("claims");
const claimToken = z.optional(z.nullable(fields.token));

function claimantOf(
  { lasting }: Daemon,
  { author, asked = null }: Pick<Call, "author"> & Partial<Pick<Call, "asked">>,
) {
  return { ...lasting(author.atMs), by: author.by, grant: asked?.grant ?? null };
}

/** Returns what a request to a team's server needs: the database and the environment. */
function placeOf({ db, database }: Daemon) {
  return { db, database, environment: THIS_PROCESS };
}

/** The field with which a request forbids asking a server. */
const offline = z.optional(z.boolean());

/** Asks the team's server for the permission that a step needs. */
async function askFor(
  daemon: Daemon,
  { id, author, body }: Call<unknown, StepInput>,
  step: Pick<TaskStep, "asks">,
): Promise<Asked | null> {
  const { offline = false, claimToken: token = null } = body;
  return await askBefore(placeOf(daemon), step, {
    ...claimantOf(daemon, { author }),
    ...{ id, offline, token },
  });
}

/** Takes back claims that were not renewed, so that others can claim their tasks. */
function takeBack({ db, metrics }: Daemon, atMs: number): void {
  metrics.add("lease_expiries", takeBackLapsed(db, atMs).length);
}

/** The fields that steps take, by the flags of their verbs. */
const STEP_FIELDS = {
  force: z.optional(z.boolean()),
  withChildren: z.optional(z.boolean()),
  summary: z.optional(z.nullable(fields.body)),
  reason: fields.text,
  claimToken,
  offline,
} as const;

const CLOSING_ERRORS = ["HAS_OPEN_CHILDREN", "HAS_ACTIVE_CHILDREN"] as const;

const newStatus = z.strictObject({
  status: fields.status,
  reason: z.optional(fields.text),
  summary: z.optional(fields.text),
  claimToken,
  offline,
  force: STEP_FIELDS.force,
  withChildren: STEP_FIELDS.withChildren,
});

export const claimRoutes: readonly Route[] = [
  route({
    name: "POST /tasks/claim-next",
    body: z.strictObject({ project: z.optional(z.nullable(fields.path)), offline }),
    response: z.object({ task: z.nullable(taskSchema) }),
    errors: ["TEAM_UNREACHED"],
    ask: async (daemon, { author, body: { project = null, offline } }) =>
      offline ? null : await askForNext(placeOf(daemon), project, claimantOf(daemon, { author })),
    handle: (daemon, { author, asked, body: { project = null } }) => {
      takeBack(daemon, author.atMs);
      const claimant = claimantOf(daemon, { author });
      return { task: takeNext(daemon.db, claimant, { project, asked }) ?? null };
    },
  }),
  ...Object.entries<TaskStep>(TASK_STEPS).map(([name, step]) => stepRoute(name, step)),
  route({
    name: "PATCH /tasks/:id/status",
    body: newStatus,
    response: oneTask,
    errors: [
      ...HOLDER_ERRORS,
      ...CLOSING_ERRORS,
      ...["INVALID_STATUS", "ALREADY_CLAIMED", "TEAM_UNREACHED"] as const,
    ],
    ask: (daemon, call) => askFor(daemon, call, stepTo(call.body.status) ?? {}),
    handle: (daemon, call) => ({ task: changeStatus(daemon, call) }),
  }),
];

function stepRoute(name: string, step: TaskStep): Route {
  const { flags, errors, asks, take } = step;
  const taken = Object.entries(STEP_FIELDS).filter(([field]) => Object.hasOwn(flags, field));
  const query: z.ZodMiniType<{ force?: string | undefined }> = Object.hasOwn(flags, "force")
    ? z.strictObject({ force: z.optional(fields.flag) })
    : z.strictObject({});
  return route({
    name: `POST /tasks/:id/${name}`,
    query,
    body: z.strictObject(Object.fromEntries(taken)),
    response: oneTask,
    errors,
    ask: (daemon, call) => askFor(daemon, call as Call<unknown, StepInput>, step),
    handle: (daemon, call) => {
      if (asks === "claim") takeBack(daemon, call.author.atMs);
      const input: StepInput = { force: isSet(call.query.force), ...call.body };
      return { task: take(daemon.db, call.id, termsOf(daemon, call, input)) };
    },
  });
}

function termsOf(
  daemon: Daemon,
  call: Pick<Call, "author" | "asked">,
  { force = false, withChildren = false, claimToken: token = null, summary, reason }: StepInput,
): Terms {
  const given = summary ?? reason;
  const words = given ? daemon.redact(checkBody(given)) : null;
  return { ...claimantOf(daemon, call), token, force, withChildren, words };
}

/** Returns the step that leads to a status; none leads to `pending_merge`, which only a workflow sets. */
function stepTo(status: TaskStatus, from?: TaskStatus): TaskStep | undefined {
  const toOpen = from === "blocked" ? TASK_STEPS.unblock : TASK_STEPS.release;
  const { claim: in_progress, complete: closed, block: blocked } = TASK_STEPS;
  return { in_progress, closed, blocked, open: toOpen, pending_merge: undefined }[status];
}

/** Changes the status of a task by the step that leads to it. */
function changeStatus(daemon: Daemon, call: Call<unknown, z.output<typeof newStatus>>): Task {
  const { body: { status: to, reason, summary, claimToken, ...below } } = call;
  const task = needTask(daemon.db, call.id);
  if (to === task.status) return task;
  const step = stepTo(to, task.status);
  if (step === undefined) throw badTransition(task, to);
  if (to === "blocked" && reason === undefined) {
    throw refusal("INVALID_INPUT", {
      what: `Task ${task.id} cannot become blocked`,
      why: "there is no reason; nothing was changed",
      next: "send a reason",
      details: { path: "reason" },
    });
  }
  const input = to === "closed" ? { summary, ...below } : { reason, force: below.force };
  return step.take(daemon.db, task.id, termsOf(daemon, call, { claimToken, ...input }));
}

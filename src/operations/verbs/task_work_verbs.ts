/**
 * `conclaude task claim|renew|release|complete|block|unblock|start`: work on a task. The verbs and the daemon's routes
 * are made from one table of steps.
 */
import type { DatabaseSync } from "node:sqlite";
import { type Refusal, refusal } from "../../work/refusal.ts";
import * as work from "../../work/store.ts";
import type { Task } from "../../work/task.ts";
import type { CliContext } from "../context.ts";
import { clearingFlag, optional, type Parameter, SHARED, switchOn, TASK, text } from "../flags.ts";
import { openStore } from "../open_store.ts";
import * as claims from "../shared_claims.ts";
import { changedView, nameOf } from "../task_view.ts";
import { requireOneOfTwo } from "../usage.ts";
import { type Verb, verb, type View } from "../verb.ts";
import { beginChange, type ByFlag, leaseMs, projectOfTasks, taskIdOf } from "../work_lookup.ts";

/** The author of a step and its options. */
export interface Terms extends work.Author {
  /** The number of the claim that the author holds; null accepts any. */
  readonly token: number | null;
  /** Whether the step ignores another holder's claim, or leaves the tasks below a completed one open. */
  readonly force: boolean;
  /** Whether the open tasks below the task are closed as well. */
  readonly withChildren: boolean;
  readonly leaseMs: number;
  /** The summary or the reason, with secrets masked; null if there is none. */
  readonly words: string | null;
  /** The server's consent to the claim, if the task's project is shared. */
  readonly grant?: work.Grant | null;
}

export interface StepInput {
  readonly claimToken?: number | null | undefined;
  readonly force?: boolean | undefined;
  readonly offline?: boolean | undefined;
  readonly withChildren?: boolean | undefined;
  readonly summary?: string | null | undefined;
  readonly reason?: string | undefined;
}

export interface TaskStep {
  /** The action for error messages: `renew a claim`. */
  readonly what: string;
  /** The flags of the verb. All but `agentId` are also fields of the daemon's request. */
  readonly flags: Readonly<Record<string, Parameter>>;
  /** The refusals of the step, besides that of an unknown task. */
  readonly errors: readonly Refusal[];
  /** The consent that a shared task needs from the team's server first. Steps without it only report to the server. */
  readonly asks?: "claim" | "renew" | "complete" | undefined;
  /** Changes the task in the caller's transaction. */
  readonly take: (db: DatabaseSync, id: string, terms: Terms) => Task;
  readonly describe: (name: string, task: Task) => string;
}

/** The refusals of a step that only the holder of the claim may take. */
const HOLDER_ERRORS = ["NOT_CLAIM_OWNER", "INVALID_TRANSITION"] as const;

const { agentId, claimToken, offline } = SHARED;

export const TASK_STEPS = {
  claim: {
    what: "claim a task",
    flags: { offline, agentId },
    asks: "claim",
    errors: ["ALREADY_CLAIMED", "INVALID_STATUS", "TEAM_UNREACHED"],
    take: work.claimTask,
    describe: (name, task) => `${task.claimedBy} has claimed ${name}, until ${untilText(task)}.`,
  },
  renew: {
    what: "renew a claim",
    flags: { agentId, claimToken, offline },
    asks: "renew",
    errors: [...HOLDER_ERRORS, "TEAM_UNREACHED"],
    take: (db, id, terms) => work.renewTask(db, id, withGrant(db, id, terms)),
    describe: (name, task) => `The claim on ${name} counts until ${untilText(task)}.`,
  },
  release: {
    what: "release a task",
    flags: { force: switchOn("Also another one's"), agentId },
    errors: HOLDER_ERRORS,
    take: work.releaseTask,
    describe: (name) => `Task ${name} is open again.`,
  },
  complete: {
    what: "complete a task",
    flags: {
      summary: clearingFlag("What was done"),
      withChildren: switchOn("Close the open tasks below it as well"),
      force: switchOn("Leave the tasks below it open"),
      claimToken,
      offline,
      agentId,
    },
    asks: "complete",
    errors: [...HOLDER_ERRORS, "HAS_OPEN_CHILDREN", "HAS_ACTIVE_CHILDREN", "TEAM_UNREACHED"],
    take: (db, id, terms) =>
      work.completeTask(db, id, { ...withGrant(db, id, terms), summary: terms.words }),
    describe: (name) => `Task ${name} is closed.`,
  },
  block: {
    what: "block a task",
    flags: { reason: text("Why it cannot go on", "text"), claimToken, agentId },
    errors: HOLDER_ERRORS,
    take: (db, id, { words, ...terms }) =>
      work.blockTask(db, id, { ...terms, reason: words ?? "" }),
    describe: (name, { reason }) => `Task ${name} is blocked: ${reason}`,
  },
  unblock: {
    what: "unblock a task",
    flags: { agentId },
    errors: ["INVALID_TRANSITION"],
    take: work.unblockTask,
    describe: (name) => `Task ${name} is open again.`,
  },
  start: {
    what: "start a task",
    flags: { agentId },
    errors: ["INVALID_TRANSITION"],
    take: work.queueTask,
    describe: (name) => `Task ${name} is in work already.`,
  },
} as const satisfies Readonly<Record<string, TaskStep>>;

/** Claims the first ready task, or the task that the server chose; returns undefined if there is none. */
export function takeNext(
  db: DatabaseSync,
  terms: work.Author & Pick<Terms, "leaseMs">,
  { project, asked }: { readonly project: string | null; readonly asked: claims.Asked | null },
): Task | undefined {
  if (asked === null) return work.claimNext(db, terms, project);
  return asked.id === null
    ? undefined
    : work.claimTask(db, asked.id, { ...terms, grant: asked.grant });
}

/** Makes the local claim agree with the server's grant before the step uses it. */
function withGrant(db: DatabaseSync, id: string, terms: Terms): Terms {
  const { grant = null } = terms;
  if (grant === null) return terms;
  work.claimTask(db, id, terms);
  return { ...terms, token: grant.fence, leaseMs: grant.leaseUntilMs - terms.atMs };
}

function untilText({ leaseUntilMs }: Task): string {
  return new Date(leaseUntilMs ?? 0).toISOString();
}

export const claim = verb({
  args: [optional(TASK)],
  ...TASK_STEPS.claim,
  flags: {
    next: switchOn("The first one that is ready"),
    allProjects: SHARED.allProjects,
    ...TASK_STEPS.claim.flags,
  },
  async run(context, flags, text) {
    requireOneOfTwo("which task to claim", {
      given: { "an id": text !== undefined, "--next": flags.next },
      next: "conclaude task claim --help",
    });
    const step: TaskStep = TASK_STEPS.claim;
    if (text !== undefined) return await stepView(context, step, { flags, text });
    const { by, change, db, place } = await beginChange(context, flags, step.what);
    const claimant = { by, leaseMs: leaseMs(place.config) };
    const project = projectOfTasks(context, flags);
    const askPlace = { db, database: place.database, environment: context.environment };
    const consent = flags.offline ? null : await claims.askForNext(askPlace, project, claimant);
    const task = await claims.claimAsked(consent, () =>
      change((author) => {
        work.takeBackLapsed(db, author.atMs);
        return takeNext(db, { ...claimant, ...author }, { project, asked: consent });
      }));
    if (task === undefined) {
      throw refusal("NOT_FOUND", {
        what: "There is no task to claim",
        why: "nothing here is open, unclaimed and free of what it waits for; nothing was changed",
        next: "conclaude task list --status open,blocked,in_progress",
      });
    }
    return changedView(task, step.describe(nameOf(task), task));
  },
});

function stepVerb(step: TaskStep): Verb {
  return verb<TaskStep["flags"], [typeof TASK]>({
    args: [TASK],
    ...step,
    run: (context, flags, text) => stepView(context, step, { flags: flags as StepFlags, text }),
  });
}

export const renew = stepVerb(TASK_STEPS.renew);
export const release = stepVerb(TASK_STEPS.release);
export const complete = stepVerb(TASK_STEPS.complete);
export const block = stepVerb(TASK_STEPS.block);
export const unblock = stepVerb(TASK_STEPS.unblock);

/** `task start` and `workflow start`. */
export const start = verb({
  args: [TASK],
  ...TASK_STEPS.start,
  async run(context, flags, text) {
    // Other verbs do not need workflows.
    const { checkStart, handedOverText } = await import("../orchestration_here.ts");
    const step: TaskStep = TASK_STEPS.start;
    const take: TaskStep["take"] = (db, id, terms) => {
      const queued = step.take(db, id, terms);
      if (queued.status !== "in_progress") checkStart(context, db, queued);
      return queued;
    };
    const task = await takeStep(context, { ...step, take }, { flags, text });
    if (task.status === "in_progress") return changedView(task, step.describe(nameOf(task), task));
    const store = await openStore(context, "read");
    return changedView(task, `Task ${nameOf(task)} is ${handedOverText(context, store, task)}`);
  },
});

type StepFlags = ByFlag & StepInput;

async function stepView(
  context: CliContext,
  step: TaskStep,
  call: { readonly flags: StepFlags; readonly text: string },
): Promise<View> {
  const task = await takeStep(context, step, call);
  return changedView(task, step.describe(nameOf(task), task));
}

async function takeStep(
  context: CliContext,
  { what, asks, take }: TaskStep,
  { flags, text }: Parameters<typeof stepView>[2],
): Promise<Task> {
  const { by, change, db, place, masked } = await beginChange(context, flags, what);
  const words = masked(flags.summary ?? flags.reason);
  const { claimToken: token = null, force = false, withChildren = false, offline = false } = flags;
  const given = { by, token, force, withChildren, leaseMs: leaseMs(place.config), words };
  const askPlace = { db, database: place.database, environment: context.environment };
  const id = taskIdOf(db, text);
  const consent = offline ? null : await claims.askForStep(askPlace, asks, { ...given, id });
  const task = await claims.claimAsked(consent, () =>
    change((author) => {
      if (asks === "claim") work.takeBackLapsed(db, author.atMs);
      return take(db, id, { ...given, ...author, grant: consent?.grant ?? null });
    }));
  const isTold = asks === undefined || asks === "complete";
  if (isTold && !offline) await claims.tellServer(askPlace, id);
  return task;
}

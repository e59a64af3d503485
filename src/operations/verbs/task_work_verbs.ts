/** `conclaude task claim|renew|release|complete|block|unblock|start`: work on a task. */
import { refusal } from "../../work/refusal.ts";
import type { Task } from "../../work/task.ts";
import { takeBackLapsed } from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { optional, SHARED, switchOn, TASK } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { beginChange, type ByFlag, leaseMs, projectOfTasks, taskIdOf } from "../work_lookup.ts";
import { changedView, nameOf } from "../task_view.ts";
import { askBefore, type StepInput, takeNext, TASK_STEPS, type TaskStep } from "../task_steps.ts";
import { askForNext, claimAsked, sharedTask, tellServer } from "../shared_claims.ts";
import { requireOneOfTwo } from "../usage.ts";
import { type Verb, verb, type View } from "../verb.ts";

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
    const consent = flags.offline ? null : await askForNext(askPlace, project, claimant);
    const task = await claimAsked(consent, () =>
      change((author) => {
        takeBackLapsed(db, author.atMs);
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
  const consent = await askBefore(askPlace, { asks }, { ...given, id, offline });
  const task = await claimAsked(consent, () =>
    change((author) => {
      if (asks === "claim") takeBackLapsed(db, author.atMs);
      return take(db, id, { ...given, ...author, grant: consent?.grant ?? null });
    }));
  const isTold = asks === undefined || asks === "complete";
  const shared = isTold && !offline ? sharedTask(db, id) : null;
  if (shared !== null) await tellServer(askPlace, shared);
  return task;
}

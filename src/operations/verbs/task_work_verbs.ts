/** `conclaude task claim|renew|release|complete|block|unblock|start`: work on a task. */
import { refusal } from "../../work/refusal.ts";
import type { Task } from "../../work/task.ts";
import { claimNext, claimTask, takeBackLapsed } from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { AGENT_FLAG, ALL_PROJECTS, OFFLINE_FLAG, optional, switchOn, TASK } from "../flags.ts";
import { openStore } from "../open_store.ts";
import { beginChange, type ByFlag, leaseMs, projectOfTasks, taskIdOf } from "../work_lookup.ts";
import { changedView, nameOf } from "../task_view.ts";
import { TASK_STEPS, type TaskStep, untilText } from "../task_steps.ts";
import {
  askForNext,
  askForTask,
  askToKeep,
  claimAsked,
  sharedTask,
  tellServer,
} from "../shared_claims.ts";
import { requireOneOfTwo } from "../usage.ts";
import { type Verb, verb } from "../verb.ts";
import type { View } from "../view.ts";

export const claim = verb({
  args: [optional(TASK)],
  flags: {
    next: switchOn("The first one that is ready"),
    allProjects: ALL_PROJECTS,
    offline: OFFLINE_FLAG,
    agentId: AGENT_FLAG,
  },
  about:
    "Claims a task; of all who ask at once exactly one gets it, on all machines of a team. The claim counts for " +
    "`store.claimTimeoutMinutes` unless it is renewed. Whoever has the task already gets it as it is.",
  examples: [
    "conclaude task claim 1a2b3c4d --agent-id worker-1",
    "conclaude task claim --next --agent-id worker-1 --json",
  ],
  async run(context, flags, text) {
    requireOneOfTwo("which task to claim", {
      given: { "an id": text !== undefined, "--next": flags.next },
      next: "conclaude task claim --help",
    });
    const { by, change, db, place } = await beginChange(context, flags, "claim a task");
    const claimant = { by, leaseMs: leaseMs(place.config) };
    const project = text === undefined ? projectOfTasks(context, flags) : null;
    const here = { db, database: place.database, environment: context.environment };
    const asked = flags.offline
      ? null
      : text === undefined
      ? await askForNext(here, project, claimant)
      : await askForTask(here, taskIdOf(db, text), claimant);
    const task = await claimAsked(asked, () =>
      change((author) => {
        const now = { ...claimant, ...author };
        takeBackLapsed(db, now.atMs);
        if (asked !== null) {
          return asked.id === null
            ? undefined
            : claimTask(db, asked.id, { ...now, grant: asked.grant });
        }
        return text === undefined
          ? claimNext(db, now, project)
          : claimTask(db, taskIdOf(db, text), now);
      }));
    if (task === undefined) {
      throw refusal("NOT_FOUND", {
        what: "There is no task to claim",
        why: "nothing here is open, unclaimed and free of what it waits for; nothing was changed",
        next: "conclaude task list --status open,blocked,in_progress",
      });
    }
    return changedView(task, `${by} has claimed ${nameOf(task)}, until ${untilText(task)}.`);
  },
});

/** The verb of a step, which tells what became of the task. */
function stepVerb(step: TaskStep): Verb {
  const { what, asks, take, told } = step;
  return verb<TaskStep["flags"], [typeof TASK]>({
    args: [TASK],
    ...step,
    async run(context, flags, text): Promise<View> {
      const task = await takeStep(context, { flags: flags as StepFlags, text, what, asks }, take);
      return changedView(task, told(nameOf(task), task));
    },
  });
}

export const renew = stepVerb(TASK_STEPS.renew);
export const release = stepVerb(TASK_STEPS.release);
export const complete = stepVerb(TASK_STEPS.complete);
export const block = stepVerb(TASK_STEPS.block);
export const unblock = stepVerb(TASK_STEPS.unblock);

/** `task start`, which is `workflow start` as well. */
export const start = verb({
  args: [TASK],
  ...TASK_STEPS.start,
  run: startTask,
});

async function startTask(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  // Other verbs do not need workflows or the daemon's client, so both are loaded here.
  const [{ checkStart }, { handedOver }] = await Promise.all([
    import("../orchestration_here.ts"),
    import("../daemon_here.ts"),
  ]);
  const { what, take, told } = TASK_STEPS.start;
  const task = await takeStep(context, { flags, text, what, asks: undefined }, (db, id, terms) => {
    const queued = take(db, id, terms);
    if (queued.status !== "in_progress") checkStart(context, db, queued);
    return queued;
  });
  if (task.status === "in_progress") {
    return changedView(task, told(nameOf(task)));
  }
  const store = await openStore(context, "read");
  return changedView(task, `Task ${nameOf(task)} is ${handedOver(context, store, task)}`);
}

interface StepFlags extends ByFlag {
  readonly claimToken?: number;
  readonly force?: boolean;
  readonly offline?: boolean;
  readonly withChildren?: boolean;
  readonly summary?: string;
  readonly reason?: string;
}

async function takeStep(
  context: CliContext,
  { flags, text, what, asks }: Pick<TaskStep, "what" | "asks"> & {
    readonly flags: StepFlags;
    readonly text: string;
  },
  take: TaskStep["take"],
): Promise<Task> {
  const { by, change, db, place, said } = await beginChange(context, flags, what);
  const words = said(flags.summary ?? flags.reason);
  const { claimToken: token = null, force = false, withChildren = false, offline = false } = flags;
  const given = { by, token, force, withChildren, leaseMs: leaseMs(place.config), words };
  const here = { db, database: place.database, environment: context.environment };
  const id = taskIdOf(db, text);
  const shared = offline ? null : sharedTask(db, id);
  const grant = shared === null || asks === undefined
    ? null
    : await askToKeep(here, shared, { ...given, what: asks });
  const task = change((author) => take(db, id, { ...given, ...author, grant }));
  if (shared !== null && asks !== "renew") await tellServer(here, shared);
  return task;
}

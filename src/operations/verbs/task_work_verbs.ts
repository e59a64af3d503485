/** `conclaude task claim|renew|release|complete|block|unblock|start`: work on a task. */
import { refusal } from "../../work/refusal.ts";
import type { Task } from "../../work/task.ts";
import { checkBody } from "../../work/task_input.ts";
import { transaction } from "../../db/transaction.ts";
import {
  type Author,
  blockTask,
  claimNext,
  claimTask,
  completeTask,
  queueTask,
  releaseTask,
  renewTask,
  takeBackLapsed,
  unblockTask,
} from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import {
  AGENT_FLAG,
  ALL_PROJECTS,
  clearingFlag,
  optional,
  switchOn,
  TASK,
  text,
  TOKEN_FLAG,
} from "../flags.ts";
import { openStore } from "../open_store.ts";
import { beginChange, type ByFlag, leaseMs, projectOfTasks, taskIdOf } from "../work_lookup.ts";
import { changedView, nameOf } from "../task_view.ts";
import { requireOneOfTwo } from "../usage.ts";
import { verb } from "../verb.ts";
import type { View } from "../view.ts";
import type { DatabaseSync } from "node:sqlite";

export const claim = verb({
  args: [optional(TASK)],
  flags: {
    next: switchOn("The first one that is ready"),
    allProjects: ALL_PROJECTS,
    agentId: AGENT_FLAG,
  },
  about:
    "Claims a task; of all who ask at once exactly one gets it. The claim counts for `store.claimTimeoutMinutes` unless " +
    "it is renewed. Whoever has the task already gets it as it is.",
  examples: [
    "conclaude task claim 1a2b3c4d --agent-id worker-1",
    "conclaude task claim --next --agent-id worker-1 --json",
  ],
  async run(context, flags, text) {
    requireOneOfTwo("which task to claim", {
      given: { "an id": text !== undefined, "--next": flags.next },
      next: "conclaude task claim --help",
    });
    const { by, db, place } = await beginChange(context, flags, "claim a task");
    const project = projectOfTasks(context, flags);
    const task = transaction(db, () => {
      const claimant = { by, leaseMs: leaseMs(place.config), atMs: Date.now() };
      takeBackLapsed(db, claimant.atMs);
      return text === undefined
        ? claimNext(db, claimant, project)
        : claimTask(db, taskIdOf(db, text), claimant);
    });
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

export const renew = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG, claimToken: TOKEN_FLAG },
  about: "Lets a claim count for another `store.claimTimeoutMinutes` from now.",
  examples: ["conclaude task renew 1a2b3c4d --agent-id worker-1"],
  run: step(
    "renew a claim",
    renewTask,
    (name, task) => `The claim on ${name} counts until ${untilText(task)}.`,
  ),
});

export const release = verb({
  args: [TASK],
  flags: { force: switchOn("Also another one's"), agentId: AGENT_FLAG },
  about: "Gives a task back: open again, for anybody.",
  examples: [
    "conclaude task release 1a2b3c4d --agent-id worker-1",
    "conclaude task release 1a2b3c4d --force",
  ],
  run: step("release a task", releaseTask, (name) => `Task ${name} is open again.`),
});

export const complete = verb({
  args: [TASK],
  flags: {
    summary: clearingFlag("What was done"),
    withChildren: switchOn("Close the open tasks below it as well"),
    force: switchOn("Leave the tasks below it open"),
    claimToken: TOKEN_FLAG,
    agentId: AGENT_FLAG,
  },
  about:
    "Closes a blocked task, or one in work whose claim you hold and still counts. A task above open ones is closed only " +
    "with --with-children or --force.",
  examples: [
    "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
  ],
  run: step(
    "complete a task",
    (db, id, { words, ...terms }) => completeTask(db, id, { ...terms, summary: words }),
    (name) => `Task ${name} is closed.`,
  ),
});

export const block = verb({
  args: [TASK],
  flags: {
    reason: text("Why it cannot go on", "text"),
    claimToken: TOKEN_FLAG,
    agentId: AGENT_FLAG,
  },
  about: "Says that a task cannot go on, and gives up its claim.",
  examples: ["conclaude task block 1a2b3c4d --reason 'needs the keys of the test system'"],
  run: step(
    "block a task",
    (db, id, { words, ...terms }) => blockTask(db, id, { ...terms, reason: words ?? "" }),
    (name, { reason }) => `Task ${name} is blocked: ${reason}`,
  ),
});

export const unblock = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about: "Opens a blocked task again, for anybody to claim.",
  examples: ["conclaude task unblock 1a2b3c4d"],
  run: step("unblock a task", unblockTask, (name) => `Task ${name} is open again.`),
});

/** `task start`, which is `workflow start` as well. */
export const start = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about:
    "Hands a task to the scheduler of the daemon, which runs its workflow as soon as the task is ready. A blocked task " +
    "opens again.",
  examples: ["conclaude task start 1a2b3c4d", "conclaude workflow start 1a2b3c4d"],
  run: startTask,
});

async function startTask(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  // Other verbs do not need workflows or the daemon's client, so both are loaded here.
  const [{ checkStart }, { handedOver }] = await Promise.all([
    import("../orchestration_here.ts"),
    import("../daemon_here.ts"),
  ]);
  const task = await takeStep(context, { flags, text, what: "start a task" }, (db, id, terms) => {
    const queued = queueTask(db, id, terms);
    if (queued.status !== "in_progress") checkStart(context, db, queued);
    return queued;
  });
  if (task.status === "in_progress") {
    return changedView(task, `Task ${nameOf(task)} is in work already.`);
  }
  const store = await openStore(context, "read");
  return changedView(task, `Task ${nameOf(task)} is ${handedOver(context, store, task)}`);
}

interface StepFlags extends ByFlag {
  readonly claimToken?: number;
  readonly force?: boolean;
  readonly withChildren?: boolean;
  readonly summary?: string;
  readonly reason?: string;
}

interface Terms extends Author {
  readonly token: number | null;
  readonly force: boolean;
  readonly withChildren: boolean;
  readonly leaseMs: number;
  /** The summary or the reason, without secrets; null without one. */
  readonly words: string | null;
}

/** Changes a task in the caller's transaction. */
type Step = (db: DatabaseSync, id: string, terms: Terms) => Task;

/** Makes the `run` of a verb that takes one step with one task, and tells what became of the task. */
function step(what: string, take: Step, told: (name: string, task: Task) => string) {
  return async (context: CliContext, flags: StepFlags, text: string): Promise<View> => {
    const task = await takeStep(context, { flags, text, what }, take);
    return changedView(task, told(nameOf(task), task));
  };
}

async function takeStep(
  context: CliContext,
  { flags, text, what }: {
    readonly flags: StepFlags;
    readonly text: string;
    readonly what: string;
  },
  take: Step,
): Promise<Task> {
  const { by, db, place, mask } = await beginChange(context, flags, what);
  const said = flags.summary ?? flags.reason;
  const words = said === undefined ? null : checkBody(mask(said));
  const { claimToken: token = null, force = false, withChildren = false } = flags;
  const given = { by, token, force, withChildren, leaseMs: leaseMs(place.config), words };
  return transaction(db, () => {
    const terms = { ...given, atMs: Date.now() };
    return take(db, taskIdOf(db, text), terms);
  });
}

function untilText({ leaseUntilMs }: Task): string {
  return new Date(leaseUntilMs ?? 0).toISOString();
}

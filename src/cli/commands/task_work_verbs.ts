/** Work on a task: who claims it, how long, and how it ends. */
import { refusal } from "../../orchestration/refusal.ts";
import type { Task } from "../../orchestration/task.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { transaction } from "../../store/database.ts";
import { type Author, needTask } from "../../store/task_changes.ts";
import {
  claimNext,
  claimTask,
  needClaim,
  releaseTask,
  renewClaim,
  takeBackLapsed,
} from "../../store/task_claims.ts";
import { blockTask, completeTask, queueTask, unblockTask } from "../../store/task_life.ts";
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
import { openKeptStore, openStore } from "../store.ts";
import { authorOf, type ByFlag, leaseMs, projectOfTasks, taskIdOf } from "../work_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { changedView, nameOf } from "../task_view.ts";
import { usageError } from "../usage.ts";
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
    "Claims a task: of all who ask at once exactly one gets it. The claim counts for `store.claimTimeoutMinutes` " +
    "and has to be renewed before; then anybody may claim the task. Whoever has it already gets it as it is.",
  examples: [
    "conclaude task claim 1a2b3c4d --agent-id worker-1",
    "conclaude task claim --next --agent-id worker-1 --json",
  ],
  async run(context, flags, text) {
    if (flags.next === (text !== undefined)) {
      throw usageError("Cannot tell which task to claim", {
        why: flags.next ? "there is an id beside --next" : "there is neither an id nor --next",
        next: "conclaude task claim --help",
      });
    }
    const agentId = authorOf(context, flags);
    const { db, place } = await openKeptStore(context, "claim a task");
    const project = projectOfTasks(context, flags);
    const task = transaction(db, () => {
      const claimant = { agentId, leaseMs: leaseMs(place.config), atMs: Date.now() };
      takeBackLapsed(db, claimant.atMs);
      return text === undefined
        ? claimNext(db, claimant, project)
        : claimTask(db, taskIdOf(db, text), claimant);
    });
    if (task === undefined) throw nothingReady();
    return changedView(task, `${agentId} has claimed ${nameOf(task)}, until ${untilText(task)}.`);
  },
});

export const renew = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG, claimToken: TOKEN_FLAG },
  about: "Lets a claim count for another `store.claimTimeoutMinutes` from now.",
  examples: ["conclaude task renew 1a2b3c4d --agent-id worker-1"],
  async run(context, flags, text) {
    const task = await work(context, { ...flags, text, what: "renew a claim" }, (db, id, about) => {
      const { by: agentId, atMs, token } = about;
      const held = needClaim(db, id, {
        agentId,
        token,
        atMs,
        wants: "renewed",
        to: ["in_progress"],
      });
      const untilMs = Math.max(held.leaseUntilMs!, atMs + about.leaseMs);
      renewClaim(db, id, { agentId, token: held.claimToken!, untilMs });
      return needTask(db, id);
    });
    return changedView(task, `The claim on ${nameOf(task)} counts until ${untilText(task)}.`);
  },
});

export const release = verb({
  args: [TASK],
  flags: { force: switchOn("Also another one's"), agentId: AGENT_FLAG },
  about: "Gives a task back: open again, for anybody.",
  examples: [
    "conclaude task release 1a2b3c4d --agent-id worker-1",
    "conclaude task release 1a2b3c4d --force",
  ],
  async run(context, { force, ...flags }, text) {
    const task = await work(
      context,
      { ...flags, text, what: "release a task" },
      (db, id, { by, atMs }) => releaseTask(db, id, { by, atMs, force }),
    );
    return changedView(task, `Task ${nameOf(task)} is open again.`);
  },
});

export const complete = verb({
  args: [TASK],
  flags: { summary: clearingFlag("What was done"), claimToken: TOKEN_FLAG, agentId: AGENT_FLAG },
  about:
    "Closes a task that is in work, by whoever has claimed it and whose claim still counts; or one that is blocked.",
  examples: [
    "conclaude task complete 1a2b3c4d --agent-id worker-1 --summary 'Expired tokens get a 401'",
  ],
  async run(context, flags, text) {
    const task = await work(
      context,
      { ...flags, text, what: "complete a task", say: flags.summary },
      (db, id, { by, atMs, token, words }) =>
        completeTask(db, id, { by, atMs, token, summary: words }),
    );
    return changedView(task, `Task ${nameOf(task)} is closed.`);
  },
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
  async run(context, flags, text) {
    const task = await work(
      context,
      { ...flags, text, what: "block a task", say: flags.reason },
      (db, id, { by, atMs, token, words }) =>
        blockTask(db, id, { by, atMs, token, reason: words ?? "" }),
    );
    return changedView(task, `Task ${nameOf(task)} is blocked: ${task.reason}`);
  },
});

export const unblock = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about: "Opens a blocked task again, for anybody to claim.",
  examples: ["conclaude task unblock 1a2b3c4d"],
  async run(context, flags, text) {
    const task = await work(context, { ...flags, text, what: "unblock a task" }, unblockTask);
    return changedView(task, `Task ${nameOf(task)} is open again.`);
  },
});

export const start = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about:
    "Hands a task to the scheduler, which runs its workflow as soon as it is ready; a blocked one is opened again. " +
    "The scheduler is a part of the daemon.",
  examples: ["conclaude task start 1a2b3c4d"],
  run: startTask,
});

/** The same under the noun of workflows. */
export const startWorkflow = verb({
  args: [TASK],
  flags: { agentId: AGENT_FLAG },
  about:
    "Hands a task to the scheduler, as `conclaude task start` does. The scheduler is a part of the daemon.",
  examples: ["conclaude workflow start 1a2b3c4d"],
  run: startTask,
});

async function startTask(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  // Loaded here, so that other verbs do not load workflows and the daemon's client.
  const { checkStart } = await import("../orchestration_here.ts");
  const task = await work(context, { ...flags, text, what: "start a task" }, (db, id, terms) => {
    const queued = queueTask(db, id, terms);
    if (queued.status !== "in_progress") checkStart(context, db, queued);
    return queued;
  });
  if (task.status === "in_progress") {
    return changedView(task, `Task ${nameOf(task)} is in work already.`);
  }
  const { handedOver } = await import("../daemon_here.ts");
  const store = await openStore(context, "read");
  return changedView(task, `Task ${nameOf(task)} is ${handedOver(context, store, task)}`);
}

interface Terms extends Author {
  readonly token: number | null;
  readonly leaseMs: number;
  /** What the verb was told in words, without secrets; null where it was not. */
  readonly words: string | null;
}

/** One step of one task in one transaction. */
async function work(
  context: CliContext,
  { text, what, say, claimToken, ...flags }: ByFlag & {
    readonly text: string;
    readonly what: string;
    readonly say?: string | undefined;
    readonly claimToken?: number;
  },
  step: (db: DatabaseSync, id: string, terms: Terms) => Task,
): Promise<Task> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, what);
  const { config } = place;
  const words = say === undefined ? null : checkBody((await maskerOf(config))(say));
  return transaction(db, () =>
    step(db, taskIdOf(db, text), {
      by,
      atMs: Date.now(),
      token: claimToken ?? null,
      leaseMs: leaseMs(config),
      words,
    }));
}

function nothingReady() {
  return refusal("NOT_FOUND", {
    what: "There is no task to claim",
    why: "nothing here is open, unclaimed and free of what it waits for; nothing was changed",
    next: "conclaude task list --status open,blocked,in_progress",
  });
}

function untilText({ leaseUntilMs }: Task): string {
  return new Date(leaseUntilMs ?? 0).toISOString();
}

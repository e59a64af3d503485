/** Work on a task: who claims it, how long, and how it ends. */
import type { DatabaseSync } from "node:sqlite";
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
import { openKeptStore, openStore } from "../store.ts";
import { taskIdOf } from "../id_lookup.ts";
import { authorOf, type ByFlag, leaseMs, projectOfTasks } from "../task_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { changedView, nameOf } from "../task_view.ts";
import { usageError } from "../usage.ts";
import type { View } from "../view.ts";

/** Which claim is meant, for a holder who wants to be sure. */
export type TokenFlag = {
  readonly claimToken?: number;
};

/** Which task is claimed. */
export type ClaimFlags = ByFlag & { readonly next: boolean; readonly allProjects: boolean };

/** How a task is given back. */
export type ReleaseFlags = ByFlag & { readonly force: boolean };

/** How a task is closed. */
export type CompleteFlags = ByFlag & TokenFlag & { readonly summary?: string };

/** How a task is blocked. */
export type BlockFlags = ByFlag & TokenFlag & { readonly reason: string };

/** `conclaude task claim ID|--next` */
export async function claim(
  context: CliContext,
  flags: ClaimFlags,
  text?: string,
): Promise<View> {
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
}

/** `conclaude task renew ID` */
export async function renew(
  context: CliContext,
  flags: ByFlag & TokenFlag,
  text: string,
): Promise<View> {
  const task = await work(context, { ...flags, text, what: "renew a claim" }, (db, id, about) => {
    const { by: agentId, atMs, token } = about;
    const held = needClaim(db, id, { agentId, token, atMs, wants: "renewed", to: ["in_progress"] });
    const untilMs = Math.max(held.leaseUntilMs!, atMs + about.leaseMs);
    renewClaim(db, id, { agentId, token: held.claimToken!, untilMs });
    return needTask(db, id);
  });
  return changedView(task, `The claim on ${nameOf(task)} counts until ${untilText(task)}.`);
}

/** `conclaude task release ID` */
export async function release(
  context: CliContext,
  { force, ...flags }: ReleaseFlags,
  text: string,
): Promise<View> {
  const task = await work(
    context,
    { ...flags, text, what: "release a task" },
    (db, id, { by, atMs }) => releaseTask(db, id, { by, atMs, force }),
  );
  return changedView(task, `Task ${nameOf(task)} is open again.`);
}

/** `conclaude task complete ID` */
export async function complete(
  context: CliContext,
  flags: CompleteFlags,
  text: string,
): Promise<View> {
  const task = await work(
    context,
    { ...flags, text, what: "complete a task", say: flags.summary },
    (db, id, { by, atMs, token, words }) =>
      completeTask(db, id, { by, atMs, token, summary: words }),
  );
  return changedView(task, `Task ${nameOf(task)} is closed.`);
}

/** `conclaude task block ID` */
export async function block(
  context: CliContext,
  flags: BlockFlags,
  text: string,
): Promise<View> {
  const task = await work(
    context,
    { ...flags, text, what: "block a task", say: flags.reason },
    (db, id, { by, atMs, token, words }) =>
      blockTask(db, id, { by, atMs, token, reason: words ?? "" }),
  );
  return changedView(task, `Task ${nameOf(task)} is blocked: ${task.reason}`);
}

/** `conclaude task unblock ID` */
export async function unblock(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  const task = await work(context, { ...flags, text, what: "unblock a task" }, unblockTask);
  return changedView(task, `Task ${nameOf(task)} is open again.`);
}

/** `conclaude task start ID` */
export async function start(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  // What is about workflows and daemons is loaded where it is asked for: no other verb is to pay for it.
  const { checkStart } = await import("../start_check.ts");
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

/** Who works, and on what terms. */
interface Terms extends Author {
  readonly token: number | null;
  readonly leaseMs: number;
  /** What the verb was told in words, without secrets; null where it was not. */
  readonly words: string | null;
}

/** One step of one task in one transaction. */
async function work(
  context: CliContext,
  { text, what, say, claimToken, ...flags }: ByFlag & TokenFlag & {
    readonly text: string;
    readonly what: string;
    readonly say?: string | undefined;
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

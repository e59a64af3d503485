/** Who may work on a task: claims by compare-and-swap, with a lease and a fencing token. In the caller's transaction. */
import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { hasLapsed, type Task, TRANSITIONS } from "../orchestration/task.ts";
import { quoteWord } from "../settings/hooks.ts";
import { transaction } from "./database.ts";
import { statement } from "./statement.ts";
import { type Author, changeTask, listHistory, needTask } from "./task_changes.ts";
import { IS_READY, TASK_COLUMNS, taskOf } from "./tasks.ts";

/** Who claims, until when the claim counts, and when. */
export interface Claimant {
  readonly agentId: string;
  /** How long the claim counts without being renewed, in milliseconds. */
  readonly leaseMs: number;
  readonly atMs: number;
}

/** Changes nothing, and so tells nothing of a claim that is gone. */
export const UNCLAIMED = {
  claimedBy: null,
  claimedAtMs: null,
  leaseUntilMs: null,
} as const;

/** Stands for the program itself as the author of a change. */
export const SYSTEM = "system";

/**
 * Claims a task. Whoever holds it already gets it as it is. A claim whose lease ran out counts no more: it is taken back
 * first, in the system's name.
 *
 * @throws {UserError} ALREADY_CLAIMED, INVALID_STATUS, TASK_NOT_FOUND.
 */
export function claimTask(db: DatabaseSync, id: string, claimant: Claimant): Task {
  const found = needTask(db, id);
  const task = hasLapsed(found, claimant.atMs) ? takeBack(db, found, claimant.atMs) : found;
  if (task.claimedBy === claimant.agentId) return task;
  if (task.claimedBy !== null) throw alreadyClaimed(task, claimant.atMs);
  if (task.status !== "open") throw notOpen(task);
  const waitingFor = openDependencies(db, id);
  if (waitingFor.length > 0) throw notDoneBefore(task, waitingFor);
  return claim(db, task, claimant);
}

/** Claims the first task that is ready; `undefined` when there is none. */
export function claimNext(
  db: DatabaseSync,
  claimant: Claimant,
  project: string | null,
): Task | undefined {
  const row = statement(
    db,
    `SELECT ${TASK_COLUMNS}
       FROM tasks AS task
      WHERE ${IS_READY}
        AND (?1 IS NULL OR coalesce(task.repository, task.project_dir) = ?1)
      ORDER BY task.priority, task.created_at_ms, task.id
      LIMIT 1`,
  ).get(project);
  return row === undefined ? undefined : claim(db, taskOf(row), claimant);
}

function claim(db: DatabaseSync, task: Task, { agentId, leaseMs, atMs }: Claimant): Task {
  return changeTask(db, task, {
    claimedBy: agentId,
    status: "in_progress",
    claimToken: nextToken(db, task.id),
    claimedAtMs: atMs,
    leaseUntilMs: atMs + leaseMs,
    queuedAtMs: null,
  }, { by: agentId, atMs });
}

/** The number of a claim also grows over those that are gone. */
function nextToken(db: DatabaseSync, id: string): number {
  const row = statement(db, "SELECT claim_token FROM tasks WHERE id = ?").get(id)!;
  return Number(row["claim_token"]) + 1;
}

/** Lets a claim count longer. @returns Whether it still stood. */
export function renewClaim(
  db: DatabaseSync,
  id: string,
  { agentId, token, untilMs }: {
    readonly agentId: string;
    readonly token: number;
    readonly untilMs: number;
  },
): boolean {
  return statement(
    db,
    `UPDATE tasks
        SET lease_until_ms = ?
      WHERE id = ?
        AND claimed_by = ?
        AND claim_token = ?`,
  ).run(untilMs, id, agentId, token).changes > 0;
}

/** Gives a task back: open again, for anyone. Takes it from whoever holds it with `force`. */
export function releaseTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, force }: Author & { readonly force: boolean },
): Task {
  const task = needTask(db, id);
  if (task.status !== "in_progress") throw notInWork(task, "released", ["open"]);
  if (task.claimedBy !== by && !force) throw notOwner(task, by);
  return changeTask(db, task, { ...UNCLAIMED, status: "open" }, { by, atMs });
}

/**
 * The task of somebody who says that it is theirs.
 *
 * @throws {UserError} NOT_CLAIM_OWNER when it is somebody else's, was claimed anew, or the lease ran out.
 */
export function needClaim(db: DatabaseSync, id: string, holder: Holder): Task {
  return checkClaim(db, needTask(db, id), holder);
}

/** Somebody who says that a task is theirs. */
export interface Holder {
  readonly agentId: string;
  /** The number of the claim, where it is known. */
  readonly token: number | null;
  readonly atMs: number;
  /** What the holder wants: `completed`. */
  readonly wants: string;
  readonly to: readonly string[];
}

/** {@linkcode needClaim} of a task that was just read. */
export function checkClaim(db: DatabaseSync, task: Task, holder: Holder): Task {
  if (task.status === "open") {
    const [last] = listHistory(db, task.id, { field: "claimed_by", sinceMs: null });
    if (last?.changedBy === SYSTEM && last.old === holder.agentId) {
      throw lapsed(task, holder, last.changedAtMs);
    }
  }
  if (task.status !== "in_progress") throw notInWork(task, holder.wants, holder.to);
  if (task.claimedBy !== holder.agentId) throw notOwner(task, holder.agentId);
  if (holder.token !== null && holder.token !== task.claimToken) throw staleToken(task, holder);
  if (hasLapsed(task, holder.atMs)) throw lapsed(task, holder, task.leaseUntilMs!);
  return task;
}

const LAPSED = `SELECT ${TASK_COLUMNS}
       FROM tasks AS task
      WHERE task.claimed_by IS NOT NULL
        AND task.status = 'in_progress'
        AND task.lease_until_ms <= ?
      ORDER BY task.lease_until_ms`;

/** Takes back every claim that was not renewed in time. Returns the tasks, open again. */
export function takeBackLapsed(
  db: DatabaseSync,
  atMs: number,
  isAlive: (task: Task) => boolean = () => false,
): Task[] {
  return statement(db, LAPSED).all(atMs).map(taskOf)
    .filter((task) => !isAlive(task))
    .map((task) => takeBack(db, task, atMs));
}

/** The claims of workflows are left out: their agents outlive the daemon, which renews them first when it is back. */
const ANY_LAPSED = `SELECT 1
       FROM tasks AS task
      WHERE task.claimed_by IS NOT NULL
        AND task.status = 'in_progress'
        AND task.lease_until_ms <= ?
        AND task.claimed_by NOT GLOB 'workflow:*'
      LIMIT 1`;

/**
 * {@linkcode takeBackLapsed} for whoever only looks, in a transaction of its own: writes nothing where there is nothing to
 * take back, and leaves all as it is where nothing can be written.
 */
export function takeBackToLook(db: DatabaseSync, atMs: number): Task[] {
  if (statement(db, ANY_LAPSED).get(atMs) === undefined) return [];
  try {
    return transaction(
      db,
      () => takeBackLapsed(db, atMs, (task) => task.claimedBy!.startsWith("workflow:")),
    );
  } catch {
    return [];
  }
}

function takeBack(db: DatabaseSync, task: Task, atMs: number): Task {
  return changeTask(db, task, { ...UNCLAIMED, status: "open" }, { by: SYSTEM, atMs });
}

/** The tasks that have to be closed before this one, and are not. */
export function openDependencies(db: DatabaseSync, id: string): string[] {
  return statement(
    db,
    `SELECT other.id
       FROM task_dependencies AS needed
       JOIN tasks AS other ON other.id = needed.depends_on
      WHERE needed.task_id = ?
        AND other.status <> 'closed'
        AND other.deleted_at_ms IS NULL
      ORDER BY other.id`,
  ).all(id).map((row) => String(row["id"]));
}

function alreadyClaimed(task: Task, atMs: number) {
  const left = Math.max(1, Math.round(((task.leaseUntilMs ?? atMs) - atMs) / 60_000));
  return refusal("ALREADY_CLAIMED", {
    what: `Cannot claim task ${task.id}`,
    why: `"${task.claimedBy}" has claimed it, for ${count(left, "more minute")} ` +
      "unless the claim is renewed; nothing was changed",
    next: "conclaude task ready",
    details: { claimedBy: task.claimedBy, claimedAtMs: task.claimedAtMs },
  });
}

function notOpen(task: Task) {
  return refusal("INVALID_STATUS", {
    what: `Cannot claim task ${task.id}`,
    why: `it is ${task.status}, and only an open task can be claimed; nothing was changed`,
    next: task.status === "blocked" ? `conclaude task unblock ${task.id}` : "conclaude task ready",
    details: { currentStatus: task.status },
  });
}

function notDoneBefore(task: Task, waitingFor: readonly string[]) {
  return refusal("INVALID_STATUS", {
    what: `Cannot claim task ${task.id}`,
    why: `it depends on ${waitingFor.join(", ")}, which ${
      waitingFor.length === 1 ? "is" : "are"
    } not closed; nothing was changed`,
    next: `conclaude task show ${waitingFor[0]}`,
    details: { currentStatus: task.status, waitingFor },
  });
}

/** @param wanted What was to be done: `completed`. @param to The status that it would have led to. */
function notInWork(task: Task, wanted: string, to: readonly string[]) {
  return refusal("INVALID_TRANSITION", {
    what: `Cannot have task ${task.id} ${wanted}`,
    why: `it is ${task.status}, and only a task in work can be; nothing was changed`,
    next: task.status === "open"
      ? `conclaude task claim ${task.id}`
      : `conclaude task history ${task.id}`,
    details: {
      currentStatus: task.status,
      requestedStatus: to[0],
      validTransitions: TRANSITIONS[task.status],
    },
  });
}

function notOwner(task: Task, agentId: string) {
  return refusal("NOT_CLAIM_OWNER", {
    what: `Task ${task.id} is not "${agentId}"'s`,
    why: `"${task.claimedBy}" has claimed it; nothing was changed`,
    next: `conclaude task show ${task.id}`,
    details: { claimedBy: task.claimedBy },
  });
}

function staleToken(task: Task, { agentId, token }: {
  readonly agentId: string;
  readonly token: number | null;
}) {
  return refusal("NOT_CLAIM_OWNER", {
    what: `Claim ${token} of task ${task.id} counts no more`,
    why: `${
      (token ?? 0) < (task.claimToken ?? 0)
        ? "the task was claimed anew since"
        : "there was no such claim"
    }: its claim is number ${task.claimToken}; nothing was changed`,
    next: `conclaude task show ${task.id}`,
    details: { claimedBy: agentId, claimToken: task.claimToken },
  });
}

/** @param ranOutMs When the lease ran out, or when its claim was taken back for that. */
function lapsed(task: Task, { agentId }: Pick<Holder, "agentId">, ranOutMs: number) {
  return refusal("NOT_CLAIM_OWNER", {
    what: `The claim of "${agentId}" on task ${task.id} counts no more`,
    why: `its lease ran out at ${new Date(ranOutMs).toISOString()} without being renewed, and ` +
      "somebody else may have begun; nothing was changed",
    next: `conclaude task claim ${task.id} --agent-id ${quoteWord(agentId)}`,
    details: { claimedBy: task.claimedBy, leaseUntilMs: task.leaseUntilMs },
  });
}

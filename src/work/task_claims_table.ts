/** Makes, renews and ends claims: who works on a task, until when, under which number. In the caller's transaction. */
import { quietly } from "../base/errors.ts";
import { count } from "../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "./refusal.ts";
import {
  ELSEWHERE_MS,
  hasLapsed,
  isElsewhere,
  statusesAfter,
  type Task,
  type TaskStatus,
} from "./task.ts";
import { quoteWord } from "../claude/settings/hooks.ts";
import { transaction } from "../db/transaction.ts";
import { statement } from "../db/statement.ts";
import { noteClaimTold, type UntoldClaim } from "../db/team_outbox.ts";
import { type Author, changeTask, listHistory, needTask } from "./task_changes_table.ts";
import { listReady, readTask, selectTasks } from "./tasks_table.ts";

interface Claimant extends Author {
  /** How long the claim counts without being renewed, in milliseconds. */
  readonly leaseMs: number;
  /** The claim that the team's server gave, when the task is shared. */
  readonly grant?: Grant | null;
}

/** A claim that a team's server has given. It outranks the claim here. */
export interface Grant {
  /** The number of the claim on the server. */
  readonly fence: number;
  readonly leaseUntilMs: number;
}

export const UNCLAIMED = {
  claimedBy: null,
  claimedAtMs: null,
  leaseUntilMs: null,
} as const;

/** The program itself as the author of a change. */
export const SYSTEM = "system";

/**
 * Claims a task. A holder who claims it again gets it unchanged. A claim of somebody else whose lease ran out is taken
 * back first, by the system.
 * @throws {UserError} ALREADY_CLAIMED, INVALID_STATUS, TASK_NOT_FOUND.
 */
export function claimTask(db: DatabaseSync, id: string, claimant: Claimant): Task {
  const found = needTask(db, id);
  const { by, atMs, grant = null } = claimant;
  const isHeld = isMine(found, by) && (grant === null || grant.fence === found.claimToken);
  if (grant !== null && isHeld && found.status === "in_progress") {
    renewClaim(db, id, { by, token: grant.fence, untilMs: grant.leaseUntilMs });
    noteClaimTold(db, { uid: id });
    return needTask(db, id);
  }
  const isOver = hasLapsed(found, atMs) || grant !== null && found.status === "in_progress";
  const task = isOver ? takeBack(db, found, atMs) : found;
  if (isMine(task, by)) return task;
  if (task.claimedBy !== null) throw alreadyClaimed(task, atMs);
  if (task.status !== "open") {
    const why = `it is ${task.status}, and only an open task can be claimed`;
    throw cannotClaim(task, why, { next: task.status === "blocked" ? `unblock ${id}` : "ready" });
  }
  const waitingFor = openDependencies(db, id);
  if (waitingFor.length > 0) {
    const are = waitingFor.length === 1 ? "is" : "are";
    const why = `it depends on ${waitingFor.join(", ")}, which ${are} not closed`;
    throw cannotClaim(task, why, { next: `show ${waitingFor[0]}`, waitingFor });
  }
  return claim(db, task, claimant);
}

/** Tells whether `by` has claimed a task on this machine: agents of other machines may have the same name. */
function isMine(task: Task, by: string): boolean {
  return task.claimedBy === by && !isElsewhere(task);
}

/** Claims the first ready task; `undefined` when there is none. */
export function claimNext(
  db: DatabaseSync,
  claimant: Claimant,
  project: string | null,
): Task | undefined {
  const [first] = listReady(db, { project, limit: 1 });
  return first && claim(db, first, claimant);
}

function claim(db: DatabaseSync, task: Task, { by, leaseMs, atMs, grant = null }: Claimant): Task {
  // A claim's number is higher than any earlier one of the task.
  const last = statement(db, "SELECT claim_token AS token FROM tasks WHERE id = ?").get(task.id)!;
  const claimed = changeTask(db, task, {
    claimedBy: by,
    status: "in_progress",
    claimToken: grant?.fence ?? Number(last["token"]) + 1,
    claimedAtMs: atMs,
    leaseUntilMs: grant?.leaseUntilMs ?? atMs + leaseMs,
    queuedAtMs: null,
  }, { by, atMs });
  if (grant !== null) noteClaimTold(db, { uid: task.id });
  return claimed;
}

/** Extends the holder's claim to a whole lease from now. @throws {UserError} When `needClaim` does. */
export function renewTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, leaseMs, token }: Claimant & { readonly token: number | null },
): Task {
  const held = needClaim(db, id, { by, atMs, token, wants: "renew", to: "in_progress" });
  const untilMs = Math.max(held.leaseUntilMs!, atMs + leaseMs);
  renewClaim(db, id, { by, token: held.claimToken!, untilMs });
  return needTask(db, id);
}

/** Extends a claim, if it still counts. */
export function renewClaim(
  db: DatabaseSync,
  id: string,
  { by, token, untilMs }: {
    readonly by: string;
    readonly token: number;
    readonly untilMs: number;
  },
): void {
  statement(
    db,
    `UPDATE tasks
        SET lease_until_ms = ?
      WHERE id = ?
        AND claimed_by = ?
        AND claim_token = ?`,
  ).run(untilMs, id, by, token);
}

/** Gives a task back, so that it is open for anyone; with `force`, even when somebody else here holds it. */
export function releaseTask(
  db: DatabaseSync,
  id: string,
  { by, atMs, force }: Author & { readonly force: boolean },
): Task {
  const task = needTask(db, id);
  if (task.status !== "in_progress") throw notInWork(task, "release", "open");
  if (isElsewhere(task) || task.claimedBy !== by && !force) throw notTheirs(task, by);
  return changeTask(db, task, { ...UNCLAIMED, status: "open" }, { by, atMs });
}

/** Somebody who claims to hold a task. */
interface Holder extends Author {
  /** The number of the claim; null when it is unknown. */
  readonly token: number | null;
  /** The wanted change (`complete`); `to` is the status that follows. */
  readonly wants: string;
  readonly to: TaskStatus;
}

/** Reads a task that `by` holds. @throws {UserError} NOT_CLAIM_OWNER, also if claimed anew, or the lease ran out. */
export function needClaim(
  db: DatabaseSync,
  id: string,
  { by, token, atMs, wants, to }: Holder,
): Task {
  const task = needTask(db, id);
  if (task.status === "open") {
    const [last] = listHistory(db, id, { field: "claimed_by", sinceMs: null });
    if (last?.changedBy === SYSTEM && last.old === by) {
      throw lapsed(task, by, last.changedAtMs);
    }
  }
  if (task.status !== "in_progress") throw notInWork(task, wants, to);
  if (!isMine(task, by)) throw notTheirs(task, by);
  const { claimToken } = task;
  if (token !== null && token !== claimToken) {
    const isOld = token < (claimToken ?? 0);
    throw notOwner(task, {
      what: `Claim ${token} of task ${id} counts no more`,
      why: `${isOld ? "the task was claimed anew since" : "there was no such claim"}: ` +
        `its claim is number ${claimToken}`,
      claimToken,
    });
  }
  if (hasLapsed(task, atMs)) throw lapsed(task, by, task.leaseUntilMs!);
  return task;
}

const IS_LAPSED = `task.claimed_by IS NOT NULL
        AND task.status = 'in_progress'
        AND task.lease_until_ms <= ?1`;

const IS_NOT_WORKFLOW = "task.claimed_by NOT GLOB 'workflow:*'";

/** Takes back every claim that was not renewed in time. @returns The reopened tasks. */
export function takeBackLapsed(
  db: DatabaseSync,
  atMs: number,
  { keepsWorkflows = false }: { readonly keepsWorkflows?: boolean } = {},
): Task[] {
  const lapsed =
    `WHERE ${IS_LAPSED} AND (NOT ?2 OR ${IS_NOT_WORKFLOW}) ORDER BY task.lease_until_ms`;
  return selectTasks(db, lapsed, atMs, keepsWorkflows ? 1 : 0)
    .map((task) => takeBack(db, task, atMs));
}

/**
 * Does the same as {@linkcode takeBackLapsed} for callers that only read, in its own transaction. It writes only when a
 * claim has lapsed, and ignores a database that cannot be written. Claims of workflows stay: their agents outlive the
 * daemon, which renews the claims as soon as it runs again.
 */
export function takeBackToLook(db: DatabaseSync, atMs: number): Task[] {
  const anyLapsed = `SELECT 1 FROM tasks AS task WHERE ${IS_LAPSED} AND ${IS_NOT_WORKFLOW} LIMIT 1`;
  if (statement(db, anyLapsed).get(atMs) === undefined) return [];
  return quietly(() => transaction(db, () => takeBackLapsed(db, atMs, { keepsWorkflows: true }))) ??
    [];
}

/** Takes back the claims of other machines on a project that is not shared any more, since nobody would end them. */
export function takeBackElsewhere(db: DatabaseSync, project: string, atMs: number): Task[] {
  const elsewhere =
    "WHERE coalesce(task.repository, task.project_dir) = ? AND task.lease_until_ms >= ?";
  return selectTasks(db, elsewhere, project, ELSEWHERE_MS).map((task) => takeBack(db, task, atMs));
}

function takeBack(db: DatabaseSync, task: Task, atMs: number): Task {
  // A task that waits for a merge or is closed keeps its status.
  const status = task.status === "in_progress" ? "open" : task.status;
  return changeTask(db, task, { ...UNCLAIMED, status }, { by: SYSTEM, atMs });
}

/** The decision of a team's server about a claim that was made here without it. */
export interface ServerWord {
  /** The number of the claim that counts. */
  readonly fence: number;
  /** Who has the claim; null when nobody has. */
  readonly holder: string | null;
  /** Whether the holder's claim is the one made here. */
  readonly isHere: boolean;
}

/**
 * Sets a claim here to the server's decision. The second argument is the report that the server answered; a later
 * change of the claim still waits to be reported.
 */
export function obeyServer(
  db: DatabaseSync,
  { uid: id, step, token }: Pick<UntoldClaim, "uid" | "step" | "token">,
  { fence, holder, isHere, atMs }: ServerWord & { readonly atMs: number },
): void {
  const task = readTask(db, id);
  if (isHere) {
    // The workflow that holds the claim stores the same number.
    const setToken = "SET claim_token = ?1 WHERE claim_token = ?2 AND";
    statement(db, `UPDATE workflows ${setToken} task_id = ?3`).run(fence, token, id);
    statement(db, `UPDATE tasks ${setToken} id = ?3`).run(fence, token, id);
    return noteClaimTold(db, { uid: id, step, token: fence });
  }
  if (task?.status === "in_progress" && holder === null) {
    takeBack(db, task, atMs);
  } else if (task !== undefined && holder !== null) {
    changeTask(db, task, {
      claimedBy: holder,
      status: "in_progress",
      claimToken: fence,
      claimedAtMs: atMs,
      leaseUntilMs: ELSEWHERE_MS,
      closedAtMs: null,
    }, { by: SYSTEM, atMs });
  }
  noteClaimTold(db, { uid: id });
}

/** Lists the tasks that must be closed before this one and are not. */
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
  const until = isElsewhere(task)
    ? "on another machine"
    : `for ${count(left, "more minute")} unless the claim is renewed`;
  return refusal("ALREADY_CLAIMED", {
    what: `Cannot claim task ${task.id}`,
    why: `"${task.claimedBy}" has claimed it, ${until}; nothing was changed`,
    next: "conclaude task ready",
    details: { claimedBy: task.claimedBy, claimedAtMs: task.claimedAtMs },
  });
}

function cannotClaim(
  task: Task,
  why: string,
  { next, ...details }: { readonly next: string; readonly waitingFor?: readonly string[] },
) {
  return refusal("INVALID_STATUS", {
    what: `Cannot claim task ${task.id}`,
    why: `${why}; nothing was changed`,
    next: `conclaude task ${next}`,
    details: { currentStatus: task.status, ...details },
  });
}

/** Makes the refusal of a change that needs a task in work. @param to The status that would have followed. */
function notInWork(task: Task, wanted: string, to: TaskStatus) {
  return refusal("INVALID_TRANSITION", {
    what: `Cannot ${wanted} task ${task.id}`,
    why: `it is ${task.status}, and this needs a task in work; nothing was changed`,
    next: `conclaude task ${task.status === "open" ? "claim" : "history"} ${task.id}`,
    details: {
      currentStatus: task.status,
      requestedStatus: to,
      validTransitions: statusesAfter(task.status),
    },
  });
}

/** Makes the refusal of a change by somebody who does not hold the task, or not any more. */
function notOwner(
  { id, claimedBy }: Task,
  { what, why, next = `conclaude task show ${id}`, ...details }: {
    readonly what: string;
    readonly why: string;
    readonly next?: string;
    readonly claimToken?: number | null;
    readonly leaseUntilMs?: number | null;
  },
) {
  const full = `${why}; nothing was changed`;
  return refusal("NOT_CLAIM_OWNER", { what, why: full, next, details: { claimedBy, ...details } });
}

function notTheirs(task: Task, agentId: string) {
  return notOwner(task, {
    what: `Task ${task.id} is not "${agentId}"'s`,
    why: `"${task.claimedBy}" has claimed it${isElsewhere(task) ? " on another machine" : ""}`,
  });
}

/** Makes the refusal of a lapsed claim. @param ranOutMs When the lease ran out, or the claim was taken back for it. */
function lapsed(task: Task, agentId: string, ranOutMs: number) {
  return notOwner(task, {
    what: `The claim of "${agentId}" on task ${task.id} counts no more`,
    why: `its lease ran out at ${new Date(ranOutMs).toISOString()} without being renewed, and ` +
      "somebody else may have begun",
    next: `conclaude task claim ${task.id} --agent-id ${quoteWord(agentId)}`,
    leaseUntilMs: task.leaseUntilMs,
  });
}

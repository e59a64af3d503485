/** Collects what earlier sessions left open: failures, tasks, turns that were cut off, operations of git, workflows. */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import { branchIn } from "../../system/git/repository.ts";
import { operationsUnderWay, treesOf } from "../../system/git/working_trees.ts";
import type { ToldLine } from "./context_text.ts";
import {
  isUnmended,
  isWhole,
  namesTest,
  OPEN_FOR_MS,
  openFailures,
  programsOf,
} from "./open_ends.ts";
import { whyCutOff } from "./ended_session.ts";
import { endOfText } from "../text.ts";
import { parentOf } from "../../base/paths.ts";
import { lastWords, ranIn, type Tellable, unmendedFailures } from "./memory_context_table.ts";
import { lostClaims, openTasks, waitingWorkflows } from "../../db/open_work.ts";
import { sessionsWaiting } from "../../db/queue_work.ts";
import { sessionEnd } from "../../db/sessions.ts";

const MAX_TODOS = 6;
/** The most tasks and workflows that are counted. */
const MAX_COUNTED = 100;
/** The age, in milliseconds, up to which failures on other branches are told. */
const ELSEWHERE_MS = 3 * 86_400_000;
/** How many characters of the last message's end are quoted. */
const QUOTED_CHARS = 400;

type When = Readonly<{ nowMs: number; isGone: ReturnType<typeof goneBranches> }>;

/** Returns the open failures of a branch, and those of other branches that are at most three days old. */
export function stillFailing(
  db: DatabaseSync,
  rows: readonly Tellable[],
  { branch, ...when }: When & { readonly branch: string | null },
): Tellable[] {
  return openAmong(db, rows.filter(isUnmended), when)
    .filter((one) => one.branch === branch || when.nowMs - one.updatedAtMs <= ELSEWHERE_MS);
}

/**
 * Returns the failures that are open ends. Failures of sessions with waiting captures are left out: these may mend
 * them.
 *
 * Failures that their session may have mended by another command are left out, too. A failure without named tests is
 * left out when its programs, with the same subcommands, ran later and did not fail; one with named tests, when later
 * passing runs name all of them.
 */
export function openAmong<Failure extends Omit<Tellable, "project" | "author">>(
  db: DatabaseSync,
  unmended: readonly Failure[],
  { nowMs, isGone }: When,
): Failure[] {
  if (unmended.length === 0) return [];
  const waiting = sessionsWaiting(db, unmended);
  const open = openFailures(
    unmended.filter((one) => !waiting.has(one.sessionId) && !isGone(one.branch)),
    nowMs,
  );
  if (open.length === 0) return open;
  const ran = ranIn(db, open.map(({ sessionId }) => sessionId));
  return open.filter((one) => {
    const since = ran.filter(({ sessionId, atMs }) =>
      sessionId === one.sessionId && atMs >= one.updatedAtMs
    );
    const { command = "", failing = [] } = one.facts;
    if (!isWhole(one)) {
      const passes = since.filter(({ isPass }) => isPass);
      return !failing.every((test) => passes.some((pass) => namesTest(pass.command, test)));
    }
    const programs = programsOf(command);
    const again = since.flatMap((one) => programsOf(one.command));
    return programs.length === 0 || !programs.every((program) => again.includes(program));
  });
}

/** Returns the open tasks of the last session that has any, without tasks that a later session has done. */
export function todosLeft(
  sessions: readonly Tellable[],
  nowMs: number,
  isGone: ReturnType<typeof goneBranches>,
): (ToldLine & { readonly of: Tellable })[] {
  const done = new Set<string>();
  for (const of of sessions) {
    const { open = [], done: ticked = [] } = of.facts.todos ?? {};
    const left = open.filter((one) => !done.has(one));
    if (nowMs - of.updatedAtMs > OPEN_FOR_MS) return [];
    if (left.length > 0 && !isGone(of.branch)) {
      return left.slice(0, MAX_TODOS).map((text) => ({ of, label: "task", text }));
    }
    for (const one of ticked) done.add(one);
  }
  return [];
}

/** Returns {@linkcode todosLeft} among the newest rows of a project, on any branch. */
export function todosOfProject(project: string, newest: readonly Tellable[], nowMs: number) {
  const isGone = goneBranches({ commonDir: project, branch: branchIn(project) });
  return todosLeft(newest.filter(({ kind }) => kind === "summary"), nowMs, isGone);
}

/** Returns the last prompt of a session, if the session was cut off. */
export function cutOff(db: DatabaseSync, last: Tellable | undefined, nowMs: number): ToldLine[] {
  const isOld = last === undefined || nowMs - last.updatedAtMs > OPEN_FOR_MS;
  const end = isOld ? null : sessionEnd(db, last.sessionId);
  const why = end === null ? null : whyCutOff(end);
  const prompt = why === null ? null : lastWords(db, last!.sessionId, "prompt");
  if (why === null || prompt === null) return [];
  return [{ of: last!, label: `cut off (${why}) while`, text: prompt.title }];
}

/** Quotes the end of Claude's last message in a session, if the message is newer than `since`. */
export function quoted(
  db: DatabaseSync,
  last: Tellable | undefined,
  since: number | null,
): ToldLine[] {
  const message = last === undefined ? null : lastWords(db, last.sessionId, "message");
  if (message === null || message.updatedAtMs <= (since ?? 0)) return [];
  const { id, text, updatedAtMs } = message;
  const day = new Date(updatedAtMs).toISOString().slice(0, 10);
  return [{
    of: { id, branch: last!.branch, author: null, updatedAtMs },
    label: day,
    text: `"${endOfText(text.trim(), QUOTED_CHARS)}"`,
  }];
}

/** Returns the operations of git that have stopped in working trees of the project. */
export function stoppedOperations(project: string): ToldLine[] {
  return operationsUnderWay(project).map(({ verb, gitDir }) => {
    const root = treesOf(project).find((tree) => tree.gitDir === gitDir)?.root ?? parentOf(gitDir);
    return { text: `a ${verb} has stopped in ${root} and is not concluded` };
  });
}

export function tasksLeft(db: DatabaseSync, project: string): ToldLine[] {
  return openTasks(db, project, MAX_COUNTED).map(({ id, title, status, createdAtMs }) => ({
    name: id.slice(-8),
    atMs: createdAtMs,
    text: status === "open" ? title : `${title} (${status.replace("_", " ")})`,
  }));
}

export function claimsLost(db: DatabaseSync, project: string): ToldLine[] {
  return lostClaims(db, project).map(({ uid, detail, heldAtMs }) => ({
    name: uid.slice(-8),
    atMs: heldAtMs,
    text: detail,
  }));
}

export function workflowsLeft(db: DatabaseSync, project: string): ToldLine[] {
  return waitingWorkflows(db, project, MAX_COUNTED)
    .map(({ id, name, status, reason, updatedAtMs }) => ({
      name: id.slice(-8),
      atMs: updatedAtMs,
      text: `${name}, ${status.replace("_", " ")}${reason === null ? "" : `: ${reason}`}`,
    }));
}

const MAX_LOOKED_AT = 1_000;

/**
 * Returns the open failures of all branches, newest first.
 * @param project Null for all projects.
 * @param lookedAt The most failures that are read, the newest ones. Each takes 5 µs.
 */
export function openFailuresOf(
  db: DatabaseSync,
  project: string | null,
  { nowMs, lookedAt = MAX_LOOKED_AT }: Readonly<{ nowMs: number; lookedAt?: number | undefined }>,
): Tellable[] {
  const byProject = Map.groupBy(unmendedFailures(db, project, lookedAt), (one) => one.project);
  return [...byProject].flatMap(([of, failures]) => {
    const isGone = of === null
      ? () => false
      : goneBranches({ commonDir: of, branch: branchIn(of) });
    return openAmong(db, failures, { nowMs, isGone });
  }).sort((a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id);
}

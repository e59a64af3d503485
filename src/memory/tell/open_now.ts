/**
 * Collects what earlier sessions left open and is still open: failures, tasks, turns that were cut off, operations of
 * git, workflows.
 */
import type { DatabaseSync } from "node:sqlite";
import { goneBranches } from "../../system/git/branches.ts";
import { branchIn, operationsUnderWay, treesOf } from "../../system/git/working_trees.ts";
import type { PlainLine, Tellable, ToldLine } from "./context_text.ts";
import {
  isUnmended,
  isWhole,
  namesTest,
  newestOfEach,
  OPEN_FOR_MS,
  openEndRank,
  openFailures,
  programsOf,
} from "./open_ends.ts";
import { whyCutOff } from "./ended_session.ts";
import { endOfText } from "../text.ts";
import { parentOf } from "../../base/paths.ts";
import { lastWords, ranIn } from "./memory_context_table.ts";
import { openTasks, waitingWorkflows } from "../../db/open_work.ts";
import { sessionsWaiting } from "../../db/queue_work.ts";
import { sessionEnd } from "../../db/sessions.ts";
import { type UnmendedFailure, unmendedFailures } from "./open_failures_table.ts";

const MAX_TODOS = 6;
const MAX_TASKS = 5;
const MAX_WORKFLOWS = 3;
/** A failure on another branch is told for so long. */
const ELSEWHERE_MS = 3 * 86_400_000;
/** The end of the last message is quoted in so many characters. */
const QUOTED_CHARS = 400;

/**
 * Failures that are told to be open, but for those of sessions whose captures wait: these may have mended them.
 *
 * Left out is what its session may have mended under another command. What names no test: where its programs, with the same
 * subcommands, ran later and are not known to have failed. Named tests: where later runs that passed name each of them.
 */
export function stillFailing(
  db: DatabaseSync,
  rows: readonly Tellable[],
  { project, branch, nowMs, isGone }: {
    readonly project: string;
    readonly branch: string | null;
    readonly nowMs: number;
    readonly isGone: ReturnType<typeof goneBranches>;
  },
): Tellable[] {
  const unmended = rows.filter(isUnmended);
  if (unmended.length === 0) return [];
  const waiting = sessionsWaiting(db, unmended);
  const isOver = overIn(project, isGone);
  const open = openFailures(
    unmended.filter((one) => !waiting.has(one.sessionId) && !isOver(one)),
    nowMs,
  ).filter((one) => one.branch === branch || nowMs - one.updatedAtMs <= ELSEWHERE_MS);
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

/** The open tasks of the last session with a list, without those that a later session has done. */
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

/** The prompt of the last session on the branch, when that was cut off. */
export function cutOff(
  db: DatabaseSync,
  last: Tellable | undefined,
  nowMs: number,
): ToldLine[] {
  const isOld = last === undefined || nowMs - last.updatedAtMs > OPEN_FOR_MS;
  const end = isOld ? null : sessionEnd(db, last.sessionId);
  const why = end === null ? null : whyCutOff(end);
  const asked = why === null ? null : lastWords(db, last!.sessionId, "prompt");
  if (why === null || asked === null) return [];
  return [{ of: last!, label: `cut off (${why}) while`, text: asked.title }];
}

/** The end of what Claude said last in a session, in its own words, where that is news. */
export function quoted(
  db: DatabaseSync,
  last: Tellable | undefined,
  since: number | null,
): ToldLine[] {
  const said = last === undefined ? null : lastWords(db, last.sessionId, "message");
  if (said === null || said.updatedAtMs <= (since ?? 0)) return [];
  const { id, text, updatedAtMs } = said;
  const day = new Date(updatedAtMs).toISOString().slice(0, 10);
  return [{
    of: { id, branch: last!.branch, updatedAtMs },
    label: day,
    text: `"${endOfText(text.trim(), QUOTED_CHARS)}"`,
  }];
}

/** Operations of git that have stopped in a working tree of the project. */
export function stoppedOperations(project: string): PlainLine[] {
  return operationsUnderWay(project).map(({ verb, gitDir }) => {
    const root = treesOf(project).find((tree) => tree.gitDir === gitDir)?.root ?? parentOf(gitDir);
    return { name: "", atMs: null, text: `a ${verb} has stopped in ${root} and is not concluded` };
  });
}

export function tasksLeft(db: DatabaseSync, project: string): PlainLine[] {
  return openTasks(db, project, MAX_TASKS).map(({ id, title, status, createdAtMs }) => ({
    name: id.slice(-8),
    atMs: createdAtMs,
    text: status === "open" ? title : `${title} (${status.replace("_", " ")})`,
  }));
}

export function workflowsLeft(db: DatabaseSync, project: string): PlainLine[] {
  return waitingWorkflows(db, project, MAX_WORKFLOWS)
    .map(({ id, name, status, reason, updatedAtMs }) => ({
      name: id.slice(-8),
      atMs: updatedAtMs,
      text: `${name}, ${status.replace("_", " ")}${reason === null ? "" : `: ${reason}`}`,
    }));
}

/**
 * Returns a function that tells whether a failure of a project is over: its branch is gone, or it is an operation of git
 * that had stopped and that somebody has concluded or given up since.
 */
function overIn(
  commonDir: string,
  isGone: ReturnType<typeof goneBranches>,
): (failure: Pick<Tellable, "branch" | "facts">) => boolean {
  return ({ branch, facts }) =>
    isGone(branch) ||
    facts.git?.isStopped === true && operationsUnderWay(commonDir).length === 0;
}

const MAX_LOOKED_AT = 1_000;

/**
 * The ids of open failures, the newest first, of a command on a branch the last one; at most a thousand. Failures of a branch
 * that is gone, and of an operation of git that is over, are left out. @param project Null: of all projects.
 */
export function openFailureIds(db: DatabaseSync, project: string | null): number[] {
  const byProject = Map.groupBy(
    unmendedFailures(db, project, MAX_LOOKED_AT).filter((one) => openEndRank(one) !== null),
    (one) => one.project,
  );
  return [...byProject].flatMap(([of, failures]) => thereIn(of, newestOfEach(failures)))
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id)
    .map(({ id }) => id);
}

function thereIn(
  project: string | null,
  failures: readonly UnmendedFailure[],
): readonly UnmendedFailure[] {
  if (project === null) return failures;
  const isOver = overIn(project, goneBranches({ commonDir: project, branch: branchIn(project) }));
  return failures.filter((failure) => !isOver(failure));
}

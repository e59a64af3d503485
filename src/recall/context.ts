/** What a session is told when it starts, with a look at the files that it speaks of. */
import { keptJson } from "../memory/kept_json.ts";
import type { DatabaseSync } from "node:sqlite";
import { type ContextBudget, contextText, type Tellable } from "../memory/context_text.ts";
import { formerNames, type LoggedCommit, loggedCommits } from "../git/branch_log.ts";
import type { CommitsSince } from "../memory/context_open.ts";
import { goneBranches } from "../git/gone_branches.ts";
import { committed } from "../memory/deed.ts";
import { revertedSubject } from "../memory/observe/reverted_commit.ts";
import type { ObservationKind, ObservedFacts, TurnDeeds } from "../memory/observation.ts";
import { isUnmended, openEndRank } from "../memory/open_ends.ts";
import {
  openTaskTitles,
  type ProjectBranch,
  tellableOfBranch,
  tellableOfProject,
  type TellableRow,
  weightyOfBranch,
} from "../store/memory_context.ts";
import { type BranchEnd, endOfBranch } from "../store/merged_branch.ts";
import { sessionsWaiting } from "../store/queue_waiting.ts";
import { renameBranch } from "../store/renamed_branch.ts";
import { markCutOff } from "./cut_off.ts";
import { overIn } from "./over.ts";
import { knownFromFiles } from "./known_files.ts";
import { setFormerApart } from "./former_branches.ts";
import { staleAmong } from "./stale_files.ts";

/** The session that is told. */
export interface ContextPlace {
  readonly sessionId: string;
  /** Common git directory, or project directory where there is none. */
  readonly project: string;
  readonly branch: string | null;
  /** The folder that paths are told from. */
  readonly root: string | null;
  /** How it starts: `startup`, `resume`, `compact`, …. */
  readonly source: string;
  /** When it showed life before, epoch milliseconds; null when it is new. */
  readonly seenAtMs: number | null;
  /** Whether captures may wait to be worked in: what failed in their sessions may be mended by what waits. */
  readonly isBehind: boolean;
  readonly nowMs: number;
  readonly home: string | null;
  /** Claude Code's own folder, where it is not the usual one. */
  readonly configDir?: string | undefined;
}

/** Rows that are looked at: of the branch, of all branches (others share what the branch leaves), of the project. */
const OF_BRANCH = 24;
const OF_BRANCHES = 48;
const OF_PROJECT = 20;
/** Rows of the branch that outlast many edits, and among how many they are looked for. */
const WEIGHTY = { among: 200, limit: 40 };
/** Other branches that something is told of: those that were worked on last. */
const MAX_OTHER_BRANCHES = 3;
/** Kinds of which more is told than the title. */
const WITH_FACTS: ReadonlySet<ObservationKind> = new Set(["failure", "test", "summary"]);
/** Of a session of a few words, in the JSON of its facts. */
const IS_TRIVIAL = '"trivial":true';
/** What is over though nothing that was seen has mended it: no observation has this number. */
const OVER = { resolvedBy: 0 };

/** Git dates a commit to the second: one of the second in which a session was seen last may have come after it. */
const DATED_TO_MS = 1_000;
/** Of a commit whose branch was in no other one when it was found to be gone. */
const UNMERGED = " (its branch was deleted unmerged)";

const NONE: ReadonlySet<string> = new Set();

/** What a session is told. */
export interface SessionContext {
  /** Empty when there is nothing to tell. */
  readonly text: string;
  /**
   * Branches that are gone with something left open, which is open still where they were merged, or with a commit of which
   * nobody knows whether it is in another one.
   */
  readonly gone: readonly string[];
}

/**
 * The context of a session.
 *
 * A session that goes on hears only of what others did since; one that was compacted has lost its own past as well.
 *
 * @throws {Error} What SQLite says.
 */
export function sessionContext(
  db: DatabaseSync,
  place: ContextPlace,
  budget: ContextBudget,
): SessionContext {
  const { sessionId, project, branch, source, nowMs } = place;
  const since = sinceMs(place);
  const isTold = (row: TellableRow) =>
    since !== null
      ? row.sessionId !== sessionId && row.updatedAtMs > since
      : source === "compact" || row.sessionId !== sessionId;
  // What was left there is nobody's any more.
  const isGone = goneBranches({ commonDir: project, branch });
  const isOver = overIn(project, isGone);
  const told = rowsOfRenamed(db, { project, branch }, isGone).filter(isTold);
  setFormerApart(db, project, told, isGone);
  const endOf = endsOf(db, project, isGone);
  const gone = leftBehind(told, isGone, (row) => endOf(row) === null);
  const waiting = place.isBehind ? sessionsWaiting(db, told.filter(isUnmended)) : NONE;
  const found = told
    .filter((row) => !waiting.has(row.sessionId) || !isUnmended(row))
    // In place, as below.
    .map((row) => isUnmended(row) && isOver(row) ? Object.assign(row, OVER) : row);
  const tasks = since !== null ? [] : openTaskTitles(db, project, 5);
  if (found.length + tasks.length === 0) return { text: "", gone };
  const isKnown = knownFromFiles(found, place);
  const rows = found
    .filter((row) => !isKnown(row))
    // In place: a copy of each takes a tenth of all this.
    .map((row): Tellable =>
      Object.assign(row, {
        title: endOf(row) === "given_up" ? row.title + UNMERGED : row.title,
        files: row.files === "[]" ? [] : keptJson<string[]>(row.files, []),
        facts: factsOf(row, isGone),
        stale: null,
      })
    );
  markCutOff(db, rows, sessionId);
  const staleOf = (some: readonly Tellable[]) => staleAmong(db, some, place);
  const commitsSince = commitsOn(place, rows);
  const text = contextText({ rows, tasks, branch, nowMs, staleOf, commitsSince }, budget);
  return { text, gone };
}

/** Tells of commits on branches that are gone what has become of these; undefined of all else. */
function endsOf(
  db: DatabaseSync,
  project: string,
  isGone: ReturnType<typeof goneBranches>,
): (row: TellableRow) => BranchEnd | null | undefined {
  const ends = new Map<string, BranchEnd | null>();
  return ({ kind, branch }) => {
    if (kind !== "commit" || branch === null || !isGone(branch)) return undefined;
    const known = ends.get(branch);
    if (known !== undefined) return known;
    const end = endOfBranch(db, { project, branch });
    ends.set(branch, end);
    return end;
  };
}

/**
 * Branches that are gone on which something was left open, or worked on since something failed that is open elsewhere, or
 * whose end is not known.
 */
function leftBehind(
  rows: readonly TellableRow[],
  isGone: ReturnType<typeof goneBranches>,
  isUnknown: (row: TellableRow) => boolean,
): string[] {
  const ofGone = rows.filter(({ branch }) => isGone(branch));
  if (ofGone.length === 0) return [];
  const openSinceMs = Math.min(
    ...rows.filter((row) => isUnmended(row) && !isGone(row.branch)).map((row) => row.updatedAtMs),
  );
  const behind = ofGone.filter((row) => {
    if (row.kind === "summary" || row.kind === "fix") {
      return row.updatedAtMs > openSinceMs || leavesSomething(row);
    }
    if (row.kind === "commit") return isUnknown(row);
    return openEndRank({ ...row, facts: keptJson<ObservedFacts>(row.facts, {}) }) !== null;
  });
  return [...new Set(behind.flatMap(({ branch }) => branch ?? []))];
}

function leavesSomething({ facts }: TellableRow): boolean {
  const { left = [], todos } = keptJson<ObservedFacts>(facts, {});
  return left.length + (todos?.open.length ?? 0) > 0;
}

/**
 * Since when a session knows by itself what was done, in epoch milliseconds; null when it has to be told.
 *
 * One that is resumed has what it was told; so has a fork, of its parent, also where it has a new id.
 */
function sinceMs({ source, seenAtMs, nowMs }: ContextPlace): number | null {
  if (source === "fork") return seenAtMs ?? nowMs;
  return source === "resume" ? seenAtMs : null;
}

/** Of a branch that is gone what was done stays done; what was left there is over. */
function factsOf(row: TellableRow, isGone: (branch: string | null) => boolean): ObservedFacts {
  if (!WITH_FACTS.has(row.kind)) return {};
  const facts = keptJson<ObservedFacts>(row.facts, {});
  if (!isGone(row.branch)) return facts;
  const { did = [], todos, workedAtMs } = facts;
  return {
    did,
    todos: { open: [], done: todos?.done ?? [] },
    ...workedAtMs === undefined ? {} : { workedAtMs },
  };
}

/** The same with what was known of the branch under another name, which is the branch's from then on. */
function rowsOfRenamed(
  db: DatabaseSync,
  here: ProjectBranch,
  isGone: (branch: string | null) => boolean,
): TellableRow[] {
  const { project, branch } = here;
  const rows = rowsOf(db, here);
  const gone = [...new Set(rows.map((row) => row.branch))].filter(isGone);
  if (branch === null || gone.length === 0) return rows;
  const former = formerNames({ commonDir: project }, branch);
  const renamed = gone.filter((name) => name !== null && former.has(name));
  if (renamed.length === 0) return rows;
  try {
    for (const name of renamed) renameBranch(db, { project, branch }, name!);
  } catch {
    // Somebody else writes, or nobody can: the next session asks again.
    return rows.map((row) =>
      row.branch !== null && renamed.includes(row.branch) ? Object.assign(row, { branch }) : row
    );
  }
  return rowsOf(db, here);
}

/** What may be told, each once: of the branch, of those that were worked on last, and what counts on every one. */
function rowsOf(db: DatabaseSync, here: ProjectBranch): TellableRow[] {
  const { project, branch } = here;
  const ofProject = tellableOfProject(db, project, { limit: OF_PROJECT });
  const others = new Set(
    ofProject.flatMap((row) => [row.branch, ...branchesOf(row)])
      .filter((other) => other !== branch && other !== null),
  );
  // What was brought in from elsewhere stands on no branch.
  const elsewhere = [...[...others].slice(0, MAX_OTHER_BRANCHES), ...branch === null ? [] : [null]];
  const own = tellableOfBranch(db, here, OF_BRANCH);
  const share = Math.ceil((OF_BRANCHES - own.length) / elsewhere.length);
  const rows = [
    ...own,
    ...weightyOfBranch(db, here, WEIGHTY),
    ...elsewhere.flatMap((other) => tellableOfBranch(db, { project, branch: other }, share)),
    ...ofProject,
  ];
  // A session of a few words is worth a line where there is no other.
  if (!rows.some(({ kind, facts }) => kind === "summary" && !facts.includes(IS_TRIVIAL))) {
    rows.push(...tellableOfProject(db, project, { limit: OF_PROJECT, all: true }));
  }
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** The branches that a session was on before its last one. */
function branchesOf({ kind, facts }: TellableRow): readonly (string | null)[] {
  if (kind !== "summary" || !facts.includes('"branches"')) return [];
  const { branches = [] } = keptJson<ObservedFacts>(facts, {});
  return branches;
}

/** What persons committed on this branch: what sessions did is known. Git's log is read with the first question. */
function commitsOn({ project, branch }: ContextPlace, rows: readonly Tellable[]): CommitsSince {
  let commits: readonly LoggedCommit[] | undefined;
  const turns = new Map<LoggedCommit, TurnDeeds>();
  const turnOf = (commit: LoggedCommit) => {
    const turn = turns.get(commit) ?? committed(commit.subject);
    turns.set(commit, turn);
    return turn;
  };
  const unknown = () => {
    const titles = rows.filter(({ kind }) => kind === "commit").map(({ title }) => title);
    return loggedCommits({ commonDir: project }, branch ?? "")
      .filter(({ subject }) =>
        revertedSubject(subject) === null && !titles.some((title) => title.endsWith(subject))
      );
  };
  return (session) => {
    if (branch === null || session.branch !== branch) return [];
    commits ??= unknown();
    return commits.filter(({ atMs }) => atMs + DATED_TO_MS > session.updatedAtMs).map(turnOf);
  };
}

/** What earlier sessions left open, and which of them are worth a line. */
import type { Tellable } from "./context_text.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";

/** An open end, with the observation that opens it. */
export interface OpenEnd {
  readonly of: Tellable;
  /** Where the title does not say it: `task`, `said`. */
  readonly label: string | null;
  readonly text: string;
}

const MAX_FAILURES = 6;
const MAX_TODOS = 6;
/** Lists that nobody has come back to for longer are forgotten. */
const TODOS_COUNT_MS = 14 * 86_400_000;
/** Of summaries that do not keep their lists apart: what is open, and no task. */
const FAILURE_TITLE = /^`.*` failed\b|^Tests fail|^\w+ failed:/;

/** What a session left that is open now. */
export interface StillOpen {
  readonly failures: readonly string[];
  readonly todos: readonly string[];
}

/**
 * What is open now of all that sessions left open, by the numbers of their summaries: neither mended, nor done by a later
 * session, on whichever branch. All that is told to be open is told by this.
 */
export function stillOpen(
  rows: readonly Tellable[],
  nowMs: number,
): ReadonlyMap<number, StillOpen> {
  const left = new Map<number, StillOpen>();
  const done = new Set<string>();
  const mended = mendedBySession(rows);
  for (const { id, sessionId, facts, updatedAtMs } of sessionsOf(rows)) {
    const lists = facts.todos ??
      { open: facts.open?.filter((one) => !FAILURE_TITLE.test(one)) ?? [], done: [] };
    const listed = new Set(lists.open);
    const over = mended.get(sessionId);
    left.set(id, {
      failures: facts.open?.filter((one) => !listed.has(one) && over?.has(one) !== true) ?? [],
      todos: nowMs - updatedAtMs > TODOS_COUNT_MS ? [] : lists.open.filter((one) => !done.has(one)),
    });
    for (const one of lists.done) done.add(one);
  }
  return left;
}

/**
 * Failures that nothing has mended, what Claude said is left, and what is left of a list.
 *
 * @param rows The newest first. @param left Of these and of all others, see {@linkcode stillOpen}.
 */
export function openEnds(
  rows: readonly Tellable[],
  left: ReadonlyMap<number, StillOpen>,
): OpenEnd[] {
  const sessions = sessionsOf(rows);
  return [
    ...failures(rows).map((of) => ({ of, label: null, text: of.title })),
    ...said(sessions),
    ...todos(sessions, left),
  ];
}

/** The summaries, the newest sign of life first. */
export function sessionsOf(rows: readonly Tellable[]): Tellable[] {
  return rows.filter(({ kind }) => kind === "summary")
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** Of a command on a branch the newest, each said once; tests before builds before the rest, what failed again first, then the newest. */
function failures(rows: readonly Tellable[]): Tellable[] {
  const titles = new Set<string>();
  return newestOfEach(rows.filter((one) => openEndRank(one) !== null))
    .map((one) => ({ one, rank: openEndRank(one) }))
    .filter(({ one }) => !titles.has(one.title) && titles.add(one.title))
    .sort((a, b) =>
      a.rank! - b.rank! || Number(b.one.repeats > 1) - Number(a.one.repeats > 1) ||
      b.one.updatedAtMs - a.one.updatedAtMs
    )
    .map(({ one }) => one)
    .slice(0, MAX_FAILURES);
}

/** Only of the last session: what an earlier one said, it may have done. */
function said([last]: readonly Tellable[]): OpenEnd[] {
  const left = last?.facts.left;
  return last === undefined || left === undefined ? [] : [{ of: last, label: "said", text: left }];
}

/** Of the last session that left something on its list which no later one has done. */
function todos(
  sessions: readonly Tellable[],
  left: ReadonlyMap<number, StillOpen>,
): OpenEnd[] {
  const todosOf = ({ id }: Tellable) => left.get(id)?.todos ?? [];
  const of = sessions.find((one) => todosOf(one).length > 0);
  if (of === undefined) return [];
  return todosOf(of).slice(0, MAX_TODOS).map((text) => ({ of, label: "task", text }));
}

/** Titles of failures that are mended, by session: a summary is told of that with the next drain. */
function mendedBySession(rows: readonly Tellable[]): ReadonlyMap<string, ReadonlySet<string>> {
  const mended = new Map<string, Set<string>>();
  const failed = rows.filter(({ outcome }) => outcome === "failure");
  for (const { sessionId, title, resolvedBy } of failed) {
    if (resolvedBy === null) continue;
    mended.set(sessionId, (mended.get(sessionId) ?? new Set()).add(title));
  }
  // The same may have failed once more.
  for (const { sessionId, title, resolvedBy } of failed) {
    if (resolvedBy === null) mended.get(sessionId)?.delete(title);
  }
  return mended;
}

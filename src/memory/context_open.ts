/** What earlier sessions left open, and which of them are worth a line. */
import type { Tellable } from "./context_text.ts";
import { openEndRank } from "./open_ends.ts";

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

/** Failures that nothing has mended, what Claude said is left, and what is left of a list. @param rows The newest first. */
export function openEnds(rows: readonly Tellable[], nowMs: number): OpenEnd[] {
  const sessions = sessionsOf(rows);
  return [
    ...failures(rows).map((of) => ({ of, label: null, text: of.title })),
    ...said(sessions),
    ...todos(sessions, nowMs),
  ];
}

/** The summaries, the newest sign of life first. */
export function sessionsOf(rows: readonly Tellable[]): Tellable[] {
  return rows.filter(({ kind }) => kind === "summary")
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** Each said once; tests before builds before the rest, what failed again first, then the newest. */
function failures(rows: readonly Tellable[]): Tellable[] {
  const titles = new Set<string>();
  return rows
    .map((one) => ({ one, rank: openEndRank(one) }))
    .filter(({ one, rank }) => {
      if (rank === null || titles.has(one.title)) return false;
      titles.add(one.title);
      return true;
    })
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
function todos(sessions: readonly Tellable[], nowMs: number): OpenEnd[] {
  const done = new Set<string>();
  for (const of of sessions) {
    if (nowMs - of.updatedAtMs > TODOS_COUNT_MS) break;
    const lists = of.facts.todos ??
      { open: of.facts.open?.filter((one) => !FAILURE_TITLE.test(one)) ?? [], done: [] };
    const open = lists.open.filter((one) => !done.has(one));
    if (open.length > 0) {
      return open.slice(0, MAX_TODOS).map((text) => ({ of, label: "task", text }));
    }
    for (const one of lists.done) done.add(one);
  }
  return [];
}

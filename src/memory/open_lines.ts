/** Which of what is open is worth a line, and in what order. */
import type { Tellable } from "./context_text.ts";
import { sessionsOf, type StillOpen } from "./context_open.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";

/** An open end, with the observation that opens it. */
export interface OpenEnd {
  readonly of: Tellable;
  /** Where the title does not say it: `task`, `said`, `cut off (…) while`. */
  readonly label: string | null;
  readonly text: string;
}

const MAX_FAILURES = 6;
const MAX_TODOS = 6;
const MAX_SAID = 6;
const MAX_CUT_OFF = 3;

/**
 * What was cut off, failures that nothing has mended, what Claude said is left, and what is left of a list.
 *
 * @param rows The newest first. @param left Of these and of all others, see {@linkcode stillOpen}.
 */
export function openEnds(
  rows: readonly Tellable[],
  left: ReadonlyMap<number, StillOpen>,
): OpenEnd[] {
  const sessions = sessionsOf(rows);
  return [
    ...cutOff(sessions, left),
    ...failures(rows).map((of) => ({ of, label: null, text: of.title })),
    ...said(sessions, left),
    ...todos(sessions, left),
  ];
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

/** A few, of the newest sessions first. */
function cutOff(
  sessions: readonly Tellable[],
  left: ReadonlyMap<number, StillOpen>,
): OpenEnd[] {
  return sessions.flatMap((of) => {
    const { cutOff } = left.get(of.id) ?? {};
    return cutOff == null
      ? []
      : [{ of, label: `cut off (${cutOff.why}) while`, text: cutOff.asked }];
  }).slice(0, MAX_CUT_OFF);
}

/** A few, of the newest sessions first; of those whose files were worked on since in the end. */
function said(
  sessions: readonly Tellable[],
  left: ReadonlyMap<number, StillOpen>,
): OpenEnd[] {
  const isBehind = ({ id }: Tellable) => Number(left.get(id)?.isWorkedOn === true);
  return sessions.toSorted((a, b) => isBehind(a) - isBehind(b))
    .flatMap((of) => (left.get(of.id)?.said ?? []).map((text) => ({ of, label: "said", text })))
    .slice(0, MAX_SAID);
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

/** What of all that earlier sessions left open is open now. */
import type { Tellable } from "./context_text.ts";
import type { TurnDeeds } from "./observation.ts";
import { newestOfEach, openEndRank } from "./open_ends.ts";
import { type CutOff, cutOffOf } from "./cut_off.ts";
import { once } from "./once.ts";
import { hasDone, hasDropped, type Later, saysAgain, turnsIn } from "./left/items.ts";
import { isOfFailure, type ToldFailure, toldFailure } from "./left/of_failures.ts";
import {
  leftItem,
  restOf,
  saysItFails,
  type SoughtItem,
  soughtItem,
  withoutPicked,
} from "./sought_item.ts";

/** Where so many are open, older ones are not looked for: each is compared with all that was done since. */
const MAX_SAID_COUNTED = 12;
/** So many of what stands on lists are looked for. */
const MAX_TASKS_LOOKED_FOR = 16;
/** What nobody has come back to for longer is forgotten. */
const COUNTS_MS = 14 * 86_400_000;
/** Of summaries that do not keep their lists apart: what is open, and no task. */
const FAILURE_TITLE = /^`.*` failed\b|^Tests fail|^\w+ failed:/;

/** What was committed on the branch of a session since it was seen last. */
export type CommitsSince = (session: Tellable) => readonly TurnDeeds[];

/** What a session left that is open now. */
export interface StillOpen {
  readonly failures: readonly string[];
  readonly todos: readonly string[];
  /** What Claude said at its end. */
  readonly said: readonly string[];
  /** What it was asked when it was cut off, where no later session has gone on with that; else null. */
  readonly cutOff: CutOff | null;
  /**
   * A later session changed files that this one changed, on the same branch or the one that is asked for: what was said of
   * them may be done in other words. On another branch they are other files.
   */
  readonly isWorkedOn: boolean;
}

/**
 * What is open now of all that sessions left open, by the numbers of their summaries: neither mended, nor done by a later
 * session, on whichever branch. All that is told to be open is told by this.
 *
 * @param options `superseded`: of these, see {@linkcode supersededIn}. `branch`: for whom it is told. `commitsSince`: what
 * persons committed.
 */
export function stillOpen(
  rows: readonly Tellable[],
  { superseded, nowMs, branch = null, commitsSince = () => [] }: {
    readonly superseded: ReadonlySet<Tellable>;
    readonly nowMs: number;
    readonly branch?: string | null;
    readonly commitsSince?: CommitsSince | undefined;
  },
): ReadonlyMap<number, StillOpen> {
  const left = new Map<number, StillOpen>();
  const done = new Set<string>();
  const over = overBySession(rows, superseded);
  const later: LaterSession[] = [];
  const sessionsLater: Tellable[] = [];
  const saidLater: SoughtItem[] = [];
  const restLater: SoughtItem[] = [];
  let next: Later | undefined;
  const mendedLater = sessionsMendedLater(rows);
  const tellFailures = once(() => toldFailures(rows, superseded));
  let open = 0;
  let tasks = 0;
  for (const session of byWork(sessionsOf(rows))) {
    const { id, sessionId, facts, updatedAtMs } = session;
    const isOld = nowMs - updatedAtMs > COUNTS_MS;
    const lists = facts.todos ??
      { open: facts.open?.filter((one) => !FAILURE_TITLE.test(one)) ?? [], done: [] };
    const listed = new Set(lists.open);
    const isOver = over.get(sessionId);
    const items = isOld || open >= MAX_SAID_COUNTED ? [] : saidBy(session);
    const failures = facts.open?.filter((one) => !listed.has(one) && isOver?.has(one) !== true) ??
      [];
    const worksNow = failures.length === 0 && mendedLater.has(sessionId);
    const isAsked = items.length + lists.open.length > 0 || facts.cutOff !== undefined;
    const commits = isAsked ? commitsSince(session) : [];
    const since = [...later, { turns: commits, files: [] }].filter(({ turns }) => turns.length > 0);
    const isDone = (item: SoughtItem) => since.some((one) => hasDone(item, one, session));
    const wanted = items.filter((item) => !since.some((one) => hasDropped(item, one)));
    const said = restAfter(wanted, next, isDone)
      .filter((item) => !(worksNow && saysItFails(item)) && !isOfFailure(item, tellFailures()))
      .map((item) =>
        restOf(item, (one) => saysAgain(one, saidLater) || isOfRest(one, restLater) || isDone(one))
      )
      .filter((item) => item !== null);
    const todos = isOld ? [] : lists.open.filter((one) =>
      !done.has(one) &&
      !(since.length > 0 && tasks++ < MAX_TASKS_LOOKED_FOR && isTaskDone(one, isDone))
    );
    left.set(id, {
      failures,
      todos,
      said: said.map(({ text }) => text),
      cutOff: isOld ? null : cutOffOf(session, sessionsLater, isDone),
      isWorkedOn: isWorkedOn(session, later, branch),
    });
    for (const one of lists.done) done.add(one);
    const turns = turnsIn(facts.did ?? []);
    const one = { turns, files: session.files, branches: branchesOf(session) };
    later.push(one);
    sessionsLater.push(session);
    // What is said in passing is not what comes next.
    if (facts.trivial !== true) next = one;
    saidLater.push(...items);
    if (turns.some(({ forIt }) => forIt === true)) restLater.push(...items);
    open += said.length;
  }
  return left;
}

/** A later session, and where it worked. */
interface LaterSession extends Later {
  readonly branches: readonly (string | null)[];
}

function branchesOf({ branch, facts }: Tellable): readonly (string | null)[] {
  return facts.branches ?? [branch];
}

/** Whether a later session changed what a session changed, where that is, or where it is told. */
function isWorkedOn(
  session: Tellable,
  later: readonly LaterSession[],
  here: string | null,
): boolean {
  const places = new Set([...branchesOf(session), here]);
  return later.some(({ files, branches }) =>
    branches.some((branch) => places.has(branch)) &&
    files.some((file) => session.files.includes(file))
  );
}

/** The summaries, the newest sign of life first. */
export function sessionsOf(rows: readonly Tellable[]): Tellable[] {
  return rows.filter(({ kind }) => kind === "summary")
    .sort((a, b) => b.updatedAtMs - a.updatedAtMs);
}

/** The last that did something first: one that was gone on with for a word has done nothing since. */
function byWork(sessions: readonly Tellable[]): Tellable[] {
  const workedAtMs = ({ facts, updatedAtMs }: Tellable) => facts.workedAtMs ?? updatedAtMs;
  return sessions.toSorted((a, b) => workedAtMs(b) - workedAtMs(a));
}

/** What a session said is left; of older ones nobody can tell what it is about. */
function saidBy({ facts: { left = [] } }: Tellable): readonly SoughtItem[] {
  return (typeof left === "string" ? [{ text: left, about: "" }] : left).map(soughtItem);
}

/**
 * What the session that came next has left of what it was asked to go on with at its beginning: those that it did not pick,
 * nothing where it was asked for all and ended, but where what it did is some of them and it does not say that all are done.
 */
function restAfter(
  items: readonly SoughtItem[],
  next: Later | undefined,
  isDone: (item: SoughtItem) => boolean,
): readonly SoughtItem[] {
  const [first] = next?.turns ?? [];
  if (first?.picked !== undefined) return withoutPicked(items, first.picked);
  if (first?.forIt !== true) return items;
  return items.some(isDone) ? withoutAll(items, first.all) : [];
}

/** What is left of some things where so many are said to be all that are done: of more of them those that stand on no list. */
function withoutAll(items: readonly SoughtItem[], all: number | undefined): readonly SoughtItem[] {
  if (all === undefined) return items;
  if (all === 0 || items.length <= all) return [];
  const beside = items.filter(({ nth }) => nth === undefined);
  return items.length - beside.length === all ? beside : items;
}

/** Whether who went on with all that was left says of this, in a word of it, that it is left yet. */
function isOfRest({ about }: SoughtItem, rest: readonly SoughtItem[]): boolean {
  return rest.some((one) => one.about.size > 0 && one.about.isSubsetOf(about));
}

/** What is on a list a later session cannot tick there: it is done as what was said is. */
function isTaskDone(task: string, isDone: (item: SoughtItem) => boolean): boolean {
  const item = soughtItem(leftItem(task));
  return item.about.size > 0 && isDone(item);
}

/** Each failure that is told. */
function toldFailures(
  rows: readonly Tellable[],
  superseded: ReadonlySet<Tellable>,
): readonly ToldFailure[] {
  return rows.filter((one) => openEndRank(one) !== null && !superseded.has(one))
    .map(toldFailure);
}

/** Sessions of whose failures another one has mended some. */
function sessionsMendedLater(rows: readonly Tellable[]): ReadonlySet<string> {
  const sessionOf = new Map(rows.map(({ id, sessionId }) => [id, sessionId]));
  return new Set(
    rows.filter(({ outcome, resolvedBy, sessionId }) =>
      outcome === "failure" && resolvedBy !== null &&
      (sessionOf.get(resolvedBy) ?? sessionId) !== sessionId
    ).map(({ sessionId }) => sessionId),
  );
}

/** Failures of a command that has failed in another way on its branch since. */
export function supersededIn(rows: readonly Tellable[]): ReadonlySet<Tellable> {
  const open = rows.filter((one) => openEndRank(one) !== null);
  const newest = new Set(newestOfEach(open));
  return new Set(open.filter((one) => !newest.has(one)));
}

/**
 * Titles of failures that are mended, or of which a later one tells, by session: a summary is told of that with the next
 * drain, or not at all.
 */
function overBySession(
  rows: readonly Tellable[],
  superseded: ReadonlySet<Tellable>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const over = new Map<string, Set<string>>();
  const failed = rows.filter(({ outcome }) => outcome === "failure");
  const isOver = (one: Tellable) => one.resolvedBy !== null || superseded.has(one);
  for (const one of failed.filter(isOver)) {
    over.set(one.sessionId, (over.get(one.sessionId) ?? new Set()).add(one.title));
  }
  // The same may have failed once more.
  for (const one of failed) if (!isOver(one)) over.get(one.sessionId)?.delete(one.title);
  return over;
}

/** What a session left, of all that Claude said in it is still to be done. */
import { isSettledBy, questionIn } from "../answered.ts";
import { isDeedOfCommands } from "./deeds.ts";
import type { PassedSince } from "./failing.ts";
import { hasDone, saysAgain } from "./items.ts";
import type { LeftItem, TurnDeeds } from "../observation.ts";
import { asksForIt, asksWhatIsLeft, declines } from "../prompt_asks.ts";
import { hasEnded, leftItemsIn } from "../said/done.ts";
import {
  keptWords,
  restOf,
  type SoughtItem,
  soughtItem,
  withoutPicked,
  wordsOf,
} from "../sought_item.ts";
import { hasWorked, type Turn } from "../turns.ts";

/** Nothing of it is left, as Claude says behind what it did. */
const ALL_DONE =
  /[^.!?\n]*(?:\b(?:nothing (?:is |else )?(?:left|open|remains?|missing)|(?:all|both|everything)\b[^.!?\n]{0,60}\b(?:done|finished|complete[d]?|implemented|handled|covered|in place|mended|fixed|(?:is|are)(?: now)? in(?=\s*(?:[.,!\n]|$))))\b|(?:alles|beides) (?:ist )?(?:fertig|erledigt))/i;
/** More of a session is not kept. */
const MAX_LEFT = 12;

/** Something that a turn left. */
interface Left {
  readonly item: SoughtItem;
  /** The number of the turn. */
  readonly by: number;
}

/** A turn, with what was before it. */
interface Here {
  readonly turns: readonly Turn[];
  readonly deeds: readonly TurnDeeds[];
  readonly at: number;
  /** What it says is left. */
  readonly said: readonly SoughtItem[];
  /** Those that were changed before it. */
  readonly files: readonly string[];
}

/**
 * What is left at a session's end, what was said last first: what its turns said is, but for what a later turn has done, in the
 * same words as a later session would have to, has said again, what a person did not want, and what was asked for as a whole
 * and worked on until the turn ended; nor what was said to fail and has passed.
 *
 * @param turns Oldest first. @param deeds What each of them did.
 */
export function leftBy(
  turns: readonly Turn[],
  deeds: readonly TurnDeeds[],
  { hasPassed = () => false }: { readonly hasPassed?: PassedSince } = {},
): readonly LeftItem[] {
  let left: readonly Left[] = [];
  const files: string[] = [];
  turns.forEach((turn, at) => {
    const said = leftItemsIn(turn.message, turn.asked).map(soughtItem);
    if (left.length > 0) left = stillLeft(left, { turns, deeds, at, said, files });
    left = [...said.map((item) => ({ item, by: at })), ...left].slice(0, MAX_LEFT);
    files.push(...turn.files);
  });
  const isOpen = ({ item, by }: Left) => !hasPassed(item, turns[by]!.endedAtMs);
  return left.filter(isOpen).map(({ item: { text, about, nth }, by }) => ({
    text,
    about: keptWords(about),
    // Only of the list that was told last a number is a name.
    ...(nth === undefined || by < turns.length - 1 ? {} : { nth }),
  }));
}

/** What a turn has left of what was left before. */
function stillLeft(left: readonly Left[], here: Here): readonly Left[] {
  const { turns, deeds, at, said, files } = here;
  const turn = turns[at]!;
  const isOverview = said.length > 0 && !hasWorked(turn) && turn.asked.some(asksWhatIsLeft);
  if (isOverview) return [];
  const isOver = turn.asked.some(declines) ||
    hasEnded(turn) && turn.hasChanged && turn.asked.some(asksForIt);
  const meant = isOver ? meantBy(turn, left) : [];
  const { picked } = deeds[at]!;
  // "Both" are those that were picked by number.
  const isAllDone = (picked?.nth.length ?? 0) === 0 && said.length === 0 && hasWorked(turn) &&
    hasEnded(turn);
  const allDone = isAllDone ? ALL_DONE.exec(turn.message)?.[0] ?? "" : "";
  const renewed = renewedTurns(left, here);
  const settled = settledBy(turn, left.filter(({ by }) => by === at - 1));
  const later = { turns: [deeds[at]!], files: turn.files };
  const last = left.filter(({ by }) => by === left[0]!.by).map(({ item }) => item);
  const rest = withoutPicked(last, picked);
  return left.flatMap((one) => {
    if (meant.includes(one) || renewed.has(one.by) || settled.includes(one)) return [];
    if (last.includes(one.item) && !rest.includes(one.item)) return [];
    if (allDone !== "" && isOfSame(one, { ...here, words: allDone })) return [];
    const title = [turns[0]!, turns[one.by]!].flatMap(({ asked }) => asked).join("\n");
    const item = restOf(
      one.item,
      (item) => saysAgain(item, said) || hasDone(item, later, { files, title }),
    );
    return item === null ? [] : [{ ...one, item }];
  });
}

/** To what a turn goes back: to what was said last, or of that to what it names. */
function meantBy({ asked }: Turn, left: readonly Left[]): readonly Left[] {
  const words = wordsOf(asked);
  const last = left.filter(({ by }) => by === left[0]!.by);
  const named = last.filter(({ item }) => !item.about.isDisjointFrom(words));
  return named.length > 0 ? named : last;
}

/** What an answer has settled of what the turn before it left; nothing where that asks several things. */
function settledBy(turn: Turn, left: readonly Left[]): readonly Left[] {
  const asks = left.filter(({ item }) => questionIn(item.text) !== "");
  return asks.length === 1 ? asks.filter(({ item }) => isSettledBy(item, turn)) : [];
}

/** Of which turns a later one tells what is left now: it is about the same, says some of it again, and work went on. */
function renewedTurns(left: readonly Left[], here: Here): ReadonlySet<number> {
  const { turns, at, said } = here;
  const isSaid = ({ item }: Left) =>
    !isDeedOfCommands(item.what) && [item, ...item.parts].some((one) => saysAgain(one, said));
  const byTurn = said.length === 0 ? [] : [...Map.groupBy(left, ({ by }) => by)];
  return new Set(
    byTurn.filter(([by, items]) =>
      turns.slice(by + 1, at + 1).some(hasWorked) && items.some(isSaid) &&
      items.some((one) => isOfSame(one, { ...here, words: "" }))
    ).map(([by]) => by),
  );
}

/** Whether a turn is about what another left: by its words or its files, or since it names nothing. */
function isOfSame(
  { item, by }: Left,
  { turns, at, words }: Here & { readonly words: string },
): boolean {
  const [turn, before] = [turns[at]!, turns[by]!];
  const asked = wordsOf(turn.asked);
  const about = item.about.union(wordsOf(before.asked));
  return asked.size === 0 || turn.files.some((file) => before.files.includes(file)) ||
    !about.isDisjointFrom(asked.union(wordsOf([words])));
}

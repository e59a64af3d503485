/** What a session was asked when it was cut off, and whether a later one has gone on with it. */
import type { Tellable } from "./context_text.ts";
import { areApart, numbersOf, speakOf } from "./left/compared.ts";
import { asksForIt, GOES_ON } from "./prompt_asks.ts";
import { keptWords, type SoughtItem, soughtItem, wordsIn } from "./sought_item.ts";
import { tellingWords } from "./telling_words.ts";
import { hasWorked, type Turn, type TurnPart } from "./turns.ts";
import { areContrary, standsForAnother } from "./word_places.ts";
import { shortened } from "./text.ts";

/** What was asked in a turn that had not ended. */
export interface UnderWay {
  readonly asked: string;
  /** The words that tell what it is about, with blanks between. */
  readonly about: string;
}

/** A session that was cut off: by what, and what it was asked. */
export interface CutOff {
  readonly why: string;
  readonly asked: string;
}

const MAX_CHARS = 160;
/** Of what is asked half of the words, and so many, are enough where both changed the same files. */
const FEW = 2;
/** How one goes on with something that is named. */
const GOES_ON_WITH =
  /^\W*(?:(?:ok(?:ay)?|yes|please|now|and|then|so|let['’]?s|can you|could you|bitte)\b\W*){0,4}(?:continue|resume|proceed|carry on|go on|keep on|pick up|mach weiter|weiter|sigue|continúa|continue[rz])\b(?:\W*\b(?:on|with|mit|con|avec)\b)?/i;

/** What a session is at, by its prompts: the last that tells something. Null where none does. */
export function underWayIn(prompts: readonly TurnPart[]): UnderWay | null {
  const ask = prompts.toSorted((one, other) => one.updatedAtMs - other.updatedAtMs)
    .findLast(({ title }) => !GOES_ON.test(title));
  return ask === undefined
    ? null
    : { asked: shortened(ask.title, MAX_CHARS), about: keptWords(wordsAsked(ask.title)) };
}

/** What the turns of a session were asked that ended and did something, each as its words; empty: to go on. */
export function answeredIn(turns: readonly Turn[]): readonly string[] {
  const asked = turns.filter((turn) => turn.message !== "" && hasWorked(turn))
    .flatMap(({ asked }) => asked)
    .map((one) => asksForIt(one) ? "" : keptWords(wordsAsked(one)));
  return [...new Set(asked)];
}

/**
 * What a session left by being cut off; null where it was not, or where it is over: a later session on its branch was asked the
 * same, or at once to go on, and worked on it until it ended a turn; it is at it, or was cut off itself; or it was done otherwise.
 *
 * @param later The sessions after it, the newest first. @param isDone Whether a later session has done something.
 */
export function cutOffOf(
  session: Tellable,
  later: readonly Tellable[],
  isDone: (item: SoughtItem) => boolean,
): CutOff | null {
  const { underWay, cutOff } = session.facts;
  if (underWay === undefined || cutOff === undefined) return null;
  const item = soughtItem({ text: underWay.asked, about: underWay.about });
  const onBranch = later.filter(({ branch }) => branch === session.branch);
  const isOver = onBranch.at(-1)?.facts.answered?.[0] === "" || isDone(item) ||
    onBranch.some(({ facts, files }) => {
      const isNear = files.some((file) => session.files.includes(file));
      const asked = [...facts.answered ?? [], facts.underWay?.about ?? ""];
      return asked.some((about) => isOfSame(item, wordsIn(about), isNear));
    });
  return isOver ? null : { why: cutOff, asked: underWay.asked };
}

function wordsAsked(prompt: string): ReadonlySet<string> {
  return tellingWords(prompt.replace(GOES_ON_WITH, ""));
}

/** Whether something else that was asked is the same, or a part of it. */
function isOfSame(
  { text, about }: SoughtItem,
  words: ReadonlySet<string>,
  isNear: boolean,
): boolean {
  if (areContrary(about, words)) return false;
  const shared = about.intersection(words).size;
  if (isNear && shared >= FEW && 2 * shared >= about.size) return true;
  if (areApart(numbersOf(about), numbersOf(words))) return false;
  if (standsForAnother(about, words, { text, isTitle: true })) return false;
  return speakOf(about, words) || words.size >= FEW && speakOf(words, about);
}

/** Whether a thing that was still to be made was made, by whatever word: `Add tests` for `the tests are not written yet`. */
import type { ReadDeed } from "./items.ts";
import { once } from "../once.ts";
import { subjectOf } from "../session_subject.ts";
import { type SoughtItem, wordsOf } from "../sought_item.ts";
import { areContrary, requiredOf, standsForAnother } from "../word_places.ts";

type Words = ReadonlySet<string>;

/** Words of which any says that a thing is made. */
const MAKING = once(() =>
  wordsOf(["write create build make made generate provide introduce put place cover"])
);
/** What is said beside a thing and makes no other of it. */
const BESIDE = once(() =>
  wordsOf([
    "go ahead now also some few more new unit simple basic small short corresponding relevant usual own file files case " +
    "cases spec suite page section all them it",
  ])
);

/** Whether what is left is said to be a thing that was not made yet: `not written`, `has to be created`. */
export function isToBeMade({ lacks }: SoughtItem): boolean {
  return lacks.size > 0 && lacks.isSubsetOf(MAKING());
}

/**
 * Whether some of a turn's deeds have made what was left to be made, see {@linkcode isToBeMade}.
 *
 * A thing of several words (`tests for the limiter`) is known by these. One of a single word (`the tests`) is known by what
 * the session that left it was about: nothing else may be named with it, and what Claude says or commits has to name that,
 * or a person has asked for the thing.
 *
 * @param deeds Those that may be of it. @param options `title`: what the session that left it was about. `isNear`: the turn
 * changed a file of that.
 */
export function wasMade(
  item: SoughtItem,
  deeds: readonly ReadDeed[],
  { title = "", isNear }: { readonly title?: string; readonly isNear: boolean },
): boolean {
  const { what, about, joined, text } = item;
  const making = MAKING();
  const thing = what.difference(making);
  const named = about.difference(making);
  const isOfThing = ({ words, by }: ReadDeed) =>
    thing.isSubsetOf(words) && joined.difference(making).isSubsetOf(words) &&
    requiredOf(named).isSubsetOf(words) && !areContrary(named, words) &&
    !standsForAnother(named, words, { text, isTitle: by !== "said" });
  const of = deeds.filter((deed) => deed.by !== "dropped" && isOfThing(deed));
  const made = of.filter(({ makes, by }) => makes === true && by !== "wanted");
  if (thing.size === 0 || made.length === 0) return false;
  if (thing.size > 1) return true;
  const context = wordsOf([subjectOf(title)]).difference(thing);
  const isNothingElse = ({ words }: ReadDeed) => isAmong(words, [thing, making, context, BESIDE()]);
  const isKnown = ({ words }: ReadDeed) => !words.isDisjointFrom(context);
  return of.some((deed) => deed.by === "asked" && isNothingElse(deed)) ||
    made.some((deed) => isNothingElse(deed) && (isKnown(deed) || isNear && deed.by === "made"));
}

function isAmong(words: Words, others: readonly Words[]): boolean {
  return [...words].every((word) => others.some((some) => some.has(word)));
}

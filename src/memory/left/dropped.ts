/** Whether what a person does not want, has done, or says is right, is what was said to be left. */
import { sharedOf } from "./compared.ts";
import type { ReadDeed } from "./items.ts";
import { once } from "../once.ts";
import { type SoughtItem, wordsOf } from "../sought_item.ts";
import { areContrary, standsForAnother } from "../word_places.ts";

type Words = ReadonlySet<string>;

/** By these one says that it was not tested. */
const TRYING = once(() => wordsOf(["test tested verify verified check checked try tried"]));

/** Whether a person does not want what is left, or has done it: what is called so is most of it, and nothing else. */
export function isDropped(item: SoughtItem, { words, tried }: ReadDeed): boolean {
  const { about, text } = item;
  if (tried === true && !isToBeTried(item, words)) return false;
  return words.size > 0 && sharedOf(words, about) * 2 > words.size && isOfAll(item, words) &&
    !areContrary(about, words) && !standsForAnother(about, words, { text });
}

/** Whether nothing is left but to test what a person says is right, of which some words tell most. */
function isToBeTried({ what, about, lacks }: SoughtItem, words: Words): boolean {
  const thing = what.difference(lacks);
  return lacks.size > 0 && lacks.isSubsetOf(TRYING()) && words.isSubsetOf(about) &&
    2 * sharedOf(thing, words) >= thing.size;
}

/** Whether what is said of something that is left is not of a part of what that joins: it names all of these, or none. */
export function isOfAll({ joined }: SoughtItem, words: Words): boolean {
  return joined.isSubsetOf(words) || joined.isDisjointFrom(words);
}

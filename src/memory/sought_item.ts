/** Something that was said to be left, or stood on a list, ready to be looked for in what was done since. */
import { filesNamedIn, joinedIn, lackingIn, listIn, placesIn, STILL_OPEN } from "./left/words.ts";
import { numberPattern } from "./number_words.ts";
import type { LeftItem } from "./observation.ts";
import { once } from "./once.ts";
import { isPicked, type Picked } from "./prompt_picks.ts";
import { firstOfSame } from "./same_words.ts";
import { tellingWords } from "./telling_words.ts";

const MAX_WORDS = 24;
/** It says where something is, in words that are no one's. */
const ADDRESS = /https?:\/\/\S+/g;
/** Says that something does not work: no word of Claude alone takes that back. */
const FAILS =
  /\b(?:fail(?:s|ed|ing|ure)?|broken|breaks?|complains?|red|schlägt (?:noch )?fehl|falla)\b/i;
/** What is said of a failure, whichever it is. */
const OF_FAILING = once(() =>
  wordsOf(["complain error errors debug solve investigate repair pass"])
);
/** Says how many there are. */
const COUNTS = new RegExp(
  `\\b(?:${numberPattern("english", "german", "spanish", "french")}|both|\\d+)\\b`,
  "i",
);
/** Behind a thing: which one it is. */
const TELLS_MORE =
  /\s(?:for|on|of|about|in|to|at|by|with|from|into|when|that|which|as|per|via)\s.*$|\s?[:(—–].*$|\s-\s.*$/is;
/** What is to be done with a thing, and is not to make it. */
const IS_DEED =
  /^\W*(?:test|document|remove|delete|drop|disable|hide|refactor|rename|move|fix|mend|review|check|verify|benchmark|log|update|upgrade|extend|improve|clean|tidy|split|replace|revert|deploy|publish|release|translate|enable|migrate|port|wire|connect|hook|use|run|rerun|measure|profile|speed|cache|limit|validate)\b(?=\s+(?:the|an?|our)?\s*\S)/i;

type Words = ReadonlySet<string>;

/** Something that was left, to be looked for. */
export interface SoughtItem {
  readonly text: string;
  readonly about: Words;
  /** Of these what tells what is left, and not where, … */
  readonly what: Words;
  /** … and of these the word for what is not done with it; empty where it is any (`not handled yet`). */
  readonly lacks: Words;
  /** What is numbered in it: a version, an issue, a port. */
  readonly numbers: Words;
  /** The files that it names. */
  readonly names: readonly string[];
  /** Of what it joins, by "and" or in a list, a word for each: one of them is not all. */
  readonly joined: Words;
  /** Where it tells a list, what stands before that, and each of its things. */
  readonly lead: string;
  readonly parts: readonly SoughtItem[];
  /** Its number on the list that it stood on, from 1. */
  readonly nth: number | undefined;
}

/** What was left, ready to be looked for. */
export function soughtItem({ text, about: kept, nth }: LeftItem): SoughtItem {
  const about = wordsIn(kept);
  const what = about.difference(wordsOf(placesIn(text)));
  const lacks = wordsOf(lackingIn(text));
  const { lead, parts } = listIn(text);
  return {
    text,
    about,
    what: what.size === 0 ? about : what,
    lacks: lacks.intersection(about),
    numbers: numbersIn(text),
    names: filesNamedIn(text),
    joined: new Set([...joinedIn(text, parts)].map(firstOfSame)).intersection(about),
    lead,
    parts: parts.map((part) => soughtItem(leftItem(part))),
    nth,
  };
}

/** What a text says is left, with the words that it is known by. @param words Those that tell it, where others do not. */
export function leftItem(text: string, words: string = text): LeftItem {
  return { text, about: keptWords(tellingWords(words.replace(ADDRESS, " "))) };
}

/** So many words as are kept of what was left or done, with blanks between. */
export function keptWords(words: Words): string {
  return [...words].slice(0, MAX_WORDS).join(" ");
}

/** What is left of something when some of it is over: of a list its other things. @returns Null where nothing is. */
export function restOf(
  item: SoughtItem,
  isOver: (item: SoughtItem) => boolean,
): SoughtItem | null {
  if (isOver(item)) return null;
  const parts = item.parts.filter((part) => !isOver(part));
  if (parts.length === item.parts.length) return item;
  if (parts.length === 0) return null;
  const lead = COUNTS.test(item.lead) ? STILL_OPEN : item.lead;
  return soughtItem(leftItem(lead + parts.map(({ text }) => text).join(", ")));
}

/** Whether something that is left says of itself that it does not work. */
export function saysItFails({ text }: SoughtItem): boolean {
  return FAILS.test(text);
}

/** Words without those that are said of any failure. */
export function withoutWordsOfFailing(words: Words): Words {
  return words.difference(OF_FAILING());
}

/** The words that are kept with blanks between, of those for the same deed the first. */
export function wordsIn(kept: string): Words {
  return new Set(kept === "" ? [] : kept.split(" ").map(firstOfSame));
}

/** The words of some texts that tell something, of those for the same deed the first. */
export function wordsOf(texts: readonly string[]): Words {
  return new Set([...tellingWords(texts.join(" "))].map(firstOfSame));
}

function numbersIn(text: string): Words {
  return new Set(text.match(/\d+(?:\.\d+)*/g));
}

/** What is left where some of a list were asked for by their numbers, and done, but for what the turn says it could not do. */
export function withoutPicked<Item extends Pick<SoughtItem, "nth" | "about" | "text">>(
  items: readonly Item[],
  picked: Picked | undefined,
): readonly Item[] {
  if (picked === undefined) return items;
  const but = wordsIn(picked.but ?? "");
  if (picked.named !== undefined) {
    const named = namedAmong(items, picked.named.map(wordsIn));
    return items.filter((item) => !named.includes(item) || !item.about.isDisjointFrom(but));
  }
  const last = Math.max(0, ...items.map(({ nth = 0 }) => nth));
  return items.filter(({ nth, about }, at) => {
    const isAsked = picked.nth.length === 0
      ? picked.isRest === true || at === 0
      : nth !== undefined && isPicked(picked, nth, last);
    return !isAsked || !about.isDisjointFrom(but);
  });
}

/** Of a list the things that some names call; none where one of the names calls none of them, or several. */
function namedAmong<Item extends Pick<SoughtItem, "nth" | "about" | "text">>(
  items: readonly Item[],
  names: readonly Words[],
): readonly Item[] {
  const called = names.map((name) =>
    items.filter(({ nth, about, text }) =>
      nth !== undefined && name.isSubsetOf(about) && name.has(headOf(text))
    )
  );
  return called.every(({ length }) => length === 1) ? called.flat() : [];
}

/** The word for a thing, without what tells more of it: `exporter` of `CSV exporter for admins`; empty for a deed. */
function headOf(text: string): string {
  if (IS_DEED.test(text)) return "";
  return [...wordsOf([text.replace(TELLS_MORE, "")])].at(-1) ?? "";
}

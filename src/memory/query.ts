/** What a person typed, as something that the index can be asked, whatever it is. */
import { EMPTY_WORDS, STOP_WORDS } from "./stop_words.ts";
import {
  isBeyondAscii,
  LETTER_OR_DIGIT,
  type LetterPattern,
  occursIn,
  patternFor,
  scriptPattern,
} from "../letters.ts";
import { codeTerms, exactTerm, isUnspaced } from "./terms.ts";

/** One word to look for. */
export interface QueryTerm {
  /** As the index takes it, in quotes: `"parse"`. */
  readonly match: string;
  /** Exact words of code and paths tell more than words of prose. */
  readonly kind: "word" | "exact" | "part" | "pair";
}

/** A question to the index. */
export interface MemoryQuery {
  /** Each once, in the order in which they were typed. */
  readonly terms: readonly QueryTerm[];
  /** What stood in quotes, in small letters; none of a text with many quotes, which was pasted. */
  readonly phrases: readonly string[];
  /**
   * Words that say little, in quotes like those of the terms: `"down"`. They find nothing by themselves and tell apart what
   * the terms find; none where a text has no others.
   */
  readonly small: readonly string[];
  /** False for a text of nothing but small words: `what did I do`. */
  readonly tells: boolean;
}

/** What is looked at of a query, in characters. */
export const MAX_QUERY_CHARS = 4_000;
/** How many words of it are asked for. */
const MAX_QUERY_TERMS = 64;
/** How many words that say little are looked at, and in a text of how many words at most: in a longer one they decide nothing. */
const MAX_SMALL_WORDS = 6;
const MAX_WITH_SMALL = 20;
/** So many words may be those of one identifier, and so many are looked at for that. */
const MAX_JOINED_WORDS = 5;
const MAX_JOINED_FROM = 12;
/** A text with more pieces in quotes is code or a log, of which no piece has to be there. */
const MAX_PHRASES = 3;
/** A word with its accents, however they are written. */
const WORD: LetterPattern = {
  ascii: /[a-z\d]+/g,
  any: scriptPattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu"),
};
/** Longer words than the index has; SQLite takes any. */
const MAX_WORD_CHARS = 64;

/** Reads a query. It never fails; a text without any letter or digit gives no terms. */
export function readQuery(text: string): MemoryQuery {
  // SQLite takes a NUL for the end of an expression.
  const whole = text.slice(0, MAX_QUERY_CHARS).replaceAll("\0", " ");
  const typed = isBeyondAscii(whole) ? whole.normalize("NFC").toWellFormed() : whole;
  const found = new Map<string, QueryTerm["kind"]>();
  const words = (typed.toLowerCase().match(patternFor(WORD, typed)) ?? [])
    .map((word) => word.slice(0, MAX_WORD_CHARS));
  const telling = words.filter((word) =>
    !STOP_WORDS.has(word) && (word.length > 1 || /\d/.test(word) || isUnspaced(word))
  );
  const { exact, parts } = codeTerms(typed);
  for (const word of exact) found.set(word, "exact");
  for (const word of telling.length > 0 ? telling : words) {
    if (!found.has(word)) found.set(word, "word");
  }
  for (const name of joinedWords(telling)) if (!found.has(name)) found.set(name, "exact");
  for (const word of parts) if (!found.has(word) && !STOP_WORDS.has(word)) found.set(word, "part");
  for (const pair of pairsOf(words)) found.set(pair, "pair");
  const terms = [...found].slice(0, MAX_QUERY_TERMS)
    .map(([word, kind]): QueryTerm => ({ match: `"${word}"`, kind }));
  return {
    terms,
    small: telling.length > 0 && words.length <= MAX_WITH_SMALL ? smallOf(words) : [],
    phrases: quotedPhrases(typed),
    tells: telling.length + exact.length > 0,
  };
}

/** The words that say little, each once, in quotes; those that say nothing at all are left out. */
function smallOf(words: readonly string[]): string[] {
  const small = words.filter((word) => STOP_WORDS.has(word) && !EMPTY_WORDS.has(word));
  return [...new Set(small)].slice(0, MAX_SMALL_WORDS).map((word) => `"${word}"`);
}

/** Neighbouring words as one identifier: who remembers `parseHookEvent` may type "parse hook event". */
function joinedWords(words: readonly string[]): string[] {
  const names: string[] = [];
  for (let length = 2; length <= MAX_JOINED_WORDS; length++) {
    for (let from = 0; from + length <= Math.min(words.length, MAX_JOINED_FROM); from++) {
      names.push(exactTerm(words.slice(from, from + length).join("")));
    }
  }
  return names;
}

/** Words that stand next to each other and both tell something: together they name a thing. */
function pairsOf(words: readonly string[]): string[] {
  return words.slice(0, MAX_JOINED_FROM).flatMap((word, at) => {
    const next = words[at + 1];
    const tells = (one: string | undefined) => one !== undefined && !STOP_WORDS.has(one);
    return tells(word) && tells(next) && word !== next ? [`${word} ${next}`] : [];
  });
}

function quotedPhrases(typed: string): string[] {
  const phrases = [...typed.matchAll(/"([^"]{2,200})"/g)]
    .map(([, phrase]) => phrase!.toLowerCase().replace(/\s+/g, " ").trim())
    .filter((phrase) => occursIn(LETTER_OR_DIGIT, phrase));
  return phrases.length > MAX_PHRASES ? [] : phrases;
}

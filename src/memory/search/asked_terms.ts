/** Looks up the words of a question in the index: how often each occurs, and similar words for rare ones. */
import WORDS from "./common_words.json" with { type: "json" };
import type { DatabaseSync } from "node:sqlite";
import type { QueryTerm } from "./question.ts";
import { isBeyondAscii, scriptPattern } from "../../base/letters.ts";
import { exactTerm, isUnspaced, projectTerm } from "./terms.ts";
import { countMatches, reckonMatches } from "./memory_search_table.ts";

export interface AskedTerm {
  readonly term: QueryTerm;
  /** The number of observations with it; above the limit an estimate. */
  readonly count: number;
  /** An expression for similar words, and the number of observations with them; null when none is needed or found. */
  readonly resembling: { readonly match: string; readonly count: number } | null;
}

/**
 * A word in at most this many observations, or in less than this part of them, is rare: similar words are searched too.
 */
const RARE = { count: 2, oneOf: 200 };
/**
 * Limits for long questions, which have more than `terms` terms: at most `asked` and at least `enough` of them are searched.
 * A term is rare below a tenth (`rare`) of the limit of a term; all rare terms together stay below a third (`together`).
 */
const LONG = { terms: 24, asked: 14, enough: 3, rare: 10, together: 3 };
/** The most unknown words that are corrected as typing errors: each needs a few hundred look-ups. */
const MAX_TYPOS = 1;
const AT_ONCE = 32;
/** With this many known words no word is corrected: the others find enough. */
const ENOUGH_KNOWN = 4;
/** The most rare words that are looked up. */
const MAX_LOOKED_UP = 8;

/** How far words are counted, and in which project. */
export interface CountOptions {
  /** Occurrences are counted up to this. */
  readonly limit: number;
  readonly observations: number;
  /** The project in which words must occur; null for all. */
  readonly project: string | null;
}

export function askedTerms(
  db: DatabaseSync,
  typed: readonly QueryTerm[],
  options: CountOptions,
): AskedTerm[] {
  const { observations } = options;
  const { terms, counts } = tellingTerms(db, typed, options);
  const rare = Math.max(RARE.count, observations / RARE.oneOf);
  // An unknown identifier is not a typing error.
  const names = new Set(
    terms.filter(({ kind }) => kind === "exact").map(({ match }) => match.slice(1, -1)),
  );
  const known = terms.filter(({ kind }, at) => kind === "word" && counts[at]! > 0).length;
  let typos = known >= ENOUGH_KNOWN ? MAX_TYPOS : 0;
  let lookedUp = 0;
  return terms.map((term, at) => {
    const count = counts[at]!;
    if (term.kind !== "word" || count > rare || lookedUp++ >= MAX_LOOKED_UP) {
      return { term, count, resembling: null };
    }
    const word = term.match.slice(1, -1);
    const named = existing(db, [...otherNames(word), ...otherSpellings(word)], options);
    if (named !== null || isHere(db, term.match, options)) {
      return { term, count, resembling: named };
    }
    const begun = beginning(db, word, options);
    if (begun !== null || typos >= MAX_TYPOS || names.has(exactTerm(word))) {
      return { term, count, resembling: begun };
    }
    typos++;
    return { term, count, resembling: existing(db, typosOf(word), options) };
  });
}

/**
 * Chooses the terms to search for, with the number of observations of each. A long text gives only its rarest terms:
 * the others take long and say little.
 */
function tellingTerms(
  db: DatabaseSync,
  terms: readonly QueryTerm[],
  options: CountOptions,
): { readonly terms: readonly QueryTerm[]; readonly counts: readonly number[] } {
  const { limit } = options;
  const words = terms.filter(({ kind }) => kind !== "pair");
  if (words.length <= LONG.terms) return { terms, counts: countTerms(db, terms, options) };
  const rare = Math.floor(limit / LONG.rare);
  const counts = countTerms(db, words, { ...options, limit: rare });
  const known = words.map((term, at) => ({ term, count: counts[at]! }))
    .filter(({ count }) => count > 0);
  const rarest = known.filter(({ count }) => count < rare)
    .sort((one, other) => one.count - other.count).slice(0, LONG.asked);
  let together = 0;
  const within = rarest.findIndex(({ count }) => (together += count) > limit / LONG.together);
  if (within >= 0) rarest.splice(Math.max(within, LONG.enough));
  const missing = Math.max(0, LONG.enough - rarest.length);
  const others = known.filter(({ count }) => count >= rare).slice(0, missing)
    .map(({ term }) => ({ term, count: reckonMatches(db, term.match, options) }));
  const asked = [...rarest, ...others];
  return { terms: asked.map(({ term }) => term), counts: asked.map(({ count }) => count) };
}

/** Counts the observations of each term. A pair of two common words is not counted, since that takes long. */
function countTerms(
  db: DatabaseSync,
  terms: readonly QueryTerm[],
  options: CountOptions,
): number[] {
  const { limit } = options;
  const counts = new Map<string, number>();
  for (const { match, kind } of terms) {
    if (kind !== "pair") counts.set(match, reckonMatches(db, match, options));
  }
  return terms.map(({ match, kind }) => {
    if (kind !== "pair") return counts.get(match)!;
    const [one, other] = match.slice(1, -1).split(" ").map((word) => counts.get(`"${word}"`));
    const rarest = Math.min(one ?? 0, other ?? 0);
    return rarest === 0 || rarest >= limit ? 0 : countMatches(db, match, limit);
  });
}

function isHere(db: DatabaseSync, match: string, { project }: CountOptions): boolean {
  return countMatches(db, project === null ? match : `${match} AND "${projectTerm(project)}"`, 1) >
    0;
}

function existing(
  db: DatabaseSync,
  words: readonly string[],
  options: CountOptions,
): AskedTerm["resembling"] {
  const known = hereOf(db, words.map(matchOf), options);
  if (known.length === 0) return null;
  return counted(db, `(${known.join(" OR ")})`, options);
}

/** The words that occur. Most do not, so they are looked up in groups, and single ones only in a group that occurs. */
function hereOf(db: DatabaseSync, matches: readonly string[], options: CountOptions): string[] {
  if (matches.length === 1) return matches.filter((match) => isHere(db, match, options));
  return Array.from(
    { length: Math.ceil(matches.length / AT_ONCE) },
    (_, part) => matches.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  ).filter((some) => isHere(db, `(${some.join(" OR ")})`, options))
    .flatMap((some) => some.filter((match) => isHere(db, match, options)));
}

/** A word as an expression of the index; a divided Korean word may have an ending. */
function matchOf(word: string): string {
  return word.includes(" ") && isBeyondAscii(word) ? `"${word}" *` : `"${word}"`;
}

function beginning(db: DatabaseSync, word: string, options: CountOptions): AskedTerm["resembling"] {
  const start = beginningsOf(word).find((start) => isHere(db, `"${start}" *`, options));
  return start === undefined ? null : counted(db, `"${start}" *`, options);
}

/** Null for a word in too many observations. */
function counted(
  db: DatabaseSync,
  match: string,
  { limit }: CountOptions,
): AskedTerm["resembling"] {
  const count = countMatches(db, match, limit);
  return count >= limit ? null : { match, count };
}

let groups: ReadonlyMap<string, readonly string[]> | undefined;

/** The synonyms of a word; empty for most words. */
function otherNames(word: string): readonly string[] {
  groups ??= new Map(
    WORDS.sameThing.map((line) => line.split(" ")).flatMap((names) =>
      names.map((name) => [name, names.filter((other) => other !== name)] as const)
    ),
  );
  return groups.get(word) ?? [];
}

const accent = scriptPattern(String.raw`\p{M}`, "gu");
const HANGUL = /^[\uac00-\ud7a3]+$/;
/** Greek letters without their accent, and the Russian letter that most people write without its dots. */
const ACCENTED: Readonly<Record<string, string>> = {
  е: "ё",
  α: "ά",
  ε: "έ",
  η: "ή",
  ι: "ί",
  ο: "ό",
  υ: "ύ",
  ω: "ώ",
};

/**
 * Other spellings of a word, which the index treats as other words; empty for most words. They are: `ss` for `ß`, `oe` for
 * `ö`, separated thousands, letters without accents, Greek letters and the Russian е with their accent, and Korean words
 * with a blank.
 */
function otherSpellings(word: string): readonly string[] {
  const spellings = new Set([word.replaceAll("ß", "ss"), word.replaceAll("ss", "ß")]);
  // ä, ö and ü as they are written without them; the index knows these without their dots.
  const umlauts = word.replace(/ae|oe|ue/g, (two) => two[0]!);
  spellings.add(umlauts).add(umlauts.replaceAll("ss", "ß"));
  if (/^[1-9]\d{3,14}$/.test(word)) spellings.add(word.replace(/\B(?=(?:\d{3})+$)/g, " "));
  if (isBeyondAscii(word)) {
    spellings.add(word.normalize("NFD").replace(accent(), "").normalize("NFC"));
    for (let at = 0; at < word.length; at++) {
      const accented = ACCENTED[word[at]!];
      if (accented !== undefined) spellings.add(word.slice(0, at) + accented + word.slice(at + 1));
      if (at > 0 && word.length > 2 && HANGUL.test(word)) {
        spellings.add(`${word.slice(0, at)} ${word.slice(at)}`);
      }
    }
  }
  spellings.delete(word);
  return [...spellings];
}

/** The longest ending that is cut off a word, and the letters that must stay. */
const MAX_ENDING = 3;
const MIN_STEM = 6;

/** Beginnings of an unknown word, the longest first, for languages without stemming, compounds, and half a word. */
function beginningsOf(word: string): string[] {
  if (word.length < 4) return isUnspaced(word) || isKorean(word) ? [word] : [];
  return Array.from({ length: MAX_ENDING + 1 }, (_, cut) => word.slice(0, word.length - cut))
    .filter((start, cut) => cut === 0 || start.length >= MIN_STEM);
}

/** Whether it is a Korean word of two syllables or more, which may have endings. */
function isKorean(word: string): boolean {
  return word.length > 1 && HANGUL.test(word);
}

/** The lengths of words that are corrected. Shorter ones resemble too many words, longer ones have too many variants. */
const TYPO_LENGTHS = { min: 5, max: 12 };
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/**
 * The words that a word may mean, if it has one typing error after its first letter: a letter too many or too few, another
 * vowel, or two swapped letters. None for words with other signs than plain letters.
 */
function typosOf(word: string): string[] {
  if (word.length < TYPO_LENGTHS.min || word.length > TYPO_LENGTHS.max || !/^[a-z]+$/.test(word)) {
    return [];
  }
  const found = new Set<string>();
  for (let at = 1; at <= word.length; at++) {
    const [head, letter, tail] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)];
    for (const meant of LETTERS) found.add(head + meant + letter + tail);
    if ("aeiou".includes(letter)) { for (const meant of "aeiou") found.add(head + meant + tail); }
    found.add(head + tail).add(head + tail.slice(0, 1) + letter + tail.slice(1));
  }
  found.delete(word);
  return [...found];
}

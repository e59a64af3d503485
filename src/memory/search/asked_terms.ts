/** The words of a question as the index knows them: how often each occurs, and what stands for those that hardly do. */
import type { DatabaseSync } from "node:sqlite";
import type { QueryTerm } from "./question.ts";
import { isBeyondAscii, scriptPattern } from "../../base/letters.ts";
import { exactTerm, isUnspaced, projectTerm } from "./terms.ts";
import { countMatches, reckonMatches } from "./memory_search_table.ts";

export interface AskedTerm {
  readonly term: QueryTerm;
  /** The number of observations with it; above the limit an estimate. */
  readonly count: number;
  /** An expression for what resembles it, and in how many observations that is; null when there is no need or nothing. */
  readonly resembling: { readonly match: string; readonly count: number } | null;
}

/** A word in no more observations than these, or one of so many, may be called by another name there. */
const RARE = { count: 2, oneOf: 200 };
/**
 * A question of more terms is a long one: so many are asked for, and so many at least. What is rare is in that part of what a
 * word may be in to be ranked by, and all together are in that part of it.
 */
const LONG = { terms: 24, asked: 14, enough: 3, rare: 10, together: 3 };
/** The most unknown words that are taken for typing errors. Each means a few hundred look-ups. */
const MAX_SLIPS = 1;
const AT_ONCE = 32;
/** With so many known words, no word is taken for a typing error: the others find enough. */
const ENOUGH_KNOWN = 4;
/** A question of more words finds enough with the others. */
const MAX_LOOKED_UP = 8;

/** How far words are counted, and in which project. */
export interface CountOptions {
  /** Occurrences are counted up to this. */
  readonly limit: number;
  readonly observations: number;
  /** A word that is nowhere in this project is as good as nowhere. */
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
  // An identifier that is nowhere is no slip.
  const names = new Set(
    terms.filter(({ kind }) => kind === "exact").map(({ match }) => match.slice(1, -1)),
  );
  const known = terms.filter(({ kind }, at) => kind === "word" && counts[at]! > 0).length;
  let slips = known >= ENOUGH_KNOWN ? MAX_SLIPS : 0;
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
    if (begun !== null || slips >= MAX_SLIPS || names.has(exactTerm(word))) {
      return { term, count, resembling: begun };
    }
    slips++;
    return { term, count, resembling: existing(db, slipsOf(word), options) };
  });
}

/**
 * The terms that are asked for, and in how many observations each is. Of a pasted text that is the rarest: the others would
 * take long and tell little beside them.
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

/** The words that occur. Most do not: many are looked for at once, and one by one only where any of them occurs. */
function hereOf(db: DatabaseSync, matches: readonly string[], options: CountOptions): string[] {
  if (matches.length === 1) return matches.filter((match) => isHere(db, match, options));
  return Array.from(
    { length: Math.ceil(matches.length / AT_ONCE) },
    (_, part) => matches.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  ).filter((some) => isHere(db, `(${some.join(" OR ")})`, options))
    .flatMap((some) => some.filter((match) => isHere(db, match, options)));
}

/** A word as the index takes it; a Korean one that was put apart may have an ending. */
function matchOf(word: string): string {
  return word.includes(" ") && isBeyondAscii(word) ? `"${word}" *` : `"${word}"`;
}

function beginning(db: DatabaseSync, word: string, options: CountOptions): AskedTerm["resembling"] {
  const start = beginningsOf(word).find((start) => isHere(db, `"${start}" *`, options));
  return start === undefined ? null : counted(db, `"${start}" *`, options);
}

/** Null for a word in too many observations: it would resemble everything. */
function counted(
  db: DatabaseSync,
  match: string,
  { limit }: CountOptions,
): AskedTerm["resembling"] {
  const count = countMatches(db, match, limit);
  return count >= limit ? null : { match, count };
}

/** Names of one thing in the talk about programs, and a few of every day; each word is in one group. */
const SAME_THING = [
  "database db",
  "repository repo",
  "environment env",
  "configuration config settings preferences options",
  "dependency dependencies deps",
  "authentication auth login signin",
  "authorization authz permissions",
  "documentation docs",
  "directory folder dir",
  "kubernetes k8s",
  "performance perf speed latency",
  "slow sluggish",
  "parameter argument param arg",
  "function method",
  "error exception failure",
  "crash segfault panic",
  "hang stuck freeze deadlock",
  "javascript js",
  "typescript ts",
  "python py",
  "postgres postgresql",
  "version release",
  "remove delete drop",
  "image picture photo",
  "memory ram heap",
  "container docker",
  "certificate cert tls ssl",
  "internationalization i18n",
  "pull pr",
  "job work employer",
  "mother mum mom",
  "father dad",
  "car vehicle",
  "flat apartment",
  "holiday vacation trip",
  "doctor physician",
  "price cost",
  "movie film",
  "kids children",
  "bike bicycle",
];

let groups: ReadonlyMap<string, readonly string[]> | undefined;

/** Other names of the same thing; empty for most words. */
function otherNames(word: string): readonly string[] {
  groups ??= new Map(
    SAME_THING.map((line) => line.split(" ")).flatMap((names) =>
      names.map((name) => [name, names.filter((other) => other !== name)] as const)
    ),
  );
  return groups.get(word) ?? [];
}

const accent = scriptPattern(String.raw`\p{M}`, "gu");
const HANGUL = /^[\uac00-\ud7a3]+$/;
/** Greek letters that may have lost their accent, and the one of Russian that most people write without its dots. */
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
 * Other ways to write a word, which the index does not take for the same: `ss` for `ß`, `oe` for `ö`, thousands that are set apart, letters
 * without their accents, Greek ones and the Russian е with the one that was left out, Korean words with a blank between them; empty for most.
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

/** Endings that are taken off at most, and what must stay. */
const MAX_ENDING = 3;
const MIN_STEM = 6;

/** How a word that is nowhere may begin, the longest first: languages that nothing stems, compounds, half a word. */
function beginningsOf(word: string): string[] {
  if (word.length < 4) return isUnspaced(word) || isKorean(word) ? [word] : [];
  return Array.from({ length: MAX_ENDING + 1 }, (_, cut) => word.slice(0, word.length - cut))
    .filter((start, cut) => cut === 0 || start.length >= MIN_STEM);
}

/** Two syllables of Korean are a word, which has endings behind it. */
function isKorean(word: string): boolean {
  return word.length > 1 && HANGUL.test(word);
}

/** The lengths of words that are corrected. Shorter ones resemble too many words, longer ones have too many slips. */
const SLIPS = { min: 5, max: 12 };
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** The letters that are tried as missing in a longer word, besides a doubled one. */
const COMMON_LETTERS = "aeiounrstl";
const LONG_WORD = 8;
const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/**
 * The words from which a word comes by one slip behind its first letter: a letter too many or too few, the key beside the
 * right one, or two letters that changed places. A few hundred; none for words that are no plain letters.
 */
function slipsOf(word: string): string[] {
  if (word.length < SLIPS.min || word.length > SLIPS.max || !/^[a-z]+$/.test(word)) return [];
  const found = new Set<string>();
  for (let at = 1; at <= word.length; at++) {
    const [head, letter, tail] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)];
    const missed = word.length >= LONG_WORD ? COMMON_LETTERS + word[at - 1]! : LETTERS;
    for (const missing of missed) found.add(head + missing + letter + tail);
    if (letter === "") continue;
    found.add(head + tail);
    for (const meant of keysBeside(letter)) found.add(head + meant + tail);
    if (tail !== "") found.add(head + tail[0] + letter + tail.slice(1));
  }
  found.delete(word);
  return [...found];
}

/** Vowels are mixed up by ear, other letters by the finger. */
function keysBeside(letter: string): string[] {
  const beside = KEYS.flatMap((row) => {
    const at = row.indexOf(letter);
    return at < 0 ? [] : [row[at - 1], row[at + 1]];
  }).filter((key) => key !== undefined);
  return "aeiou".includes(letter) ? [...beside, ..."aeiou"] : beside;
}

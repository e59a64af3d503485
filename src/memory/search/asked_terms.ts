/** Looks up the words of a question in the index: how often each occurs, and similar words for rare ones. */
import WORDS from "./common_words.json" with { type: "json" };
import type { DatabaseSync } from "node:sqlite";
import type { QueryTerm } from "./question.ts";
import { isBeyondAscii } from "../../base/letters.ts";
import { projectTerm } from "./terms.ts";
import { countMatches, reckonMatches } from "./memory_search_table.ts";

export interface AskedTerm {
  readonly term: QueryTerm;
  /** The number of observations with the term; an estimate above the limit. */
  readonly count: number;
  /** An expression for similar words, and the number of observations with one; null when none is needed or found. */
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
/** The most rare words that are looked up. */
const MAX_LOOKED_UP = 8;

/** How far words are counted, and in which project. */
export interface CountOptions {
  /** The number up to which occurrences are counted. */
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
  let lookedUp = 0;
  return terms.map((term, at) => {
    const count = counts[at]!;
    const isAsked = term.kind === "word" && count <= rare && lookedUp++ < MAX_LOOKED_UP;
    return { term, count, resembling: isAsked ? resemblingOf(db, term, options) : null };
  });
}

/** Looks up other names of a rare word. Without any, looks up words that begin like a word unknown in the project. */
function resemblingOf(
  db: DatabaseSync,
  { match }: QueryTerm,
  options: CountOptions,
): AskedTerm["resembling"] {
  const word = match.slice(1, -1);
  const known = otherNames(word).map((name) => `"${name}"`)
    .filter((name) => isHere(db, name, options));
  if (known.length > 0) return counted(db, `(${known.join(" OR ")})`, options);
  const start = isHere(db, match, options)
    ? undefined
    : beginningsOf(word).find((start) => isHere(db, `"${start}" *`, options));
  return start === undefined ? null : counted(db, `"${start}" *`, options);
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

/** Counts the observations of each term. Does not count pairs of two common words, since that takes long. */
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

/** Counts the observations with an expression; null when there are too many. */
function counted(
  db: DatabaseSync,
  match: string,
  { limit }: CountOptions,
): AskedTerm["resembling"] {
  const count = countMatches(db, match, limit);
  return count >= limit ? null : { match, count };
}

let groups: ReadonlyMap<string, readonly string[]> | undefined;

/** Returns the synonyms of a word; empty for most words. */
function otherNames(word: string): readonly string[] {
  groups ??= new Map(
    WORDS.sameThing.map((line) => line.split(" ")).flatMap((names) =>
      names.map((name) => [name, names.filter((other) => other !== name)] as const)
    ),
  );
  return groups.get(word) ?? [];
}

/** The longest ending that is cut off a word, and the least number of letters that stay. */
const MAX_ENDING = 3;
const MIN_STEM = 6;

/** Returns the beginnings of an unknown word, longest first, for compounds and for languages without stemming. */
function beginningsOf(word: string): string[] {
  if (word.length < 4) return word.length === 3 || isBeyondAscii(word) ? [word] : [];
  return Array.from({ length: MAX_ENDING + 1 }, (_, cut) => word.slice(0, word.length - cut))
    .filter((start, cut) => cut === 0 || start.length >= MIN_STEM);
}

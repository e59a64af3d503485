/** The words of a question as the index knows them: how often each occurs, and what stands for those that hardly do. */
import type { DatabaseSync } from "node:sqlite";
import type { QueryTerm } from "./question.ts";
import { isBeyondAscii } from "../../base/letters.ts";
import { beginningsOf, otherNames, otherSpellings, slipsOf } from "./resembling.ts";
import { exactTerm, projectTerm } from "./terms.ts";
import { countMatches, reckonMatches } from "./memory_search_table.ts";

/** A word of a question in this memory. */
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
/** The number of words that one query looks for. */
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

/** Looks the words of a question up. */
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

/** Finds candidates for a question: looks up its words in the index, searches for them, and scores the hits by them. */
import WORDS from "./common_words.json" with { type: "json" };
import type { DatabaseSync } from "node:sqlite";
import { isBeyondAscii } from "../../base/letters.ts";
import type { MemoryQuestion, QueryTerm } from "./question.ts";
import { coverageOf } from "./rank.ts";
import { projectTerm } from "./terms.ts";
import {
  countMatches,
  type IndexHit,
  lastObservation,
  newestMatches,
  reckonMatches,
  searchIndex,
  type SearchLimits,
  withTerm,
} from "./memory_search_table.ts";

/** An expression of the index, and the number of observations with it; an estimate above the limit. */
type CountedMatch = Readonly<{ match: string; count: number }>;

type CountedTerm = QueryTerm & CountedMatch;

interface AskedTerm extends CountedTerm {
  /** Similar words; null when none are needed or found. */
  readonly resembling: CountedMatch | null;
}

/** A question whose words are looked up, so that it can be searched again with other filters. */
export interface AskedQuestion {
  readonly phrases: readonly string[];
  readonly terms: readonly AskedTerm[];
  readonly limits: MatchLimits;
  readonly observations: number;
}

/**
 * A word in at most this many observations, or in less than this part of them, is rare: similar words are searched too.
 */
const SELDOM = { count: 2, oneOf: 200 };
/**
 * Limits for long questions, which have more than `terms` terms: at most `asked` and at least `enough` of them are searched.
 * A term is rare below a tenth (`rare`) of the limit of a term; all rare terms together stay below a third (`together`).
 */
const LONG = { terms: 24, asked: 14, enough: 3, rare: 10, together: 3 };
/** The most rare words that are looked up. */
const MAX_LOOKED_UP = 8;

/** How far words are counted, and in which project. */
interface CountOptions {
  /** The number up to which occurrences are counted. */
  readonly limit: number;
  readonly observations: number;
  /** The project in which words must occur; null for all. */
  readonly project: string | null;
}

/** Looks up the words of a question: how often each occurs, and similar words for rare ones. */
export function askIndex(
  db: DatabaseSync,
  { terms, phrases }: Pick<MemoryQuestion, "terms" | "phrases">,
  project: string | null,
): AskedQuestion {
  const observations = lastObservation(db);
  const limits = matchLimits(observations);
  const options = { limit: limits.perTerm, observations, project };
  const rare = Math.max(SELDOM.count, observations / SELDOM.oneOf);
  let lookedUp = 0;
  const asked = tellingTerms(db, terms, options).map((term): AskedTerm => {
    const isAsked = term.kind === "word" && term.count <= rare && lookedUp++ < MAX_LOOKED_UP;
    return { ...term, resembling: isAsked ? resemblingOf(db, term, options) : null };
  });
  return { phrases, terms: asked, limits, observations };
}

/** Looks up other names of a rare word. Without any, looks up words that begin like a word unknown in the project. */
function resemblingOf(
  db: DatabaseSync,
  { match }: QueryTerm,
  options: CountOptions,
): CountedMatch | null {
  const word = match.slice(1, -1);
  const known = otherNames(word).map((name) => `"${name}"`)
    .filter((name) => isHere(db, name, options));
  if (known.length > 0) return counted(db, `(${known.join(" OR ")})`, options);
  const start = isHere(db, match, options)
    ? undefined
    : beginningsOf(word).find((start) => isHere(db, `"${start}" *`, options));
  return start === undefined ? null : counted(db, `"${start}" *`, options);
}

/** Chooses the terms to search for. A long text gives only its rarest terms: the others take long and say little. */
function tellingTerms(
  db: DatabaseSync,
  terms: readonly QueryTerm[],
  options: CountOptions,
): CountedTerm[] {
  const words = terms.filter(({ kind }) => kind !== "pair");
  if (words.length <= LONG.terms) return countTerms(db, terms, options);
  const rare = Math.floor(options.limit / LONG.rare);
  const known = countTerms(db, words, { ...options, limit: rare }).filter(({ count }) => count > 0);
  const rarest = rarestFirst(known.filter(({ count }) => count < rare)).slice(0, LONG.asked);
  let together = 0;
  const most = options.limit / LONG.together;
  const within = rarest.findIndex(({ count }) => (together += count) > most);
  if (within >= 0) rarest.splice(Math.max(within, LONG.enough));
  const missing = Math.max(0, LONG.enough - rarest.length);
  const others = known.filter(({ count }) => count >= rare).slice(0, missing)
    .map((term) => ({ ...term, count: reckonMatches(db, term.match, options) }));
  return [...rarest, ...others];
}

function rarestFirst<Counted extends CountedMatch>(terms: readonly Counted[]): Counted[] {
  return terms.toSorted((one, other) => one.count - other.count);
}

/** Counts the observations of each term. Does not count pairs of two common words, since that takes long. */
function countTerms(
  db: DatabaseSync,
  terms: readonly QueryTerm[],
  options: CountOptions,
): CountedTerm[] {
  // The words of a pair come before it.
  const counts = new Map<string, number>();
  const countOf = (term: QueryTerm) => {
    if (term.kind !== "pair") return reckonMatches(db, term.match, options);
    const rarest = Math.min(...wordsOfPair(term).map((word) => counts.get(word) ?? 0));
    const isKnown = rarest > 0 && rarest < options.limit;
    return isKnown ? countMatches(db, term.match, options.limit) : 0;
  };
  return terms.map((term) => {
    const count = countOf(term);
    counts.set(term.match, count);
    return { ...term, count };
  });
}

/** Returns the two words of a pair as expressions. */
function wordsOfPair({ match }: QueryTerm): string[] {
  return match.slice(1, -1).split(" ").map((word) => `"${word}"`);
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
): CountedMatch | null {
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

/** A pair names one thing, such as `cluster renderer`. It counts less than a word, since its words count as well. */
const WEIGHTS: Readonly<Record<QueryTerm["kind"], number>> = {
  word: 1,
  exact: 1,
  part: 1,
  pair: 0.7,
};

const MAX_TOGETHER = 6;
const NOTHING: ReadonlySet<number> = new Set();

/** Returns the words of a question that the index holds, and similar words, with their counts. */
export function knownMatches(terms: readonly AskedTerm[]): CountedMatch[] {
  return terms.flatMap((
    { resembling, ...term },
  ) => [term, ...resembling === null ? [] : [resembling]])
    .filter(({ count }) => count > 0);
}

/** Finds at most `limit` observations with words of a question, with the scores of the index. */
export function candidates(
  db: DatabaseSync,
  { phrases, terms, limits }: AskedQuestion,
  options: SearchLimits,
): IndexHit[] {
  const { project, ...rest } = options.filter;
  const within = { ...options, filter: { ...rest, project: null } };
  const inProject = (match: string) =>
    project === null ? match : `(${match}) AND "${projectTerm(project)}"`;
  const newest = (match: string) => newestMatches(db, inProject(match), within);
  // The word of the project does not count for the score.
  const best = (match: string, among = match) =>
    searchIndex(db, match, {
      ...within,
      among: among === match && project === null ? null : inProject(among),
    });
  const known = knownMatches(terms);
  if (known.length === 0) return [];
  const narrow = narrowMatch(known, phrases, limits);
  const few = narrow === null ? [] : best(narrow.match, narrow.among);
  if (few.length >= options.limit) return few;
  const ranked = rankedMatch(known, phrases, limits);
  const more = ranked === null
    ? newest(`(${joined(known, " AND ")})${requiring(phrases)}`)
    : best(ranked);
  const hits = [...few, ...newTo(few, more)];
  const isAnyEnough = hits.length === 0 && ranked === null && phrases.length === 0;
  return isAnyEnough ? newest(`(${joined(known, " OR ")})`) : hits;
}

/** Returns the hits that are not known yet. */
export function newTo(known: readonly IndexHit[], hits: readonly IndexHit[]): IndexHit[] {
  const ids = new Set(known.map(({ id }) => id));
  return hits.filter(({ id }) => !ids.has(id));
}

/**
 * Scores the candidates by how much of the question each one holds, 1 for the best. When all words are too common, the
 * scores stay as they are.
 */
export function scoredByWords(
  db: DatabaseSync,
  { terms, limits, observations }: AskedQuestion,
  hits: readonly IndexHit[],
): IndexHit[] {
  const ranked = rankedMatch(knownMatches(terms), [], limits);
  if (ranked === null) return [...hits];
  const ids = hits.map(({ id }) => id);
  // A very common word is searched only beside rarer ones, so that FTS5 skips most of its observations.
  const find = ({ match, count }: CountedMatch) =>
    withTerm(db, count < limits.perTerm ? match : `${match} AND ${ranked}`, ids);
  const covered = terms.filter(({ count, resembling }) => count > 0 || resembling !== null)
    .map((term) => ({
      count: term.kind === "pair"
        ? Math.max(term.count, commonerOf(term, terms) ** 2 / observations)
        : term.count || term.resembling!.count,
      weight: WEIGHTS[term.kind],
      isTyped: term.kind === "word",
      within: term.count === 0 ? NOTHING : find(term),
      resembling: term.resembling === null ? NOTHING : find(term.resembling),
    }));
  const scores = coverageOf(hits, covered, { observations, together: togetherIn(db, terms, ids) });
  return hits.map((hit, at) => ({ ...hit, textScore: scores[at]! }));
}

/** Returns the hits in which all words of a short question stand close together. */
function togetherIn(
  db: DatabaseSync,
  terms: readonly AskedTerm[],
  ids: readonly number[],
): ReadonlySet<number> {
  const words = terms.filter(({ kind }) => kind === "word");
  const isAsked = words.length > 1 && words.length <= MAX_TOGETHER;
  if (!isAsked || words.some(({ count }) => count === 0)) return NOTHING;
  return withTerm(db, `NEAR(${joined(words, " ")}, ${words.length})`, ids);
}

/**
 * The count of the commoner word of a pair. Two words as common as that stand together by chance, and a pair counts as no
 * rarer than chance would make it: a name before "is" says little.
 */
function commonerOf(pair: QueryTerm, terms: readonly AskedTerm[]): number {
  const words = wordsOfPair(pair);
  return Math.max(...terms.map(({ match, count }) => words.includes(match) ? count : 0));
}

/** How many observations ranking may read. */
interface MatchLimits {
  /** A word in more observations than this does not count for the rank. */
  readonly perTerm: number;
  /** The most observations that all words together may occur in. */
  readonly together: number;
}

/** Returns the limits for a database with this many observations. */
export function matchLimits(observations: number): MatchLimits {
  const perTerm = Math.min(20_000, Math.max(4_000, Math.floor(observations / 50)));
  return { perTerm, together: 2 * perTerm };
}

/** A word in at most this many observations is searched alone; a commoner word first together with another. */
const RARE = 500;
/** How many common words, the rarest of them, are searched in pairs. */
const BESIDE = 4;

/** Returns an expression for the rarest words, while they stay within the limits; null when all are too common. */
export function rankedMatch(
  known: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): string | null {
  let together = 0;
  const chosen = rarestFirst(known.filter(({ count }) => count < limits.perTerm))
    .filter(({ count }) => (together += count) <= limits.together);
  return chosen.length === 0 ? null : `(${joined(chosen, " OR ")})${requiring(phrases)}`;
}

/** A narrower search that comes before that of {@linkcode rankedMatch}. */
interface NarrowMatch {
  /** The words that rank the hits, each named once, since the index counts a word as often as it is named. */
  readonly match: string;
  /** A condition that each hit must match as well. */
  readonly among: string;
}

/**
 * Searches for any rare word or two common words together: a hit with two words is the better answer, and ranking few hits
 * is fast. Null when there are too few such words.
 */
export function narrowMatch(
  all: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): NarrowMatch | null {
  const known = rarestFirst(all.filter(({ count }) => count <= limits.together));
  const rare = known.filter(({ count }) => count <= RARE);
  const common = known.slice(rare.length, rare.length + BESIDE);
  if (common.length < 2) return null;
  const together = common.slice(0, -1).map(({ match }, at) =>
    `(${match} AND (${joined(common.slice(at + 1), " OR ")}))`
  );
  const any = [...rare.map(({ match }) => match), ...together].join(" OR ");
  return {
    match: `(${joined([...rare, ...common], " OR ")})`,
    among: `(${any})${requiring(phrases)}`,
  };
}

/** Returns the condition that a hit holds all phrases. */
function requiring(phrases: readonly string[]): string {
  return phrases.map((phrase) => ` AND "${phrase.replaceAll('"', '""')}"`).join("");
}

function joined(terms: readonly Pick<CountedMatch, "match">[], operator: string): string {
  return terms.map(({ match }) => match).join(operator);
}

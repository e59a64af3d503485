/** Finds candidates for a question: searches the index for its words, and scores each hit by the words it holds. */
import type { DatabaseSync } from "node:sqlite";
import type { MemoryQuestion, QueryTerm } from "./question.ts";
import { coverageOf, type CoveredTerm, type Scored } from "./rank.ts";
import { projectTerm } from "./terms.ts";
import {
  type IndexHit,
  lastObservation,
  type MemoryFilter,
  newestMatches,
  searchIndex,
  withTerm,
} from "./memory_search_table.ts";
import { type AskedTerm, askedTerms } from "./asked_terms.ts";

/** A question whose words are looked up, so that it can be searched again with other filters. */
export interface AskedQuestion {
  readonly phrases: readonly string[];
  readonly terms: readonly AskedTerm[];
  readonly limits: MatchLimits;
  readonly observations: number;
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

export function askIndex(
  db: DatabaseSync,
  { terms, phrases }: Pick<MemoryQuestion, "terms" | "phrases">,
  project: string | null,
): AskedQuestion {
  const observations = lastObservation(db);
  const limits = matchLimits(observations);
  return {
    phrases,
    terms: askedTerms(db, terms, { limit: limits.perTerm, observations, project }),
    limits,
    observations,
  };
}

/** Returns the words of a question that the index holds, as expressions. */
export function knownMatches({ terms }: AskedQuestion): string[] {
  return terms.flatMap(({ term, count, resembling }) => [
    ...count > 0 ? [term.match] : [],
    ...resembling === null ? [] : [resembling.match],
  ]);
}

/** Finds at most `limit` observations with words of a question, with the scores of the index. */
export function candidates(
  db: DatabaseSync,
  { phrases, terms, limits }: AskedQuestion,
  options: { readonly filter: MemoryFilter; readonly limit: number },
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
  const plan = planMatch(countedOf(terms), phrases, limits);
  if (plan.kind === "none") return [];
  const narrow = narrowMatch(countedOf(terms), phrases, limits);
  const few = narrow === null ? [] : best(narrow.match, narrow.among);
  if (few.length >= options.limit) return few;
  const known = new Set(few.map(({ id }) => id));
  const many = plan.kind === "ranked" ? best(plan.match) : newest(plan.all);
  const hits = [...few, ...many.filter(({ id }) => !known.has(id))];
  return hits.length === 0 && plan.kind === "newest" && phrases.length === 0
    ? newest(plan.any)
    : hits;
}

/**
 * Scores the candidates by how much of the question each one holds, 1 for the best. When all words are too common, the
 * scores stay as they are.
 */
export function scoredByWords(
  db: DatabaseSync,
  { terms, limits, observations }: AskedQuestion,
  hits: readonly IndexHit[],
): Scored<IndexHit>[] {
  const plan = planMatch(countedOf(terms), [], limits);
  if (plan.kind !== "ranked") return [...hits];
  const ids = hits.map(({ id }) => id);
  // A very common word is searched only beside rarer ones, so that FTS5 skips most of its observations.
  const find = (match: string, count: number) =>
    withTerm(db, count < limits.perTerm ? match : `${match} AND ${plan.match}`, ids);
  const scores = coverageOf(
    hits,
    terms.flatMap(({ term, count, resembling }): CoveredTerm[] =>
      count === 0 && resembling === null ? [] : [{
        count: term.kind === "pair"
          ? Math.max(count, commonerOf(term, terms) ** 2 / observations)
          : count === 0
          ? resembling!.count
          : count,
        weight: WEIGHTS[term.kind],
        isTyped: term.kind === "word",
        within: count === 0 ? NOTHING : find(term.match, count),
        resembling: resembling === null ? NOTHING : find(resembling.match, resembling.count),
      }]
    ),
    { observations, together: togetherIn(db, terms, ids) },
  );
  return hits.map((hit, at) => ({ ...hit, textScore: scores[at]! }));
}

/** Returns the hits in which all words of a short question stand close together. */
function togetherIn(
  db: DatabaseSync,
  terms: readonly AskedTerm[],
  ids: readonly number[],
): ReadonlySet<number> {
  const words = terms.filter(({ term }) => term.kind === "word");
  const isAsked = words.length > 1 && words.length <= MAX_TOGETHER;
  if (!isAsked || words.some(({ count }) => count === 0)) return NOTHING;
  const near = words.map(({ term }) => term.match).join(" ");
  return withTerm(db, `NEAR(${near}, ${words.length})`, ids);
}

/**
 * The count of the commoner word of a pair. Two words as common as that stand together by chance, and a pair counts as no
 * rarer than chance would make it: a name before "is" says little.
 */
function commonerOf({ match }: QueryTerm, terms: readonly AskedTerm[]): number {
  const words = match.slice(1, -1).split(" ").map((word) => `"${word}"`);
  return Math.max(...terms.map(({ term, count }) => words.includes(term.match) ? count : 0));
}

/** Returns the words and their similar words, with their counts. */
function countedOf(terms: readonly AskedTerm[]): CountedMatch[] {
  return terms.flatMap(({ term, count, resembling }) => [
    { match: term.match, count },
    ...resembling === null ? [] : [resembling],
  ]);
}

type MatchPlan =
  /** The hits have any of the words, and are ranked by them. */
  | { readonly kind: "ranked"; readonly match: string }
  /** All words are so common that only the newest observations with all of them, else any, are read. */
  | { readonly kind: "newest"; readonly all: string; readonly any: string }
  /** No word occurs in the index. */
  | { readonly kind: "none" };

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
/** The most common words, the rarest of them, that are searched in pairs. */
const BESIDE = 4;

/** An expression for a word, and the number of observations with it, which is counted up to `perTerm`. */
interface CountedMatch {
  readonly match: string;
  readonly count: number;
}

/** Chooses the words to search for: the rarest first, while they stay within the limits. */
export function planMatch(
  terms: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): MatchPlan {
  const known = terms.filter(({ count }) => count > 0)
    .sort((one, other) => one.count - other.count);
  if (known.length === 0) return { kind: "none" };
  const chosen: CountedMatch[] = [];
  let together = 0;
  for (const term of known) {
    if (term.count >= limits.perTerm) break;
    together += term.count;
    if (chosen.length > 0 && together > limits.together) break;
    chosen.push(term);
  }
  const required = requiring(phrases);
  if (chosen.length > 0) return { kind: "ranked", match: `(${joined(chosen, " OR ")})${required}` };
  return {
    kind: "newest",
    all: `(${joined(known, " AND ")})${required}`,
    any: `(${joined(known, " OR ")})`,
  };
}

/** A narrower search that comes before that of {@linkcode planMatch}. */
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
  terms: readonly CountedMatch[],
  phrases: readonly string[],
  limits: MatchLimits,
): NarrowMatch | null {
  const known = terms.filter(({ count }) => count > 0 && count <= limits.together)
    .sort((one, other) => one.count - other.count);
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

function requiring(phrases: readonly string[]): string {
  return phrases.map((phrase) => ` AND ${quoted(phrase)}`).join("");
}

function joined(terms: readonly CountedMatch[], operator: string): string {
  return terms.map(({ match }) => match).join(operator);
}

/** Returns a text as one phrase of FTS5. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

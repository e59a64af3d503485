/** What may answer a question: the index is asked for its words, then each passage is looked at for how much it holds. */
import type { DatabaseSync } from "node:sqlite";
import { coverageOf, type CoveredTerm } from "../memory/coverage.ts";
import {
  type CountedMatch,
  type MatchLimits,
  matchLimits,
  narrowMatch,
  planMatch,
} from "../memory/match.ts";
import type { MemoryQuery, QueryTerm } from "../memory/query.ts";
import { projectTerm } from "../memory/terms.ts";
import {
  countMatches,
  type IndexHit,
  lastObservation,
  type MemoryFilter,
  newestMatches,
  searchIndex,
  withTerm,
} from "../store/memory_search.ts";
import { type AskedTerm, askedTerms } from "./asked_terms.ts";

/** A question that the index can be asked more than once, for other times. */
export interface AskedQuery {
  readonly query: MemoryQuery;
  readonly terms: readonly AskedTerm[];
  /** The words that say little, as far as any observation has them. */
  readonly small: readonly CountedMatch[];
  readonly limits: MatchLimits;
  readonly observations: number;
}

/** A pair is found where both of its words are, which count already. */
const WEIGHTS: Readonly<Record<QueryTerm["kind"], number>> = {
  word: 1,
  exact: 1,
  part: 1,
  pair: 0.7,
};
/** A word that says little counts less, and by how many of the candidates have it. */
const SMALL_WEIGHT = 0.4;
/** So many candidates are looked for by their small words where those of the others are more than are looked at. */
const BY_SMALL_WORDS = 60;
/** Of more words it is not asked whether they stand together, which is with no more than as many others between them. */
const MAX_TOGETHER = 6;

/** A candidate with how much of the question it holds. */
export interface ScoredHit extends IndexHit {
  /** Whether that is all that was typed. */
  readonly isWhole: boolean;
  /** How much of the question it holds, 0 to 1, whatever others do. */
  readonly held: number;
}

const NOTHING: ReadonlySet<number> = new Set();

/** Looks the words of a question up. */
export function askQuery(
  db: DatabaseSync,
  query: MemoryQuery,
  project: string | null,
): AskedQuery {
  const observations = lastObservation(db);
  const limits = matchLimits(observations);
  const terms = askedTerms(db, query, { limit: limits.perTerm, observations, project });
  const small = query.small
    .map((match) => ({ match, count: countMatches(db, match, limits.small) }))
    .filter(({ count }) => count > 0);
  return { query, terms, small, limits, observations };
}

/** What the index has of a question, as expressions. */
export function knownMatches({ terms }: AskedQuery): string[] {
  return terms.flatMap(({ term, count, resembling }) => [
    ...count > 0 ? [term.match] : [],
    ...resembling === null ? [] : [resembling.match],
  ]);
}

/** The observations that have words of a question, as many as asked for at most; the scores are those of the index. */
export function candidates(
  db: DatabaseSync,
  asked: AskedQuery,
  options: { readonly filter: MemoryFilter; readonly limit: number },
): IndexHit[] {
  const { query, terms, small, limits } = asked;
  const { project, ...rest } = options.filter;
  const within = { ...options, filter: { ...rest, project: null } };
  const inProject = (match: string) =>
    project === null ? match : `(${match}) AND "${projectTerm(project)}"`;
  const newest = (match: string) => newestMatches(db, inProject(match), within);
  // The word of the project says nothing of how well anything matches.
  const best = (match: string, among = match, limit = options.limit) =>
    searchIndex(db, match, {
      ...within,
      limit,
      among: among === match && project === null ? null : inProject(among),
    });
  const plan = planMatch(countedOf(terms), query.phrases, limits);
  if (plan.kind === "none") return [];
  const narrow = narrowMatch(countedOf(terms), query.phrases, limits);
  const few = narrow === null ? [] : best(narrow.match, narrow.among);
  if (narrow !== null && few.length >= options.limit) return withSmallWords(few, narrow.among);
  const many = plan.kind === "ranked" ? best(plan.match) : newest(plan.all);
  const hits = joined(few, many);
  if (hits.length === 0) {
    return plan.kind === "newest" && query.phrases.length === 0 ? newest(plan.any) : [];
  }
  const isAll = plan.kind === "newest" || hits.length < options.limit;
  return isAll ? hits : withSmallWords(hits, plan.match);

  /** With those that say the small words as well, where there are more than are looked at. */
  function withSmallWords(hits: readonly IndexHit[], match: string): IndexHit[] {
    const telling = small.filter(({ count }) => count < limits.small);
    if (telling.length === 0) return [...hits];
    const some = telling.map(({ match }) => match).join(" OR ");
    const both = `(${some}) AND ${match}`;
    return joined(hits, best(both, both, BY_SMALL_WORDS));
  }
}

/** The hits of two searches, each once. */
function joined(first: readonly IndexHit[], second: readonly IndexHit[]): IndexHit[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !known.has(id))];
}

/**
 * The candidates, each with how much it holds of the question as its score: 1 for the best. Where each word is in too many
 * observations to be ranked by, the scores stay as they are.
 */
export function scoredByWords(
  db: DatabaseSync,
  { terms, small, limits, observations }: AskedQuery,
  hits: readonly IndexHit[],
): ScoredHit[] {
  const plan = planMatch(countedOf(terms), [], limits);
  if (plan.kind !== "ranked") return hits.map((hit) => ({ ...hit, isWhole: false, held: 1 }));
  const ids = hits.map(({ id }) => id);
  // A word that is nearly everywhere is looked for only where a rarer one is: FTS5 then skips most of its observations.
  const find = (match: string, count: number) =>
    withTerm(db, count < limits.perTerm ? match : `${match} AND ${plan.match}`, ids);
  const together = terms.reduce((sum, { count }) => sum + (count < limits.perTerm ? count : 0), 0);
  const smallTerms = small.flatMap(({ match, count }): CoveredTerm[] => {
    if (count >= limits.small && together >= limits.small) return [];
    const within = withTerm(db, count < limits.small ? match : `${match} AND ${plan.match}`, ids);
    // Beside the others that were found: what all of them have tells nothing.
    const share = observations * within.size / Math.max(1, hits.length);
    return [{ count: share, weight: SMALL_WEIGHT, isTyped: true, within, resembling: NOTHING }];
  });
  const covered = coverageOf(
    hits,
    terms.flatMap(({ term, count, resembling }): CoveredTerm[] =>
      count === 0 && resembling === null ? [] : [{
        count: term.kind === "pair"
          ? commonerOf(term, terms)
          : count === 0
          ? resembling!.count
          : count,
        weight: WEIGHTS[term.kind],
        isTyped: term.kind === "word",
        within: count === 0 ? NOTHING : find(term.match, count),
        resembling: resembling === null ? NOTHING : find(resembling.match, resembling.count),
      }]
    ).concat(smallTerms),
    { observations, together: togetherIn(db, terms, ids) },
  );
  const most = Math.max(...covered.map(({ score }) => score), Number.MIN_VALUE);
  return hits.map((hit, at) => {
    const { score, isWhole } = covered[at]!;
    return { ...hit, textScore: score / most, isWhole, held: Math.min(1, score) };
  });
}

/** Where all words of a question stand together, none of which is nowhere; nothing for a long question. */
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

/** A pair tells no more than the commoner of its words: that a name stands before "is" says little. */
function commonerOf({ match }: QueryTerm, terms: readonly AskedTerm[]): number {
  const words = match.slice(1, -1).split(" ").map((word) => `"${word}"`);
  return Math.max(...terms.map(({ term, count }) => words.includes(term.match) ? count : 0));
}

/** The words, and what stands for them, each by itself. */
function countedOf(terms: readonly AskedTerm[]): CountedMatch[] {
  return terms.flatMap(({ term, count, resembling }) => [
    { match: term.match, count },
    ...resembling === null ? [] : [resembling],
  ]);
}

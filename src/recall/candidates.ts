/** What may answer a question: the index is asked for its words, then each passage is looked at for how much it holds. */
import type { DatabaseSync } from "node:sqlite";
import { coverageOf, type CoveredTerm } from "../memory/coverage.ts";
import { type MatchLimits, matchLimits, type MatchPlan, planMatch } from "../memory/match.ts";
import type { MemoryQuery, QueryTerm } from "../memory/query.ts";
import {
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
  return { query, terms, limits, observations };
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
  const { query, terms, limits } = asked;
  const { project, ...rest } = options.filter;
  const within = { ...options, filter: { ...rest, project: null } };
  const plan = planOf(terms, query.phrases, { limits, project });
  if (plan.kind === "none") return [];
  const hits = plan.kind === "ranked"
    ? searchIndex(db, plan.match, within)
    : newestMatches(db, plan.all, within);
  if (plan.kind === "newest" && hits.length === 0) return newestMatches(db, plan.any, within);
  // What stood in quotes need not be there in one piece where nothing has it so.
  if (hits.length > 0 || query.phrases.length === 0) return hits;
  return candidates(db, { ...asked, query: { ...query, phrases: [] } }, options);
}

/**
 * The candidates, each with how much it holds of the question as its score: 1 for the best. Where each word is in too many
 * observations to be ranked by, the scores stay as they are.
 */
export function scoredByWords(
  db: DatabaseSync,
  { terms, limits, observations }: AskedQuery,
  hits: readonly IndexHit[],
): IndexHit[] {
  const plan = planOf(terms, [], { limits, project: null });
  if (plan.kind !== "ranked") return [...hits];
  const ids = hits.map(({ id }) => id);
  // A word that is nearly everywhere is looked for only where a rarer one is: FTS5 then skips most of its observations.
  const find = (match: string, count: number) =>
    withTerm(db, count < limits.perTerm ? match : `${match} AND ${plan.match}`, ids);
  const covered = coverageOf(
    hits,
    terms.flatMap(({ term, count, resembling }): CoveredTerm[] =>
      count === 0 && resembling === null ? [] : [{
        count: count === 0 ? resembling!.count : count,
        weight: WEIGHTS[term.kind],
        within: count === 0 ? NOTHING : find(term.match, count),
        resembling: resembling === null ? NOTHING : find(resembling.match, resembling.count),
      }]
    ),
    observations,
  );
  const most = Math.max(...covered, Number.MIN_VALUE);
  return hits.map((hit, at) => ({ ...hit, textScore: covered[at]! / most }));
}

function planOf(
  terms: readonly AskedTerm[],
  phrases: readonly string[],
  options: { readonly limits: MatchLimits; readonly project: string | null },
): MatchPlan {
  const matches = terms.flatMap(({ term, count, resembling }) => [
    { match: term.match, count },
    ...resembling === null ? [] : [resembling],
  ]);
  return planMatch(matches, phrases, options);
}

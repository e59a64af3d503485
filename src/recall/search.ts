/** Searching memory: the index gives candidates, ranking orders them, and what is asked for is read whole. */
import type { DatabaseSync } from "node:sqlite";
import { spokenTime } from "../memory/dates.ts";
import { matchLimits, planMatch, prefixMatch } from "../memory/match.ts";
import { NO_SESSION, type ObservationKind } from "../memory/observation.ts";
import { MAX_QUERY_CHARS, type MemoryQuery, readQuery } from "../memory/query.ts";
import { rank, RANK_WEIGHTS, type Ranked, type RankWeights } from "../memory/rank.ts";
import { shortened } from "../memory/text.ts";
import { estimateTokens } from "../memory/tokens.ts";
import {
  countMatches,
  type IndexHit,
  lastObservation,
  type MemoryFilter,
  neighboursOf,
  newestMatches,
  newestObservations,
  searchIndex,
  snippetOf,
} from "../store/memory_search.ts";
import { readObservations } from "../store/observations.ts";

/** What was found. */
export interface SearchResult {
  readonly id: number;
  readonly uid: string;
  readonly kind: ObservationKind;
  readonly title: string;
  /** The part of the text that the question is about, one line. */
  readonly snippet: string;
  readonly score: number;
  readonly sessionId: string;
  readonly project: string | null;
  readonly branch: string | null;
  readonly outcome: "success" | "failure" | null;
  readonly resolvedBy: number | null;
  readonly files: readonly string[];
  readonly createdAtMs: number;
  /** What the whole of it would cost a model. */
  readonly tokens: number;
}

/** How memory is searched. */
export interface SearchOptions {
  readonly filter: MemoryFilter;
  /** 1 to 100. */
  readonly limit: number;
  /** The moment of the question, epoch milliseconds. */
  readonly nowMs: number;
  readonly weights?: RankWeights;
}

/** Candidates that ranking looks at. */
const CANDIDATES = 100;
/** Best candidates whose neighbours are looked at, and how far. */
const WITH_NEIGHBOURS = 10;
const REACH = 1;
/** Fewer hits than this, and words are taken for beginnings of words. */
const FEW = 3;
const SNIPPET_WORDS = 32;
const SNIPPET_CHARS = 240;

/**
 * Searches memory for what a person typed.
 *
 * @returns The best first; empty when nothing matches. @throws {Error} What SQLite says, of a damaged index, too.
 */
export function searchMemory(
  db: DatabaseSync,
  text: string,
  options: SearchOptions,
): SearchResult[] {
  const query = readQuery(text);
  const found = rankMatches(db, text, query, options).slice(0, options.limit);
  const { project } = options.filter;
  // The index tells projects apart by a word, and words may be typed: what is of another one is left out once more.
  return tellResults(db, query, found)
    .filter((result) => project === null || result.project === project);
}

/** The order in which observations answer a question. */
export function rankMatches(
  db: DatabaseSync,
  text: string,
  query: MemoryQuery,
  { filter, nowMs, weights = RANK_WEIGHTS, limit }: SearchOptions,
): Ranked<IndexHit>[] {
  const typed = text.slice(0, MAX_QUERY_CHARS);
  const time = spokenTime(typed, nowMs);
  const options = { filter, limit: Math.max(CANDIDATES, limit) };
  const hits = candidates(db, query, options);
  if (time !== null) {
    const within = { ...filter, sinceMs: time.fromMs, untilMs: time.untilMs };
    const known = new Set(hits.map(({ id }) => id));
    const dated = candidates(db, query, { ...options, filter: within });
    hits.push(...dated.filter(({ id }) => !known.has(id)));
    if (hits.length === 0) hits.push(...newestObservations(db, { ...options, filter: within }));
  }
  // What must be there as it is, is not what stands next to it; and notes stand next to each other by chance.
  const best = query.phrases.length > 0
    ? []
    : hits.filter(({ sessionId }) => sessionId !== NO_SESSION)
      .toSorted((one, other) => other.textScore - one.textScore);
  const neighbours = neighboursOf(db, best.slice(0, WITH_NEIGHBOURS), REACH)
    .filter(({ hit }) => isWithin(hit, filter));
  return rank(hits, neighbours, { nowMs, time, paths: pathsIn(typed) }, weights);
}

function candidates(
  db: DatabaseSync,
  query: MemoryQuery,
  options: { readonly filter: MemoryFilter; readonly limit: number },
): IndexHit[] {
  const limits = matchLimits(lastObservation(db));
  const counts = countTerms(db, query, limits.perTerm);
  const { project, ...rest } = options.filter;
  const within = { ...options, filter: { ...rest, project: null } };
  const plan = planMatch(query, counts, { limits, project });
  const hits = plan.kind === "none"
    ? []
    : plan.kind === "ranked"
    ? searchIndex(db, plan.match, within)
    : newestMatches(db, plan.all, within);
  if (plan.kind === "newest" && hits.length === 0) return newestMatches(db, plan.any, within);
  if (query.phrases.length > 0) {
    return hits.length > 0 ? hits : candidates(db, { ...query, phrases: [] }, options);
  }
  if (hits.length >= FEW) return hits;
  const prefixes = prefixMatch(query, project);
  return prefixes === "" ? hits : [...hits, ...without(hits, newestMatches(db, prefixes, within))];
}

/** In how many observations each term is. Two words that are everywhere are not looked for as a pair: that takes long. */
function countTerms(db: DatabaseSync, { terms }: MemoryQuery, limit: number): number[] {
  const counts = new Map<string, number>();
  for (const { match, kind } of terms) {
    if (kind !== "pair") counts.set(match, countMatches(db, match, limit));
  }
  return terms.map(({ match, kind }) => {
    if (kind !== "pair") return counts.get(match)!;
    const [one, other] = match.split(" ").map((word) =>
      counts.get(`"${word.replaceAll('"', "")}"`)
    );
    const rarest = Math.min(one ?? 0, other ?? 0);
    return rarest === 0 || rarest >= limit ? 0 : countMatches(db, match, limit);
  });
}

function without(known: readonly IndexHit[], hits: readonly IndexHit[]): IndexHit[] {
  const ids = new Set(known.map(({ id }) => id));
  const least = Math.min(1, ...known.map(({ textScore }) => textScore));
  return hits.filter(({ id }) => !ids.has(id)).map((hit) => ({ ...hit, textScore: least / 2 }));
}

/** Neighbours are of the same session, but may be of another kind or time than what was asked for. */
function isWithin(hit: IndexHit, { kind, sinceMs, untilMs, file, branch }: MemoryFilter): boolean {
  return (kind === null || hit.kind === kind) && file === null && branch === null &&
    (sinceMs === null || hit.createdAtMs >= sinceMs) &&
    (untilMs === null || hit.createdAtMs < untilMs);
}

/** What looks like a file in a question, in small letters. */
function pathsIn(text: string): string[] {
  return text.toLowerCase().split(/[\s"'`(),;]+/)
    .map((word) => word.replace(/[.:?!]+$/, "").replace(/(?::\d+)+$/, ""))
    .filter((word) => word.length < 260 && /[^.]\.[a-z]\w{0,7}$/.test(word))
    .map((path) => path.replaceAll("\\", "/"));
}

function tellResults(
  db: DatabaseSync,
  query: MemoryQuery,
  found: readonly Ranked<IndexHit>[],
): SearchResult[] {
  const match = query.terms.map((term) => term.match).join(" OR ");
  const scores = new Map(found.map(({ hit, score }) => [hit.id, score]));
  return readObservations(db, found.map(({ hit }) => hit.id)).map((observation) => {
    const { id, title, text } = observation;
    const part = match === "" ? undefined : snippetOf(db, id, { match, words: SNIPPET_WORDS });
    return {
      id,
      uid: observation.uid,
      kind: observation.kind,
      title,
      snippet: shortened((part ?? text).replace(/\s+/g, " ").trim(), SNIPPET_CHARS),
      score: Math.round((scores.get(id) ?? 0) * 1000) / 1000,
      sessionId: observation.sessionId,
      project: observation.project,
      branch: observation.branch,
      outcome: observation.outcome,
      resolvedBy: observation.resolvedBy,
      files: observation.files,
      createdAtMs: observation.createdAtMs,
      tokens: estimateTokens(`${title}\n${text}`),
    };
  });
}

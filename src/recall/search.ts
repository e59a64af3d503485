/** Searching memory: the index gives candidates, ranking orders them, and what is asked for is read whole. */
import type { DatabaseSync } from "node:sqlite";
import { wordsOfDay } from "../memory/dates.ts";
import { NO_SESSION, type ObservationKind } from "../memory/observation.ts";
import {
  commonQuestion,
  type MemoryQuestion,
  readQuestion,
  withoutPhrases,
} from "../memory/question.ts";
import { rank, RANK_WEIGHTS, type Ranked, type RankWeights } from "../memory/rank.ts";
import { snippetOf } from "../memory/snippet.ts";
import { isOfIndex, pairOf } from "../memory/terms.ts";
import { estimateTokens } from "../memory/tokens.ts";
import { isOfUnknownFile } from "../store/known_files.ts";
import { requireWholeIndex } from "../store/memory_index.ts";
import {
  type IndexHit,
  type MemoryFilter,
  neighboursOf,
  withTerm,
} from "../store/memory_search.ts";
import { readObservations } from "../store/observations.ts";
import { echoesOf, literalIn } from "./as_typed.ts";
import {
  type AskedQuery,
  askQuery,
  candidates,
  knownMatches,
  scoredByWords,
} from "./candidates.ts";

import { newestWithin, overlapOf } from "./newest_within.ts";
import { stateAnswers } from "./state_answers.ts";

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
  /** Nothing is rather told than what words found that say little. */
  readonly isSure?: boolean;
}

/** Candidates that ranking looks at. */
const CANDIDATES = 120;
/** Best candidates whose neighbours are looked at, and how far. */
const WITH_NEIGHBOURS = 10;
const REACH = 3;
/** What a day's date finds is 1; what was only made on that day is so much. */
const MADE_THEN = 0.5;
const SNIPPET_CHARS = 240;

/** What a search comes to. */
export interface SearchAnswer {
  /** The best first; empty when nothing matches. */
  readonly results: readonly SearchResult[];
  /** What stood in quotes and no result has: the results are those without the quotes. Empty when all is there. */
  readonly quotedNowhere: readonly string[];
}

/** Searches memory as {@linkcode answerMemory} does. @returns The results alone. @throws {Error} As that does. */
export function searchMemory(
  db: DatabaseSync,
  text: string,
  options: SearchOptions,
): readonly SearchResult[] {
  return answerMemory(db, text, options).results;
}

/**
 * Searches memory for what a person typed. What stood in quotes is in every result; where nothing has it, it is looked for
 * without the quotes.
 *
 * @throws {Error} What SQLite says, of a damaged index, too; `withIndex()` mends that.
 */
export function answerMemory(
  db: DatabaseSync,
  text: string,
  options: SearchOptions,
): SearchAnswer {
  if (isOfUnknownFile(db, options.filter)) return { results: [], quotedNowhere: [] };
  const question = readQuestion(text, options.nowMs);
  const { phrases } = question.query;
  const results = resultsOf(db, question, options);
  if (phrases.length === 0 || results.length > 0) return { results, quotedNowhere: [] };
  const unquoted = resultsOf(db, withoutPhrases(question), options);
  return { results: unquoted, quotedNowhere: unquoted.length === 0 ? [] : phrases };
}

function resultsOf(
  db: DatabaseSync,
  question: MemoryQuestion,
  options: SearchOptions,
): SearchResult[] {
  const asked = askQuery(db, question.query, options.filter.project);
  const found = rankAsked(db, asked, { ...options, question });
  if (isMissingAny(asked, found.length)) requireWholeIndex(db);
  const { project } = options.filter;
  const isOpen = found.length === 0 && question.query.phrases.length === 0 && !options.isSure;
  const common = isOpen ? commonQuestion(question) : null;
  const told = common === null
    ? tellResults(db, { asked, question, found })
    : answerCommon(db, common, options);
  const ahead = options.isSure ? [] : stateAnswers(db, question, options.filter);
  const first = tellResults(db, {
    asked,
    question,
    found: scoredAbove(told[0]?.score ?? 0, ahead),
  });
  return [...first, ...told.filter(({ id }) => !ahead.includes(id))]
    // The index tells projects apart by a word, and words may be typed: what is of another one is left out once more.
    .filter((result) => project === null || result.project === project)
    .slice(0, options.limit);
}

/** Answers that stand before what the words have found. */
function scoredAbove(best: number, ids: readonly number[]) {
  return ids.map((id, at) => ({ hit: { id }, score: best + ids.length - at }));
}

function answerCommon(
  db: DatabaseSync,
  question: MemoryQuestion,
  options: SearchOptions,
): SearchResult[] {
  const asked = askQuery(db, question.query, options.filter.project);
  return tellResults(db, {
    asked,
    question,
    found: rankAsked(db, asked, { ...options, question }),
  });
}

/** Whether a word was not found, which an index that has lost its pages gives no other sign of. */
function isMissingAny({ terms }: AskedQuery, found: number): boolean {
  return terms.length > 0 &&
    (found === 0 || terms.some(({ term, count }) => term.kind === "word" && count === 0));
}

/** The order in which observations answer a question. */
export function rankMatches(
  db: DatabaseSync,
  question: MemoryQuestion,
  options: SearchOptions,
): Ranked<IndexHit>[] {
  const asked = askQuery(db, question.query, options.filter.project);
  const ranked = rankAsked(db, asked, { ...options, question });
  return ranked.length > 0 || question.query.phrases.length === 0
    ? ranked
    : rankMatches(db, withoutPhrases(question), options);
}

function rankAsked(
  db: DatabaseSync,
  asked: AskedQuery,
  { question, filter, nowMs, weights = RANK_WEIGHTS, limit }: SearchOptions & {
    readonly question: MemoryQuestion;
  },
): Ranked<IndexHit>[] {
  const { time, days, asksThen, timeWords, paths, speaker } = question;
  const options = { filter, limit: Math.max(CANDIDATES, limit) };
  const hits = candidates(db, asked, options);
  const spans = time === null ? [] : days.length === 0 ? [time] : days.map(({ time }) => time);
  for (const span of spans) {
    const within = { ...filter, ...overlapOf(filter, span) };
    const known = new Set(hits.map(({ id }) => id));
    const dated = candidates(db, asked, { ...options, filter: within });
    hits.push(...dated.filter(({ id }) => !known.has(id)));
  }
  const scored = scoredByWords(db, asked, hits);
  const dates = new Set(days.flatMap(({ matches }) => matches));
  // Nor does what was merely done in a time hold what stood in quotes.
  const isOfTimeAlone = hits.length === 0 && question.query.phrases.length === 0;
  if (isOfTimeAlone || asked.terms.every(({ term }) => dates.has(term.match))) {
    const known = new Set(hits.map(({ id }) => id));
    scored.push(
      ...spans.flatMap((span) => newestWithin(db, span, options))
        .filter(({ id }) => !known.has(id))
        .map((hit) => ({ ...hit, textScore: MADE_THEN, isWhole: false, held: 1 })),
    );
  }
  // What must be there as it is, is not what stands next to it; and notes stand next to each other by chance.
  const best = question.query.phrases.length > 0
    ? []
    : scored.filter(({ sessionId }) => sessionId !== NO_SESSION)
      .toSorted((one, other) => other.textScore - one.textScore);
  const near = best.slice(0, WITH_NEIGHBOURS).map(({ id }) => id);
  const neighbours = neighboursOf(db, near, REACH)
    .filter(({ hit }) => isWithin(hit, filter));
  const ids = scored.map(({ id }) => id);
  const day = days.length === 0 ? null : {
    readings: days.map(({ matches, time }) => ({
      saidBy: withTerm(db, matches.join(" OR "), ids),
      time,
    })),
    isAsked: asksThen,
    words:
      asked.terms.filter(({ term, count }) =>
        term.kind === "word" && count > 0 && !dates.has(term.match)
      ).length,
  };
  const known = new Set(asked.terms.map(({ term }) => term.match));
  for (const { match } of asked.small) known.add(match);
  const wholeSaysTime = timeWords.every((match) => known.has(match));
  const literal = literalIn(db, question, scored);
  const context = {
    nowMs,
    time,
    wholeSaysTime,
    day,
    paths,
    speaker,
    echoes: echoesOf(question, scored),
    literal,
  };
  return rank(scored, neighbours, context, { weights, limit });
}

/** Neighbours are of the same session, but may be of another kind or time than what was asked for. */
function isWithin(hit: IndexHit, { kind, sinceMs, untilMs, file, branch }: MemoryFilter): boolean {
  return (kind === null || hit.kind === kind) && file === null && branch === null &&
    (sinceMs === null || hit.createdAtMs >= sinceMs) &&
    (untilMs === null || hit.createdAtMs < untilMs);
}

function tellResults(
  db: DatabaseSync,
  { asked, question, found }: {
    readonly asked: AskedQuery;
    readonly question: MemoryQuestion;
    readonly found: readonly Ranked<Pick<IndexHit, "id">>[];
  },
): SearchResult[] {
  const words = wordsOf(asked);
  const daysIn = (text: string) => question.days.flatMap(({ day }) => wordsOfDay(text, day));
  const scores = new Map(found.map(({ hit, score }) => [hit.id, score]));
  return readObservations(db, found.map(({ hit }) => hit.id)).map((observation) => {
    const { id, title, text } = observation;
    return {
      id,
      uid: observation.uid,
      kind: observation.kind,
      title,
      snippet: snippetOf(text, [...words, ...daysIn(text)], SNIPPET_CHARS),
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

/** The words that were looked for, as they may stand in a text: what only the index has is left out. */
function wordsOf(asked: AskedQuery): string[] {
  return [...knownMatches(asked), ...asked.small.map(({ match }) => match)]
    .flatMap((match) => match.match(/[^"]+(?=")/g) ?? [])
    .map((word) => pairOf(word) ?? word)
    .filter((word) => !isOfIndex(word) && !word.includes(" "));
}

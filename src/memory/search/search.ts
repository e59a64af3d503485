/** Searches memory: finds candidates in the index, ranks them, and reads the best. */
import type { DatabaseSync } from "node:sqlite";
import { NO_SESSION } from "../observe/observation.ts";
import { bareWords, type MemoryQuestion, readQuestion } from "./question.ts";
import { rank, type Ranked } from "./rank.ts";
import type { SpokenTime } from "./spoken_time.ts";
import { isOfIndex, isUnspaced, pairOf } from "./terms.ts";
import { estimateTokens, shortened } from "../text.ts";
import { requireWholeIndex } from "./memory_index_table.ts";
import {
  type IndexHit,
  type MemoryFilter,
  neighboursOf,
  newestObservations,
  type SearchLimits,
} from "./memory_search_table.ts";
import { type Observation, readObservations } from "../drain/observations_table.ts";
import {
  type AskedQuestion,
  askIndex,
  candidates,
  knownMatches,
  newTo,
  scoredByWords,
} from "./candidates.ts";
import { LETTER_OR_DIGIT, occursIn } from "../../base/letters.ts";

export interface SearchResult
  extends Omit<Observation, "text" | "facts" | "repeats" | "updatedAtMs"> {
  /** The part of the text with most words of the question, in one line. */
  readonly snippet: string;
  readonly score: number;
  /** The estimated tokens of the whole text. */
  readonly tokens: number;
}

/** `limit`: the most results, 1 to 100. */
export interface SearchOptions extends SearchLimits {
  /** The moment of the question, in epoch milliseconds. */
  readonly nowMs: number;
  /** The result of `spokenTime()` for the question. */
  readonly time?: SpokenTime | null;
  /** True when common words alone shall find nothing. */
  readonly isSure?: boolean;
}

export interface SearchAnswer {
  /** The results, best first; empty when nothing matches. */
  readonly results: readonly SearchResult[];
  /** Quoted phrases that no result holds, so that the results are those of a search without quotes; else empty. */
  readonly quotedNowhere: readonly string[];
}

const CANDIDATES = 120;
/** How many of the best candidates have their neighbours read, and how many on each side. */
const WITH_NEIGHBOURS = 10;
const REACH = 3;
/** The score of an observation of the question's time that lacks its words. The best hit with its words has 1. */
const TIME_ONLY_SCORE = 0.2;
const SNIPPET_CHARS = 240;
/** The least number of words with which a question is recognised as asked before. */
const MIN_ECHO_WORDS = 3;

/**
 * Searches memory for what a person typed. Every result has the quoted phrases; when no observation has them, the quotes
 * are ignored. @throws {Error} What SQLite says; `withIndex()` rebuilds a damaged index.
 */
export function answerMemory(db: DatabaseSync, text: string, options: SearchOptions): SearchAnswer {
  const { filter, limit } = options;
  const { asked, found, quotedNowhere } = rankMatches(db, text, options);
  if (isMissingAny(asked, found.length)) requireWholeIndex(db);
  const results = readResults(db, wordsOf(asked), found)
    // The index marks a project by a word, which a person may type, so the project is compared once more.
    .filter(({ project }) => filter.project === null || project === filter.project)
    .slice(0, limit);
  return { results, quotedNowhere: results.length > 0 ? quotedNowhere : [] };
}

/** Ranks the observations for a question. @throws {Error} As {@linkcode answerMemory} does. */
export function rankMatches(
  db: DatabaseSync,
  text: string,
  { time = null, isSure = false, ...options }: SearchOptions,
): Readonly<{ asked: AskedQuestion; found: readonly Ranked[]; quotedNowhere: readonly string[] }> {
  const question = readQuestion(text, time);
  const { phrases, common } = question;
  const { project } = options.filter;
  const asked = askIndex(db, question, project);
  const found = rankAsked(db, asked, question, options);
  const further = found.length > 0
    ? null
    : phrases.length > 0
    ? { ...asked, phrases: [] }
    : common.length > 0 && !isSure
    ? askIndex(db, { terms: common, phrases }, project)
    : null;
  if (further === null) return { asked, found, quotedNowhere: [] };
  return { asked, found: rankAsked(db, further, question, options), quotedNowhere: phrases };
}

/** Tells whether a word was not found. An index that has lost its pages shows no other sign. */
function isMissingAny({ terms }: AskedQuestion, found: number): boolean {
  return terms.length > 0 &&
    (found === 0 || terms.some(({ kind, count }) => kind === "word" && count === 0));
}

function rankAsked(
  db: DatabaseSync,
  asked: AskedQuestion,
  question: MemoryQuestion,
  { filter, nowMs, limit }: SearchOptions,
): Ranked[] {
  const { time, paths, speaker } = question;
  const options = { filter, limit: Math.max(CANDIDATES, limit) };
  const hits = candidates(db, asked, options);
  const within = time === null ? null : { ...options, filter: withinTime(filter, time) };
  if (within !== null) hits.push(...newTo(hits, candidates(db, asked, within)));
  const scored = scoredByWords(db, asked, hits);
  // Observations of the time alone do not hold the quoted phrases.
  const isOfTimeAlone = asked.phrases.length === 0 &&
    (hits.length === 0 || question.isOfTimeAlone);
  if (within !== null && isOfTimeAlone) {
    const done = newestObservations(db, within);
    scored.push(...newTo(scored, done).map((hit) => ({ ...hit, textScore: TIME_ONLY_SCORE })));
  }
  // Neighbours do not hold the quoted phrases, and notes without a session are neighbours by chance.
  const best = asked.phrases.length > 0
    ? []
    : scored.filter(({ sessionId }) => sessionId !== NO_SESSION)
      .toSorted((one, other) => other.textScore - one.textScore);
  const neighbours = neighboursOf(db, best.slice(0, WITH_NEIGHBOURS).map(({ id }) => id), REACH)
    .filter((hit) => isWithin(hit, filter));
  const context = { nowMs, time, paths, speaker, echoes: echoesOf(question, scored) };
  return rank(scored, neighbours, context, limit);
}

/** Returns a filter that is limited to a time. */
function withinTime(filter: MemoryFilter, { fromMs, untilMs }: SpokenTime) {
  return {
    ...filter,
    sinceMs: Math.max(filter.sinceMs ?? fromMs, fromMs),
    untilMs: Math.min(filter.untilMs ?? untilMs, untilMs),
  };
}

/** Tells whether a neighbour matches the filter. It is of the same session, but perhaps of another kind or time. */
function isWithin(hit: IndexHit, { kind, sinceMs, untilMs, file, branch }: MemoryFilter): boolean {
  return (kind === null || hit.kind === kind) && file === null && branch === null &&
    (sinceMs === null || hit.createdAtMs >= sinceMs) &&
    (untilMs === null || hit.createdAtMs < untilMs);
}

/** Returns the earlier prompts with the same question, if it has three words or more. */
function echoesOf({ said }: MemoryQuestion, hits: readonly IndexHit[]): ReadonlySet<number> {
  if (said.split(" ").length < MIN_ECHO_WORDS) return new Set();
  const isEcho = ({ kind, title }: IndexHit) => kind === "prompt" && bareWords(title) === said;
  return new Set(hits.filter(isEcho).map(({ id }) => id));
}

/** Returns the newest observations that a filter lets through, for a search without words. */
export function newestResults(db: DatabaseSync, options: SearchLimits): SearchResult[] {
  return readResults(db, [], newestObservations(db, options).map((hit) => ({ hit, score: 0 })));
}

function readResults(
  db: DatabaseSync,
  words: readonly string[],
  found: readonly Ranked[],
): SearchResult[] {
  const scores = new Map(found.map(({ hit, score }) => [hit.id, score]));
  return readObservations(db, found.map(({ hit }) => hit.id)).map((observation) => {
    const { text, facts: _facts, repeats: _repeats, updatedAtMs: _updatedAtMs, ...told } =
      observation;
    return {
      ...told,
      snippet: snippetOf(text, words, SNIPPET_CHARS),
      score: Math.round((scores.get(told.id) ?? 0) * 1000) / 1000,
      tokens: estimateTokens(`${told.title}\n${text}`),
    };
  });
}

/** Returns the words of a search as they may stand in a text, without words that only the index has. */
function wordsOf(asked: AskedQuestion): string[] {
  return knownMatches(asked.terms)
    .flatMap(({ match }) => match.match(/[^"]+(?=")/g) ?? [])
    .map((word) => pairOf(word) ?? word)
    .filter((word) => !isOfIndex(word) && !word.includes(" "));
}

/** The most places of one word that are compared. */
const MAX_PLACES = 50;
/** The characters that are shown before the first word found. */
const LEAD_CHARS = 40;
/** The longest ending that is cut off a word, and the least number of letters that stay. */
const ENDING_CHARS = 2;
const MIN_STEM_CHARS = 4;

type Place = Readonly<{ at: number; word: string }>;

/** The part of a text, on one line, that holds most of the words (in small letters), whatever their endings. */
export function snippetOf(text: string, words: readonly string[], maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= maxChars) return line;
  const places = placesOf(line.toLowerCase(), words);
  const from = startOf(line, bestPlace(places, maxChars - 2 * LEAD_CHARS));
  return from === 0 ? shortened(line, maxChars) : `…${shortened(line.slice(from), maxChars - 1)}`;
}

/** Returns the places of words that begin like words of the question, in the order of the text. */
function placesOf(text: string, words: readonly string[]): Place[] {
  const places: Place[] = [];
  for (const word of words) {
    const start = word.slice(0, Math.max(MIN_STEM_CHARS, word.length - ENDING_CHARS));
    let at = text.indexOf(start);
    for (let seen = 0; at >= 0 && seen < MAX_PLACES; seen++) {
      const before = text[at - 1];
      if (
        before === undefined || isUnspaced(start) ||
        !occursIn(LETTER_OR_DIGIT, before)
      ) {
        places.push({ at, word });
      }
      at = text.indexOf(start, at + start.length);
    }
  }
  return places.sort((one, other) => one.at - other.at);
}

/** Returns the beginning of the part that holds most words, each counted once; 0 when there is none. */
function bestPlace(places: readonly Place[], reach: number): number {
  let best = { at: 0, count: 0 };
  for (const [i, { at }] of places.entries()) {
    const within = new Set<string>();
    for (let j = i; j < places.length && places[j]!.at < at + reach; j++) {
      within.add(places[j]!.word);
    }
    if (within.size > best.count) best = { at, count: within.size };
  }
  return best.at;
}

/** Returns a place a little earlier, at the beginning of a word. */
function startOf(line: string, at: number): number {
  if (at <= LEAD_CHARS) return 0;
  const blank = line.indexOf(" ", at - LEAD_CHARS);
  return blank < 0 || blank >= at ? at : blank + 1;
}

/** What a question asks for beside its words: a time, files, what one of the two said. */
import { isoDay, type SpokenTime, spokenTime } from "./dates.ts";
import type { TimeSpan } from "./spans.ts";
import {
  LETTER_OR_DIGIT,
  type LetterPattern,
  occursIn,
  patternFor,
  scriptPattern,
  WORD,
} from "../letters.ts";
import { exactTerm } from "./terms.ts";
import { MAX_QUERY_CHARS, type MemoryQuery, readQuery } from "./query.ts";

/** A question as it is answered. */
export interface MemoryQuestion {
  readonly query: MemoryQuery;
  /** Its words as they are, one blank between them, in small letters. */
  readonly said: string;
  /** The same without those that speak of the time. */
  readonly untimed: string;
  /** The time that it speaks of. */
  readonly time: TimeSpan | null;
  /** What its date may mean, the likeliest first; none when it speaks of no day by its date. */
  readonly days: readonly SpokenDay[];
  /** Whether it asks what was done or said then (`what did we decide on …`), not for what has a date. */
  readonly asksThen: boolean;
  /** The words that speak of the time, in quotes; what says them beside all others is meant as well as what was made then. */
  readonly timeWords: readonly string[];
  /** What looks like a file in it, in small letters. */
  readonly paths: readonly string[];
  /** Pieces with marks among their letters or digits, in small letters: `n+1`, `#334`, `2.10`; what has them so comes first. */
  readonly literals: readonly string[];
  /** Whose words answer it: what the person told of themselves, or what Claude proposed; null when it does not say. */
  readonly speaker: "person" | "claude" | null;
}

/** A day that a question tells by its date. */
export interface SpokenDay {
  /** `2026-03-04`. */
  readonly day: string;
  /** The words that say it in a text: `2026-03-04` as the index has it, and `20260304`, which may be a number as well. */
  readonly matches: readonly string[];
  readonly time: TimeSpan;
}

const BETWEEN_WORDS: LetterPattern = {
  ascii: /[^A-Za-z\d]+/,
  any: scriptPattern(String.raw`[^\p{L}\p{N}\p{M}]+`, "u"),
};
/** A mark that makes a piece more than a word; what names are joined with, the index knows as one word. */
const ANY_MARK = /[#@$%&*+=<>~^|\\]|::|->|\d\.\d/;
const MAX_LITERALS = 3;
/** In a longer question the words count more. */
const MAX_BESIDE_MARKS = 6;
const DAY_MS = 86_400_000;
const MAX_PATH_CHARS = 256;
const BEFORE_TIME: ReadonlySet<string> = new Set(['"on"', '"in"', '"at"', '"by"', '"from"']);

/** Claude is asked what it said: "which library did you suggest?". */
const OF_CLAUDE =
  /\b(?:did|had|have|were|was) you\b(?! (?:know|remember))|\byou(?:'ve| have| had)? (?:said|suggested|recommended|proposed|advised|told|mentioned|gave|found|wrote|listed|explained|showed)\b|\byour (?:advice|suggestion|recommendation|answer|proposal|explanation)s?\b/;
/** The person asks what they told of themselves; with a file in it, what was done there. */
const OF_PERSON = /\b(?:my|mine|me|am i|i am|i'm|i'd|i've|i)\b/;

/** Somebody asks for what was. */
const PAST = /\b(?:did|was|were|had|have|has|hast|hat|habe[nt]?|wurden?|waren?)\b/;

/** Reads a question. It never fails. */
export function readQuestion(whole: string, nowMs: number): MemoryQuestion {
  const text = whole.slice(0, MAX_QUERY_CHARS);
  const lower = text.toLowerCase();
  const time = spokenTime(text, nowMs);
  const query = readQuery(text);
  const paths = pathsIn(lower);
  const days = time === null || !isDay(time) ? [] : [
    time,
    ...time.other === null ? [] : [time.other],
  ].map((time): SpokenDay => {
    const day = isoDay((time.fromMs + time.untilMs) / 2);
    return { day, matches: dateTerms(day), time };
  });
  const untimed = time === null
    ? query
    : time.isRelative
    ? untimedQuery(query, without(text, time.words))
    : days.length > 0
    ? withoutDate(query, readQuery(without(text, time.words)), days)
    : query;
  const asked = untimed.terms.length === 0 && !time?.isRelative ? query : untimed;
  return {
    query: time === null || time.isRelative ? asked : withoutBefore(asked),
    said: bareWords(text),
    untimed: bareWords(time === null ? text : without(text, time.words)),
    time,
    days,
    asksThen: time !== null && PAST.test(lower),
    timeWords: time === null ? [] : timeWords(time.words),
    paths,
    literals: time === null ? literalsIn(lower) : [],
    speaker: OF_CLAUDE.test(lower)
      ? "claude"
      : OF_PERSON.test(lower) && paths.length === 0
      ? "person"
      : null,
  };
}

/** A question of which nothing has to be there as it stood in quotes. */
export function withoutPhrases(question: MemoryQuestion): MemoryQuestion {
  return { ...question, query: { ...question.query, phrases: [] } };
}

/** A question by the words of it that say little, where those that say something found nothing; null where it has none. */
export function commonQuestion(question: MemoryQuestion): MemoryQuestion | null {
  const { query } = question;
  if (query.small.length === 0) return null;
  const terms = query.small.map((match) => ({ match, kind: "word" as const }));
  return { ...question, query: { ...query, terms, small: [], phrases: [] } };
}

/** The words of a text, one blank between them, in small letters: asked again, a question may have other marks. */
export function bareWords(text: string): string {
  return text.toLowerCase().split(patternFor(BETWEEN_WORDS, text)).filter((word) => word !== "")
    .join(" ");
}

/** The pieces of a short text that are more than their words, without what ends a sentence or stands around it. */
function literalsIn(lower: string): string[] {
  if (lower.length > MAX_PATH_CHARS || !ANY_MARK.test(lower)) return [];
  const pieces = lower.split(/\s+/);
  if (pieces.length > MAX_BESIDE_MARKS) return [];
  return pieces.map((piece) => piece.replace(/^["'`(]+|["'`).,;:?!]+$/g, ""))
    .filter((piece) => piece.length > 1 && ANY_MARK.test(piece) && occursIn(LETTER_OR_DIGIT, piece))
    .slice(0, MAX_LITERALS);
}

/** What looks like files in a text of small letters; what stands in one piece is looked through only as far as a path is long. */
function pathsIn(lower: string): string[] {
  if (!lower.includes(".")) return [];
  return (lower.match(/[\w@./\\-]+/g) ?? [])
    .filter((piece) => piece.length <= MAX_PATH_CHARS && piece.includes("."))
    .flatMap((piece) => piece.match(/[\w@-][\w@./\\-]*\.[a-z]\w{0,7}\b/g) ?? [])
    .map((path) => path.replaceAll("\\", "/"));
}

/**
 * A query of what is left of a text without its time; none where that tells nothing: then the time is all that is asked for.
 * The words of the time may stand in a text all the same (`the session table of today`).
 */
function untimedQuery(whole: MemoryQuery, text: string): MemoryQuery {
  const query = readQuery(text);
  if (!query.tells) return { ...query, terms: [], small: [] };
  const kept = new Set(query.terms.map(({ match }) => match));
  const ofTime = whole.terms.filter(({ match, kind }) => kind === "word" && !kept.has(match));
  return { ...query, small: [...new Set([...ofTime.map(({ match }) => match), ...whole.small])] };
}

/** The words of a time but for those that only lead to it. */
function timeWords(text: string): string[] {
  return (text.match(patternFor(WORD, text)) ?? []).map((word) => `"${word}"`)
    .filter((match) => match !== '"the"' && !BEFORE_TIME.has(match));
}

/** Whether a time is one day by its date, widened as {@linkcode spokenTime} does. */
function isDay({ fromMs, untilMs, isRelative }: SpokenTime): boolean {
  return !isRelative && untilMs - fromMs <= 2 * DAY_MS;
}

/** As the index has a date, however it is written, and also before a time of day: `2026-03-04`, `2026/03/04T10:00`. */
function dateTerms(day: string): string[] {
  return [`"${exactTerm(day)}"`, `"${day.replaceAll("-", "")}"`];
}

/**
 * A query without what its date is written with: its numbers are in many a name (`page18.ts`), and what says the date is
 * found by the date as one word. The name of a month stays where there is no year beside it, for then it is in no word.
 */
function withoutDate(
  { terms, small, phrases, tells }: MemoryQuery,
  undated: MemoryQuery,
  days: readonly SpokenDay[],
): MemoryQuery {
  const kept = new Set([
    ...undated.terms.map(({ match }) => match),
    ...days.flatMap(({ matches }) => matches),
  ]);
  const isWhole = terms.some(({ match }) => match === days[0]!.matches[0]);
  return {
    terms: terms.filter(({ match }) => kept.has(match) || !isWhole && !/\d/.test(match)),
    small,
    phrases,
    tells,
  };
}

/** A query without the words that stand before a date or a month, which say no more than that it comes. */
function withoutBefore(query: MemoryQuery): MemoryQuery {
  return { ...query, small: query.small.filter((match) => !BEFORE_TIME.has(match)) };
}

/** A text without a part that is found in it whatever its case. */
function without(text: string, part: string): string {
  const lower = text.toLowerCase();
  const at = lower.indexOf(part);
  return lower.length === text.length && at >= 0
    ? `${text.slice(0, at)} ${text.slice(at + part.length)}`
    : lower.replace(part, " ");
}

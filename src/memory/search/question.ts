/** Reads the words, phrases and paths of a question that a person typed. Any text is a question. */
import {
  isBeyondAscii,
  LETTER_OR_DIGIT,
  type LetterPattern,
  occursIn,
  patternFor,
  scriptPattern,
} from "../../base/letters.ts";
import WORDS from "./common_words.json" with { type: "json" };
import type { SpokenTime } from "./spoken_time.ts";
import { codeTerms, exactTerm, isUnspaced } from "./terms.ts";

export interface QueryTerm {
  /** The word as an expression of the index: `"parse"`. */
  readonly match: string;
  readonly kind: "word" | "exact" | "part" | "pair";
}

export interface MemoryQuestion {
  /** The terms, exact ones first. When the question asks only for a time, just its date, if that stands in texts. */
  readonly terms: readonly QueryTerm[];
  /** The quoted phrases, in small letters; none when there are many, since that text was pasted. */
  readonly phrases: readonly string[];
  /** All words in small letters, joined by single blanks. */
  readonly said: string;
  /** The time that the question names; null when it names none, or was not searched for one. */
  readonly time: SpokenTime | null;
  /** Whether the question asks only for a time. */
  readonly isOfTimeAlone: boolean;
  /** Common words, for when the terms find nothing: `still to do`. */
  readonly common: readonly QueryTerm[];
  /** Paths in the question, in small letters: `run.ts`. */
  readonly paths: readonly string[];
  /** The speaker of the answer: the person, or Claude; null when the question does not tell. */
  readonly speaker: "person" | "claude" | null;
}

/** How many characters of a question are read. */
export const MAX_QUERY_CHARS = 4_000;
const MAX_TERMS = 64;
/** In a question of at most this many words, every word counts: `docker compose down`. */
const MAX_SHORT = 4;
/** The most words that are joined to one identifier, and how many of the first words are tried. */
const MAX_JOINED_WORDS = 5;
const MAX_JOINED_FROM = 12;
/** The most quoted pieces. A text with more of them is code or a log, whose pieces are not phrases. */
const MAX_PHRASES = 3;
const MAX_WORD_CHARS = 64;
const DAY_MS = 86_400_000;
const MAX_PATH_CHARS = 256;

/** Matches a word with its accents, however they are written. */
const WORD: LetterPattern = {
  ascii: /[a-z\d]+/g,
  any: scriptPattern(String.raw`[\p{L}\p{N}\p{M}]+`, "gu"),
};

/** Matches a question about what Claude said: "which library did you suggest?". */
const OF_CLAUDE =
  /\b(?:did|had|have|were|was) you\b(?! (?:know|remember))|\byou(?:'ve| have| had)? (?:said|suggested|recommended|proposed|advised|told|mentioned|gave|found|wrote|listed|explained|showed)\b|\byour (?:advice|suggestion|recommendation|answer|proposal|explanation)s?\b/;
/** Matches a question about what the person said. A question with a path asks for work on that file. */
const OF_PERSON = /\b(?:my|mine|me|am i|i am|i'm|i'd|i've|i)\b/;

/** Reads a question. @param time The time that it names: its words are not searched for, but its date is. */
export function readQuestion(whole: string, time: SpokenTime | null = null): MemoryQuestion {
  const text = whole.slice(0, MAX_QUERY_CHARS);
  const lower = text.toLowerCase();
  const paths = pathsIn(lower);
  const read = readTerms(time === null ? text : without(text, time.words));
  return {
    terms: time === null ? read.terms : [...read.tells ? read.terms : [], ...dayTerms(time)],
    isOfTimeAlone: time !== null && !read.tells,
    common: wordTerms(bareWords(text).split(" ").filter((word) => !EMPTY_WORDS.has(word))),
    phrases: read.phrases,
    said: bareWords(text),
    time,
    paths,
    speaker: OF_CLAUDE.test(lower)
      ? "claude"
      : OF_PERSON.test(lower) && paths.length === 0
      ? "person"
      : null,
  };
}

/** Returns the words of a text in small letters with single blanks, to recognise a question despite punctuation. */
export function bareWords(text: string): string {
  return (text.toLowerCase().match(patternFor(WORD, text)) ?? []).join(" ");
}

/** Returns the words to search for. `tells`: whether one has a meaning of its own, unlike those of `what did I do`. */
function readTerms(
  whole: string,
): Pick<MemoryQuestion, "terms" | "phrases"> & { readonly tells: boolean } {
  // SQLite ends an expression at a NUL.
  const bare = whole.replaceAll("\0", " ");
  const typed = isBeyondAscii(bare) ? bare.normalize("NFC").toWellFormed() : bare;
  const found = new Map<string, QueryTerm["kind"]>();
  const words = (typed.toLowerCase().match(patternFor(WORD, typed)) ?? [])
    .map((word) => word.slice(0, MAX_WORD_CHARS));
  const empty = words.length <= MAX_SHORT ? EMPTY_WORDS : STOP_WORDS;
  const telling = words.filter((word) =>
    !empty.has(word) && (word.length > 1 || /\d/.test(word) || isUnspaced(word))
  );
  const { exact, parts } = codeTerms(typed);
  for (const word of exact) found.set(word, "exact");
  for (const word of telling.length > 0 ? telling : words) {
    if (!found.has(word)) found.set(word, "word");
  }
  for (const name of joinedWords(telling)) if (!found.has(name)) found.set(name, "exact");
  for (const word of parts) if (!found.has(word) && !STOP_WORDS.has(word)) found.set(word, "part");
  for (const pair of pairsOf(words)) found.set(pair, "pair");
  return {
    terms: [...found].slice(0, MAX_TERMS).map(([word, kind]) => ({ match: `"${word}"`, kind })),
    phrases: quotedPhrases(typed),
    tells: telling.length + exact.length > 0,
  };
}

function wordTerms(words: readonly string[]): QueryTerm[] {
  return [...new Set(words)].slice(0, MAX_TERMS)
    .map((word) => ({ match: `"${word}"`, kind: "word" }));
}

/** Joins neighbouring words to one identifier: `parseHookEvent` may be typed as "parse hook event". */
function joinedWords(words: readonly string[]): string[] {
  const names: string[] = [];
  for (let length = 2; length <= MAX_JOINED_WORDS; length++) {
    for (let from = 0; from + length <= Math.min(words.length, MAX_JOINED_FROM); from++) {
      names.push(exactTerm(words.slice(from, from + length).join("")));
    }
  }
  return names;
}

/** Joins pairs of neighbouring words that both have a meaning, since together they name a thing. */
function pairsOf(words: readonly string[]): string[] {
  return words.slice(0, MAX_JOINED_FROM).flatMap((word, at) => {
    const next = words[at + 1];
    const tells = (one: string | undefined) => one !== undefined && !STOP_WORDS.has(one);
    return tells(word) && tells(next) && word !== next ? [`${word} ${next}`] : [];
  });
}

function quotedPhrases(typed: string): string[] {
  const phrases = [...typed.matchAll(/"([^"]{2,200})"/g)]
    .map(([, phrase]) => phrase!.toLowerCase().replace(/\s+/g, " ").trim())
    .filter((phrase) => occursIn(LETTER_OR_DIGIT, phrase));
  return phrases.length > MAX_PHRASES ? [] : phrases;
}

function pathsIn(lower: string): string[] {
  if (!lower.includes(".")) return [];
  return (lower.match(/[\w@./\\-]+/g) ?? [])
    .filter((piece) => piece.length <= MAX_PATH_CHARS && piece.includes("."))
    .flatMap((piece) => piece.match(/[\w@-][\w@./\\-]*\.[a-z]\w{0,7}\b/g) ?? [])
    .map((path) => path.replaceAll("\\", "/"));
}

/** Returns the date of a day as texts write it, and as it was typed. A relative day (`yesterday`) is in no text. */
function dayTerms({ isRelative, fromMs, untilMs, words }: SpokenTime): QueryTerm[] {
  if (isRelative || untilMs - fromMs > DAY_MS) return [];
  const day = new Date(fromMs).toISOString().slice(0, 10);
  const written = new Set([exactTerm(day), ...codeTerms(words).exact]);
  return Array.from(written, (term) => ({ match: `"${term}"`, kind: "exact" }));
}

/** Removes a part of a text, which may stand in upper or lower case. */
function without(text: string, part: string): string {
  const lower = text.toLowerCase();
  const at = lower.indexOf(part);
  return lower.length === text.length && at >= 0
    ? `${text.slice(0, at)} ${text.slice(at + part.length)}`
    : lower.replace(part, " ");
}

const wordSet = (lines: readonly string[]) => new Set(lines.join(" ").split(" "));
/** The most common English words, which form questions. */
const EMPTY_WORDS: ReadonlySet<string> = wordSet(WORDS.questions);
/** English words that do not say what is searched for. */
const STOP_WORDS: ReadonlySet<string> = wordSet([...WORDS.questions, ...WORDS.others]);

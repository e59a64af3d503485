/**
 * Makes the words of code for the index. Prose is indexed as it is, stemmed. A term that must be found exactly becomes a
 * word that no stemmer changes and that prose never has: it ends with `ǃ`, and `ǀ` joins its parts (the index treats both
 * as letters). `parseHookEvent` gives `parsehookeventǃ` and its parts as plain words; `src/hook/run.ts` gives
 * `srcǀhookǀrunǀtsǃ` and `runǀtsǃ`; `2026-03-04` gives `2026ǀ03ǀ04ǃ`. Scripts without blanks (Chinese, Japanese,
 * Thai) give every pair of neighbouring letters, and a picture (🚀) gives its code point.
 */
import { digestHalves } from "../../base/fnv.ts";
import {
  isBeyondAscii,
  LETTER,
  type LetterPattern,
  occursIn,
  patternFor,
  scriptPattern,
} from "../../base/letters.ts";

const END = "ǃ";
/** Stands between the words of which an exact word is made. */
export const JOINT = "ǀ";
/** How much of a text is read, in characters, and the most terms that are made of it. */
const MAX_CHARS = 80_000;
const MAX_TERMS = 600;
const MAX_TERM_CHARS = 120;

/** Matches pieces of code: identifiers, paths, versions, flags. */
const CHUNK: LetterPattern = {
  ascii: /[A-Za-z\d_$@#-]+(?:[./:\\~-]+[A-Za-z\d_$@#-]+)*/g,
  any: scriptPattern(
    String.raw`[\p{L}\p{N}_$@#-]+(?:[./:\\~-]+[\p{L}\p{N}_$@#-]+)*`,
    "gu",
  ),
};

const BETWEEN_WORDS: LetterPattern = {
  ascii: /[^A-Za-z\d]+/g,
  any: scriptPattern(String.raw`[^\p{L}\p{N}]+`, "gu"),
};
/** Matches a plain word, as most chunks are. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
/** Matches an identifier of several words: `camelCase`, `snake_case`, `HTTPServer`, `E2304`. */
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]|_|[A-Za-z]\d|\d[A-Za-z]/;
/** Matches scripts that are written without blanks between words. */
const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((name) => `\\p{Script=${name}}`).join("");
const unspaced = scriptPattern(`[${SCRIPTS}ー]{2,}`, "gu");
const anyUnspaced = scriptPattern(`[${SCRIPTS}]`, "u");
/** Pictures, which the index treats as blanks; and a cheap pattern that matches every text with a picture. */
const picture = scriptPattern(String.raw`\p{Extended_Pictographic}`, "gu");
const ANY_PICTURE = /[\xa9\xae\u203c-\u3299\ud83c-\ud83e]/;

/** The words of code in a text, and the pairs of scripts without blanks; each once. */
export interface CodeTerms {
  /** Words that are found exactly. */
  readonly exact: readonly string[];
  /** Plain words: the parts of identifiers. */
  readonly parts: readonly string[];
}

/** Tells whether a word is of a script without blanks, where one letter may be a word. */
export function isUnspaced(word: string): boolean {
  return word.charCodeAt(0) >= 0x0e00 && anyUnspaced().test(word);
}

/** Tells whether a word is one of those that only the index has. */
export function isOfIndex(word: string): boolean {
  return word.endsWith(END);
}

/** Returns the pair of letters of which a word of the index is made; null for any other word. */
export function pairOf(word: string): string | null {
  const pair = word.slice(0, -END.length);
  return isOfIndex(word) && isUnspaced(pair) && !pair.includes(JOINT) ? pair : null;
}

/** Returns the exact words and the parts of the identifiers in a text; at most 600 of each. */
export function codeTerms(text: string): CodeTerms {
  const exact = new Set<string>();
  const parts = new Set<string>();
  const looked = text.slice(0, MAX_CHARS);
  for (const [chunk] of looked.matchAll(patternFor(CHUNK, looked))) {
    if (exact.size >= MAX_TERMS) break;
    if (PLAIN_WORD.test(chunk)) continue;
    const known = termsOfChunk(chunk);
    for (const term of known.exact) exact.add(term);
    for (const part of known.parts) parts.add(part);
  }
  if (isBeyondAscii(looked)) {
    for (const term of beyondAscii(looked)) if (exact.size < MAX_TERMS) exact.add(term);
  }
  return { exact: [...exact], parts: [...parts].slice(0, MAX_TERMS) };
}

/** Returns the terms of a text for the index, with the word of its project. */
export function indexedTerms(text: string, project: string | null): string {
  const { exact, parts } = codeTerms(text);
  return [...exact, ...parts, ...(project === null ? [] : [projectTerm(project)])].join(" ");
}

/** Returns the word that all observations of a project have. */
export function projectTerm(project: string): string {
  const halves = digestHalves(project).map((half) => half.toString(36));
  return `project${JOINT}${halves.join("")}${END}`;
}

/**
 * The exact term of a name: `run.ts`, `src/hook/run.ts`, `HookEvent`. `HookEvent` and `hook_event` give the same term. Empty
 * for a name without letters and digits.
 */
export function exactTerm(name: string): string {
  const joined = name.toLowerCase().replace(/[_$]/g, "")
    .replace(patternFor(BETWEEN_WORDS, name), JOINT)
    .replace(/^ǀ|ǀ$/g, "");
  return joined === "" ? "" : joined.slice(0, MAX_TERM_CHARS) + END;
}

/** Returns the words of an identifier in small letters: `parseHTTPEvent2` is parse, http, event, 2. */
export function wordsOf(identifier: string): string[] {
  return identifier
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .replace(/([A-Za-z])(\d)/g, "$1 $2")
    .replace(/(\d)([A-Za-z])/g, "$1 $2")
    .toLowerCase().split(patternFor(BETWEEN_WORDS, identifier)).filter((word) => word !== "");
}

/** Caches the terms of chunks, since a drain meets the same ones again and again. */
const KNOWN_CHUNKS = new Map<string, CodeTerms>();
const MAX_KNOWN_CHUNKS = 2_000;

function termsOfChunk(chunk: string): CodeTerms {
  const known = KNOWN_CHUNKS.get(chunk);
  if (known !== undefined) return known;
  const [exact, parts] = [new Set<string>(), new Set<string>()];
  // The line and column after a path change often.
  addChunk(chunk.replace(/(\.[A-Za-z]\w*)(?::\d+){1,2}$/, "$1"), exact, parts);
  const terms = { exact: [...exact], parts: [...parts] };
  if (chunk.length > MAX_TERM_CHARS) return terms;
  if (KNOWN_CHUNKS.size >= MAX_KNOWN_CHUNKS) KNOWN_CHUNKS.clear();
  KNOWN_CHUNKS.set(chunk, terms);
  return terms;
}

function addChunk(chunk: string, exact: Set<string>, parts: Set<string>): void {
  const pieces = chunk.split(/[./:\\~-]+/).filter((piece) => piece !== "");
  const isJoined = pieces.length > 1;
  if (isJoined && occursIn(LETTER, chunk) || /\d[.:-]\d/.test(chunk)) {
    exact.add(exactTerm(chunk));
    const [day] = /^\d{4}-\d\d-\d\d(?=T\d)/.exec(chunk) ?? [];
    if (day !== undefined) exact.add(exactTerm(day));
    const path = chunk.split(/[/\\]/).filter((piece) => piece !== "");
    if (path.length > 1) exact.add(exactTerm(path.at(-1)!));
  }
  for (const piece of pieces) {
    if (!COMPOUND.test(piece) || piece.length > MAX_TERM_CHARS) continue;
    exact.add(exactTerm(piece));
    // A commit is usually named by the first 7 digits of its id.
    if (/^[0-9a-f]{8,64}$/.test(piece) && /\d/.test(piece)) {
      exact.add(exactTerm(piece.slice(0, 7)));
      continue;
    }
    for (const word of wordsOf(piece)) if (word.length > 1) parts.add(word);
  }
}

/** Returns the pairs of letters in scripts without blanks, and the code points of pictures. */
function* beyondAscii(text: string): Generator<string> {
  if (anyUnspaced().test(text)) {
    for (const [run] of text.matchAll(unspaced())) yield* pairsOf(run);
  }
  if (!ANY_PICTURE.test(text)) return;
  for (const [found] of text.matchAll(picture())) {
    yield JOINT + found.codePointAt(0)!.toString(16) + END;
  }
}

/** Returns the pairs of neighbouring letters in a run without blanks. */
function* pairsOf(run: string): Generator<string> {
  const letters = [...run];
  for (let at = 0; at + 1 < letters.length; at++) yield letters[at]! + letters[at + 1]! + END;
}

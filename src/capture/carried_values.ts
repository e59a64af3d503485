/** The secrets that were masked in one string of a payload, by which they are known again in another. */
import { type LetterPattern, occursIn, patternFor, scriptPattern } from "../letters.ts";
import { isNoSecret, isRandom, VALUE_MASK } from "./secret_names.ts";

/** A part of a text that is such a secret. */
export interface CarriedSpan {
  readonly start: number;
  readonly end: number;
}

/** Secrets, and where they stand. */
export interface CarriedValues {
  /** Learns a masked value, unless it is too common to be known again by; its kind is the one in its mask. */
  readonly add: (value: string, kind: string) => void;
  /** Where they stand as whole words, in order. What looks like an ordinary word counts only where `isEdit`, and alone. */
  readonly spansIn: (text: string, isEdit: boolean) => readonly CarriedSpan[];
  /** Those that hold a part, and more than it. */
  readonly around: (part: string) => readonly string[];
  /** How many there are. */
  readonly size: () => number;
}

const MIN_CHARS = 6;
const MAX_CHARS = 4_096;
/** A payload may have a million secrets; each is looked for. */
const MAX_VALUES = 400;
/** Few enough to ask for each of them before a text is taken apart. */
const FEW = 16;
/** Their names say what was masked, not that it is one secret: a user's own pattern, a text that could not be read. */
const UNKNOWN_KINDS = new Set(["custom", "text"]);
/** Passwords that are also names of programs, accounts and places. */
const COMMON = new Set(
  ("postgres postgresql mysql mariadb redis mongo mongodb rabbitmq rabbit guest admin administrator root user " +
    "username default example sample dummy changeme changeit change-me change_me localhost production development " +
    "staging testing test123 password1 passw0rd pass123 123456 1234567 12345678 123456789 1234567890 000000 " +
    "111111 enabled disabled minioadmin elastic").split(" "),
);
/** Words, also several that are joined. */
const WORDS = /^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/;
const PATH = /^(?:~|\.{1,2})?\/[\w./-]*$|^[a-z]+:\/\/|^[A-Za-z]:\\/;
const DATE = /^\d{4}-\d\d-\d\d/;
const LINE_BREAK = /\r?\n|\r|\\{1,7}[nr]/;
/** What a line of a key has. */
const KEY_RUN = /[A-Za-z\d/][A-Za-z\d+/]{15,}={0,2}/;
const WORD: LetterPattern = {
  ascii: /\w+/g,
  any: scriptPattern(String.raw`[\p{L}\p{N}_]+`, "gu"),
};
const OF_WORD: LetterPattern = { ascii: /\w/, any: scriptPattern(String.raw`[\p{L}\p{N}_]`, "u") };
/** What may stand around a value that is all of a string, or of a line in a patch. */
const AROUND = " \t\r\n\"'`,;:=+-<>()[]{}";

/** None yet. */
export function carriedValues(): CarriedValues {
  const values = new Set<string>();
  /** By their first word: where it begins in them, and the whole. */
  const byWord = new Map<string, { readonly lead: number; readonly value: string }[]>();
  const words = new Set<string>();
  const add = (value: string) => {
    if (values.size >= MAX_VALUES || values.has(value) || words.has(value)) return;
    if (isWord(value)) {
      words.add(value);
      return;
    }
    const first = value.match(patternFor(WORD, value))?.[0];
    if (first === undefined) return;
    values.add(value);
    const known = byWord.get(first) ?? [];
    known.push({ lead: value.indexOf(first), value });
    byWord.set(first, known);
  };
  return {
    add: (value, kind) => carriedOf(value, kind).forEach(add),
    spansIn(text, isEdit) {
      const spans: CarriedSpan[] = [];
      if (isEdit && words.size > 0) {
        const alone = bareOf(text);
        if (words.has(text.slice(alone.start, alone.end))) return [alone];
      }
      if (values.size <= FEW && !values.values().some((value) => text.includes(value))) return [];
      let done = 0;
      for (const { 0: whole, index } of text.matchAll(patternFor(WORD, text))) {
        // The letter of `\n` is none of the word's.
        const isEscape = text[index - 1] === "\\" && "nrt".includes(whole[0]!);
        for (const shift of isEscape ? [0, 1] : [0]) {
          for (const { lead, value } of byWord.get(whole.slice(shift)) ?? []) {
            const start = index + shift - lead;
            const end = start + value.length;
            if (start < done || !text.startsWith(value, start) || !endsWord(text, end)) continue;
            spans.push({ start, end });
            done = end;
            break;
          }
        }
      }
      return spans;
    },
    around: (part) =>
      [...values, ...words].filter((value) => value !== part && value.includes(part)),
    size: () => values.size + words.size,
  };
}

/** The text with parts of it masked. */
export function withoutSpans(text: string, spans: readonly CarriedSpan[]): string {
  let masked = "";
  let done = 0;
  for (const { start, end } of spans) {
    masked += text.slice(done, start) + VALUE_MASK;
    done = end;
  }
  return masked + text.slice(done);
}

/** What of a masked value is known again. */
function carriedOf(value: string, kind: string): readonly string[] {
  if (UNKNOWN_KINDS.has(kind) || value.includes("[redacted:")) return [];
  const lines = value.split(LINE_BREAK);
  if (kind === "private-key" || lines.length > 1) {
    return lines.flatMap((line) => KEY_RUN.exec(line)?.[0] ?? []).filter((run) => /\d/.test(run));
  }
  const bare = value.trim();
  if (bare.length < MIN_CHARS || bare.length > MAX_CHARS || isNoSecret("", bare)) return [];
  if (COMMON.has(bare.toLowerCase()) || DATE.test(bare)) return [];
  if (PATH.test(bare) && !bare.split("/").some((part) => part.length >= 16 && isRandom(part))) {
    return [];
  }
  // Most cookies are no secrets: a language, a colour, a zone of time.
  return kind === "cookie" && !isRandom(bare) ? [] : [bare];
}

/** Whether a value has no sign of a secret in itself: `letmein`, `db-credentials`. */
function isWord(value: string): boolean {
  if (value.length > 40 || !WORDS.test(value)) return false;
  return value === value.toUpperCase() || !/[A-Z][a-z]?[A-Z]/.test(value);
}

function endsWord(text: string, end: number): boolean {
  if (!occursIn(OF_WORD, text[end - 1] ?? " ")) return true;
  return !occursIn(OF_WORD, String.fromCodePoint(text.codePointAt(end) ?? 32));
}

/** Where the words stand in a string that has nothing but signs beside them. */
function bareOf(text: string): CarriedSpan {
  let end = text.length;
  while (end > 0 && AROUND.includes(text[end - 1]!)) end--;
  let start = 0;
  while (start < end && AROUND.includes(text[start]!)) start++;
  return { start, end };
}

/** Finds a text in all its spellings, and replaces the text by a mark. */
import { quietly } from "../base/errors.ts";
import { isBeyondAscii, scriptPattern } from "../base/letters.ts";
import { MAX_NAME_CHARS, MAX_TEXT_CHARS } from "../claude/session_changes.ts";
import { FORGOTTEN_MARK } from "../base/forget_mark.ts";

/** The shortest text, in characters. A shorter one would match nearly everywhere. */
const MIN_FORGET_CHARS = 3;
/** The shortest text in scripts whose letters are syllables or words: two letters may be a name. */
const MIN_WORD_SIGNS = 2;
const wordSigns = scriptPattern(
  String.raw`^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$`,
  "u",
);

/** Returns the least number of characters that a text to forget must have. */
export function leastForgetChars(text: string): number {
  const typed = text.trim().normalize("NFC");
  return isBeyondAscii(typed) && wordSigns().test(typed) ? MIN_WORD_SIGNS : MIN_FORGET_CHARS;
}

export const MAX_FORGET_CHARS = 2_000;

/** The first characters of a text that still identify it when the rest was cut off. */
const MIN_CUT_CHARS = 8;
/** Lengths to which texts are cut without a mark. Texts may be trimmed afterwards, by a few characters. */
const CUT_LENGTHS = [MAX_NAME_CHARS, MAX_TEXT_CHARS];
const MAX_TRIMMED = 3;

/** The most backslashes before a character, as in JSON that was put into JSON six times. */
const MAX_SLASHES = 63;

const LETTER_FORMS = ["Σσς", "ßẞ"];

/** Finds a text in upper or lower case, escaped in any way, with any white space between its words. */
export interface TextMatcher {
  readonly isIn: (text: string) => boolean;
  readonly isInJson: (json: string) => boolean;
  /** Replaces the text by a mark, also where only its beginning is left before a `…`. */
  readonly replaceIn: (text: string) => string;
  /** Does the same as {@linkcode replaceIn} for JSON, which stays JSON. Treats anything else as plain text. */
  readonly replaceInJson: (json: string) => string;
  /** Finds the text in the bytes of a file, read as Latin-1. Global; a match has at most {@linkcode maxBytes}. */
  readonly inBytes: RegExp;
  readonly maxBytes: number;
}

/** Returns the form of a text for its digest. All spellings that a matcher finds have the same form. */
export function normalizeForgotten(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim();
}

/** Makes a matcher that finds each of these texts, which have {@linkcode leastForgetChars} or more characters. */
export function textMatcher(...texts: readonly string[]): TextMatcher {
  const spellings = [...new Set(texts.flatMap((text) => spellingsOf(text.trim())))];
  const whole = spellings.map((spelling) => partsOf(spelling, plainChars).join("")).join("|");
  const anywhere = new RegExp(whole);
  const everywhere = new RegExp(`${whole}|${spellings.map(cutPattern).join("|")}`, "g");
  const beginnings = spellings.map(beginningPattern);
  const beginning = new RegExp(beginnings.join("|"));
  const atEnd = new RegExp(`(?:${beginnings.join("|")})$`);
  const replace = (value: string) => {
    const replaced = value.replace(everywhere, FORGOTTEN_MARK);
    return mayBeCut(value) ? replaced.replace(atEnd, FORGOTTEN_MARK) : replaced;
  };
  const isIn = (value: string) => anywhere.test(value);
  return {
    isIn,
    isInJson: (json) => isIn(json) && someString(json, isIn),
    replaceIn: replace,
    replaceInJson(json) {
      const mayHoldCut = json.length >= Math.min(...CUT_LENGTHS) - MAX_TRIMMED;
      const isCandidate = json.search(everywhere) >= 0 || mayHoldCut && beginning.test(json);
      if (!isCandidate) return json;
      const value: unknown = quietly(() => JSON.parse(json));
      // A plain text can be valid JSON by chance: a number or a single word.
      return typeof value !== "object" || value === null
        ? replace(json)
        : JSON.stringify(mapStrings(value, replace));
    },
    inBytes: new RegExp(
      spellings.map((spelling) => partsOf(spelling, utf8Chars).join("")).join("|"),
      "g",
    ),
    // A character of four bytes may be written as two escapes, and white space may be doubled.
    maxBytes: 32 * Math.max(...spellings.map(({ length }) => length)),
  };
}

/** Spells a text in Unicode's ways. Lower case makes two characters of `İ`, which NFC does not join again. */
function spellingsOf(text: string): string[] {
  const composed = text.normalize("NFC");
  return [text, composed, composed.replaceAll("i\u0307", "İ"), text.normalize("NFD")];
}

/** Matches a text whose end was cut off, which a `…` marks. */
function cutPattern(spelling: string): string {
  return `${beginningPattern(spelling)}\\\\{0,${MAX_SLASHES}}…`;
}

/** Matches the beginning of a text, as much of it as is left. */
function beginningPattern(spelling: string): string {
  const parts = partsOf(spelling, plainChars);
  if (parts.length <= MIN_CUT_CHARS) return "(?!)";
  const first = parts.slice(0, MIN_CUT_CHARS).join("");
  const rest = parts.slice(MIN_CUT_CHARS).reduceRight((after, part) => `(?:${part}${after})?`, "");
  return first + rest;
}

function mayBeCut({ length }: string): boolean {
  return CUT_LENGTHS.some((max) => length <= max && length >= max - MAX_TRIMMED);
}

type Encode = (text: string) => string;
const plainChars: Encode = (text) => text;
const utf8Chars: Encode = (text) =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");

/** Returns the parts of a pattern, one for each character or run of white space. */
function partsOf(text: string, encode: Encode): string[] {
  return (text.match(/\s+|[^\s]/gu) ?? []).map((char) =>
    /\s/.test(char) ? spacePart(char, encode) : charPart(char, encode)
  );
}

/** Matches any white space for any other, since texts are often wrapped again. */
function spacePart(spaces: string, encode: Encode): string {
  const rare = new Set([...spaces].filter((space) => !/[ \t\r\n]/.test(space)));
  const own = ["\u00a0", ...rare].map((space) =>
    `${RegExp.escape(encode(space))}|${unicodeEscape(space)}`
  );
  return `(?:[ \\t\\r\\n]|${own.join("|")}|\\\\{1,${MAX_SLASHES}}[nrtvf]){1,8}`;
}

/** Matches `\u00e9` with any number of backslashes before it, and its digits in upper or lower case. */
function unicodeEscape(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const hex = text.charCodeAt(at).toString(16).padStart(4, "0");
    return `\\\\{1,${MAX_SLASHES}}u` +
      hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  }).join("");
}

function charPart(char: string, encode: Encode): string {
  const alike = LETTER_FORMS.find((forms) => forms.includes(char)) ?? "";
  const cases = [...new Set([char, char.toLowerCase(), char.toUpperCase(), ...alike])];
  const escapes = cases.map(unicodeEscape);
  const plain = cases.map((one) => RegExp.escape(encode(one)));
  // JSON puts backslashes before quotes, slashes and backslashes, and JSON within JSON twice as many.
  const slashes = char === "\\"
    ? `\\\\{0,${MAX_SLASHES}}`
    : char === '"' || char === "/"
    ? "\\\\{0,15}"
    : "";
  return `(?:${[...plain.map((one) => slashes + one), ...escapes].join("|")})`;
}

function someString(json: string, test: (text: string) => boolean): boolean {
  const value: unknown = quietly(() => JSON.parse(json));
  if (value === undefined) return true;
  let found = false;
  mapStrings(value, (text) => {
    found ||= test(text);
    return text;
  });
  return found;
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value === "number") {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]),
  );
}

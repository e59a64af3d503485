/** `Cookie: sid=…; theme=…`: who holds the cookies of a session is logged in. */
import { findClosingQuote } from "./assignments.ts";
import { endAt, matchAt } from "./sticky.ts";
import { isNoSecret } from "./secret_names.ts";

const COOKIE_MASK = "[redacted:cookie]";
const HEAD =
  /(?<![\w.$])(?:set-)?cookie2?(?:(\\{0,7}["'`])[ \t]{0,4}(?::|=>)|:)(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}/gi;
const QUOTE = /(\\{0,7})(["'`])/y;
/** Between the strings of a list, and before the first one. */
const ITEM = /(?:[ \t\r\n,[]|\\{1,7}[nrt]){0,40}(\\{0,7})(["'])/y;
/** To the end of a line; `"` ends it, too, where the header itself stands in quotes or in escaped text. */
const LINE = /[^\r\n]*/y;
const PART_OF_LINE = /(?:[^\r\n"'`\\]|\\(?![\\nr"'`]))*/y;
const LINE_START = /(?:^|[\r\n])[ \t<>*|+-]{0,40}$/;
const COOKIE_NAME = "[\\w!#$%&*+.^|~-]{1,128}";
const PAIR = new RegExp(`^\\s*${COOKIE_NAME}=(?![=>])`);
/** Between the cookies of a header, and between headers that were joined. */
const DELIMITER = new RegExp(`;|,(?=\\s{0,8}${COOKIE_NAME}=)`);
/** Only a variable, with nothing behind it. */
const VARIABLE = /^\$\{[^{}]*\}$/;
const ATTRIBUTE =
  /^\s*(?:path|domain|expires|max-age|samesite|priority|version|comment)\s*=|^\s*(?:secure|httponly|partitioned)?\s*$/i;

/** Whether a key is the name of a header with cookies. */
export function isCookieName(name: string): boolean {
  return /^(?:set-)?cookie2?$/i.test(name);
}

/** The value of such a header with each cookie's value masked; names and attributes stay. */
export function maskCookieValue(value: string): string {
  const parts = value.split(DELIMITER);
  if (!PAIR.test(parts[0] ?? "")) return value;
  let masked = "";
  let at = 0;
  for (const part of parts) {
    const pair = PAIR.exec(part)?.[0] ?? "";
    const secret = part.slice(pair.length).trim();
    const isKept = ATTRIBUTE.test(part) || isNoSecret("", secret) || VARIABLE.test(secret);
    masked += isKept ? part : pair + (pair === "" ? " " : "") + COOKIE_MASK;
    at += part.length;
    masked += value.slice(at, ++at); // the delimiter
  }
  return masked;
}

/** The text with the cookies in each header masked. */
export function maskCookies(text: string): string {
  HEAD.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = HEAD.exec(text); found !== null; found = HEAD.exec(text)) {
    let at = HEAD.lastIndex;
    for (const { start, end } of valuesAt(text, at, found)) {
      masked += text.slice(done, start) + maskCookieValue(text.slice(start, end));
      done = at = end;
    }
    HEAD.lastIndex = at;
  }
  return masked + text.slice(done);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the values of a header stand: one in quotes, several in a list, or one up to the end of the line. */
function* valuesAt(text: string, from: number, found: RegExpExecArray): Generator<Span> {
  const isList = text[from] === "[";
  let at = from;
  for (
    let opening = matchAt(isList ? ITEM : QUOTE, text, at);
    opening !== undefined;
    opening = isList ? matchAt(ITEM, text, at) : undefined
  ) {
    const [whole, slashes = "", quote = ""] = opening;
    const start = at + whole.length;
    const close = findClosingQuote(text, start, { quote, slashes: slashes.length });
    const end = close === -1 ? endAt(LINE, text, start) : close;
    yield { start, end };
    at = close === -1 ? end : close + slashes.length + quote.length;
  }
  if (at > from || isList || found[1] !== undefined) return;
  yield { start: from, end: headerEnd(text, from, found.index) };
}

/** Where a header's value ends that has no quotes of its own. */
function headerEnd(text: string, from: number, nameStart: number): number {
  const before = text.slice(Math.max(0, nameStart - 48), nameStart);
  if (LINE_START.test(before)) return endAt(LINE, text, from);
  const [, slashes = "", quote] = /(\\{0,7})(["'`])$/.exec(before) ?? [];
  if (quote === undefined) return endAt(PART_OF_LINE, text, from);
  const close = findClosingQuote(text, from, { quote, slashes: slashes.length });
  if (close === -1) return endAt(LINE, text, from);
  const line = text.slice(from, close).search(/[\r\n]/);
  return line === -1 ? close : from + line;
}

/** Finds private keys in a text: PEM keys, also incomplete ones, and keys of PuTTY. */
import type { MaskedSpan } from "./secret_form.ts";

const KEY_MASK = "[redacted:private-key]";
const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** The least length of a key's full line, in characters; real ones have 64 or more. */
const MIN_LINE_CHARS = 32;
/** A quote right after the BEGIN line, and no key line behind it: a program's constant, not a key. */
const IS_CONSTANT = /^\\{0,7}["'`](?![^]*[A-Za-z\d+/]{40})/;
/** How far before its END line a key without a BEGIN line is searched. */
const MAX_REMAINDER_CHARS = 65_536;
/** The lines of a PuTTY key, below the line that tells their number. */
const PUTTY =
  /(?<=Private-Lines: {0,4}\d{1,4}[ \t"',\\]{0,8})(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,8}(?:\d{1,6}(?:[→:\t|-]|\\{1,7}t))?[ \t>+|#*"'-]{0,8}[A-Za-z\d+/=]{4,128}(?=[ \t"',\\]{0,8}(?:$|[\r\n]|\\{1,7}[nr]))["',]{0,3})+/g;
const LINE_BREAK = /\r?\n|\\{1,7}[nr]/g;
/** Characters around a key's line: indentation, quotes, line numbers, the marks of a diff or a quotation. */
const ORNAMENT = " \t\r\\\"'`+-*#>|→:,.=()";

/** Returns the spans of private keys. */
export function findPrivateKeys(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  const begins = [...text.matchAll(BEGIN)];
  const ends = [...text.matchAll(END)];
  let next = 0;
  /** Masks keys that have an END line before `limit` but no BEGIN line. */
  const takeRemainders = (limit: number) => {
    for (; next < ends.length && ends[next]!.index < limit; next++) {
      const { index, 0: line } = ends[next]!;
      const before = ends[next - 1];
      const floor = Math.max(
        index - MAX_REMAINDER_CHARS,
        before === undefined ? 0 : before.index + before[0].length,
      );
      const start = findRemainder(text.slice(floor, index));
      if (start !== -1) {
        spans.push({ start: floor + start, end: index + line.length, mask: KEY_MASK });
      }
    }
  };
  begins.forEach((found, index) => {
    const body = found.index + found[0].length;
    const limit = begins[index + 1]?.index ?? text.length;
    takeRemainders(body);
    const closing = ends[next];
    if (closing !== undefined && closing.index < limit) {
      next++;
      if (IS_CONSTANT.test(text.slice(body, closing.index))) return;
      spans.push({ start: found.index, end: closing.index + closing[0].length, mask: KEY_MASK });
      return;
    }
    // The END line is missing: mask everything that looks like a key's body.
    const rest = /^[\w+/=\s\\:,.→|>"'#*-]*/.exec(text.slice(body, limit))?.[0] ?? "";
    if (/[A-Za-z0-9+/]{32}/.test(rest)) {
      spans.push({ start: found.index, end: body + rest.length, mask: KEY_MASK });
    }
  });
  takeRemainders(Infinity);
  for (const { index, 0: lines } of text.matchAll(PUTTY)) {
    spans.push({
      start: index + /^(?:\\|[rn\s])*/.exec(lines)![0].length,
      end: index + lines.length,
      mask: KEY_MASK,
    });
  }
  return spans;
}

/** Searches a text backwards, line by line, for the start of the key that ends it; -1 if there is none. */
function findRemainder(text: string): number {
  const breaks = [...text.matchAll(LINE_BREAK)];
  let found = -1;
  let lineEnd = text.length;
  for (let index = breaks.length; index >= 0; index--) {
    const lineBreak = breaks[index - 1];
    const lineStart = lineBreak === undefined ? 0 : lineBreak.index + lineBreak[0].length;
    const run = lastRun(text, lineStart, lineEnd);
    const isFull = run.end - run.start >= MIN_LINE_CHARS &&
      /[0-9]/.test(text.slice(run.start, run.end));
    if (isFull) found = run.start;
    if (!isOrnament(text.slice(lineStart, run.start))) break;
    // Only the last line of a key may be short; up to two lines of quotes or the like may follow it.
    if (!isFull && run.end > run.start && (found !== -1 || breaks.length - index > 2)) break;
    lineEnd = lineBreak?.index ?? 0;
  }
  return found;
}

/** Returns the last run of base64 characters in a line, without the ornaments behind it. */
function lastRun(text: string, lineStart: number, lineEnd: number) {
  let end = lineEnd;
  while (end > lineStart && ORNAMENT.includes(text[end - 1]!)) end--;
  let start = end;
  while (start > lineStart && /[A-Za-z0-9+/]/.test(text[start - 1]!)) start--;
  return { start, end };
}

function isOrnament(text: string): boolean {
  return text.length <= 24 && [...text].every((char) => ORNAMENT.includes(char) || /\d/.test(char));
}

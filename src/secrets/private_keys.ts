/** Private keys in PEM, also incomplete ones, and those of PuTTY. */
import type { MaskedSpan } from "./secret_form.ts";

const KEY_MASK = "[redacted:private-key]";
const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const END = /-{4,5} ?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** A line of a key has 64 characters or more; nothing shorter than this makes a key by itself. */
const MIN_LINE_CHARS = 32;
/** The line before a key as a text of its own in a program, and no line of a key behind it. */
const IS_CONSTANT = /^\\{0,7}["'`](?![^]*[A-Za-z\d+/]{40})/;
/** How far before its end a key whose beginning was cut is looked for. */
const MAX_REMAINDER_CHARS = 65_536;
/** The lines of a key as PuTTY keeps it, below their number. */
const PUTTY =
  /(?<=Private-Lines: {0,4}\d{1,4}[ \t"',\\]{0,8})(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)[ \t]{0,8}(?:\d{1,6}(?:[→:\t|-]|\\{1,7}t))?[ \t>+|#*"'-]{0,8}[A-Za-z\d+/=]{4,128}(?=[ \t"',\\]{0,8}(?:$|[\r\n]|\\{1,7}[nr]))["',]{0,3})+/g;
const LINE_BREAK = /\r?\n|\\{1,7}[nr]/g;
/** What may stand around a key's line: indentation, quotes, line numbers, the marks of a diff or a quotation. */
const ORNAMENT = " \t\r\\\"'`+-*#>|→:,.=()";

/** Where private keys stand, in the order of the text. */
export function findPrivateKeys(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  const begins = [...text.matchAll(BEGIN)];
  const ends = [...text.matchAll(END)];
  let next = 0;
  /** The ends before `limit`, each of a key that begins nowhere. */
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
    // Its end is missing: what looks like its body.
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

/** Where the key begins that ends with this text, line by line from its end; -1 when there is none. */
function findRemainder(text: string): number {
  const breaks = [...text.matchAll(LINE_BREAK)];
  let found = -1;
  let lineEnd = text.length;
  for (let index = breaks.length; index >= 0; index--) {
    const lineBreak = breaks[index - 1];
    const line = lineBreak === undefined ? 0 : lineBreak.index + lineBreak[0].length;
    const run = lastRun(text, line, lineEnd);
    const isFull = run.end - run.start >= MIN_LINE_CHARS &&
      /[0-9]/.test(text.slice(run.start, run.end));
    if (isFull) found = run.start;
    if (!isOrnament(text.slice(line, run.start))) break;
    // Only the last line is a short one; above it may be what stands around the end itself.
    if (!isFull && run.end > run.start && (found !== -1 || breaks.length - index > 2)) break;
    lineEnd = lineBreak?.index ?? 0;
  }
  return found;
}

/** The characters of base64 at the end of a line, without what stands around them. */
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

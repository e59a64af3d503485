/** Finds the parts of a text that `<private>…</private>` tags make private. */
import { LETTER, occursIn } from "../base/letters.ts";

export const PRIVATE_MASK = "[private removed]";

export interface PrivateSpan {
  readonly start: number;
  readonly end: number;
}

export interface PrivateParts {
  /** Sorted, without overlaps. */
  readonly spans: readonly PrivateSpan[];
  /** The end of the last tag that closes a part opened before the text begins; 0 when there is none. */
  readonly closesAt: number;
  /** Whether the last part goes on after the text. */
  readonly isOpen: boolean;
  /** The first tag that opens a part only if a later text closes it; null when there is none. */
  readonly mentionedAt: number | null;
}

const NOTHING: PrivateParts = { spans: [], closesAt: 0, isOpen: false, mentionedAt: null };

/** The beginning of a tag, up to its attributes. */
const TAG = /<(?: ?|(\/)\s{0,8})private(?=[\s>/\\])/gi;

/** A closing tag without an opening one in the text; only the forms that the cheap look knows. */
const LONE = /^<\/ ?private$/i;

/** A tag that is cut at the end of a string. */
const BROKEN = /<\/?private\s{0,8}$/i;

/** A bracket of a tag as JSON, HTML and URLs escape it. */
const escapedSign = (name: string, decimal: number, hex: string) =>
  String
    .raw`(?:\\{1,7}u00${hex}|&(?:amp;)?(?:${name}|#0{0,5}${decimal}|#x0{0,4}${hex});|%(?:25){0,3}${hex})`;
const SLASH = String.raw`(?:\\{0,7}/|&(?:amp;)?#(?:0{0,5}47|x0{0,4}2f);|%(?:25){0,3}2f)`;
const BLANK = String.raw`(?:\s|\\{1,7}[nrt]|\+|%(?:25){0,3}(?:20|0[9AD]))`;

/** The tags with escaped brackets: as Go writes them in JSON, as HTML entities, and as URLs. */
const ESCAPED = new RegExp(
  String.raw`${escapedSign("lt", 60, "3c")}(${SLASH}(?:\+|%20){0,4})?\s{0,4}private` +
    String.raw`(?:${BLANK}(?:[^<>&\\]|\\{1,7}[nrt"']){0,100}?)?${escapedSign("gt", 62, "3e")}`,
  "gi",
);

/** Finds the parts between escaped tags; ignores an opening tag without a closing one. */
export function findEscapedPrivate(text: string): PrivateSpan[] {
  const spans: PrivateSpan[] = [];
  let opened = -1;
  for (const found of text.matchAll(ESCAPED)) {
    const start = found.index;
    const end = start + found[0].length;
    if (isMention(text, { start, end })) continue;
    if (found[1] === undefined) {
      if (opened === -1) opened = start;
    } else if (opened !== -1) {
      spans.push({ start: opened, end });
      opened = -1;
    }
  }
  return spans;
}

export function endsInTag(text: string): boolean {
  return BROKEN.test(text.slice(-20));
}

/** Whether a text may hold a private tag, in small or large letters. */
function mayHoldTag(text: string): boolean {
  return text.includes("<") && /<[ /]?\s{0,8}private/i.test(text);
}

/**
 * Finds the private parts. Tags may be nested. A part that is never closed reaches to the end of the text. A closing
 * tag without an opening one hides the text from its beginning.
 *
 * Quoted tags are only mentioned (`isMention()`). A mentioned opening tag counts when a closing tag follows that
 * belongs to no other tag. A mentioned closing tag closes only a mentioned opening tag.
 */
export function findPrivate(text: string): PrivateParts {
  if (!mayHoldTag(text)) return NOTHING;
  const tag = new RegExp(TAG);
  let spans: PrivateSpan[] = [];
  let closesAt = 0;
  /** Starts of opening tags that no closing tag has matched yet. */
  const opened: number[] = [];
  const mentioned: number[] = [];
  const hide = (start: number, end: number) => {
    while ((spans.at(-1)?.start ?? -1) >= start) spans.pop();
    spans.push({ start, end });
  };
  for (let found = tag.exec(text); found !== null; found = tag.exec(text)) {
    const start = found.index;
    const close = text.indexOf(">", tag.lastIndex);
    if (close === -1) break;
    const end = close + 1;
    tag.lastIndex = end;
    if (found[1] !== "/") {
      if (text[close - 1] !== "/") {
        (isMention(text, { start, end }) ? mentioned : opened).push(start);
      }
    } else if (isMention(text, { start, end })) {
      const last = mentioned.at(-1) ?? -1;
      if (last > (opened.at(-1) ?? -1)) {
        hide(last, end);
        mentioned.pop();
      }
    } else {
      // Any of the mentioned tags may be meant, so the first counts.
      const from = opened.pop() ?? mentioned[0];
      if (from !== undefined) {
        hide(from, end);
        // A tag that is mentioned within private text opens nothing.
        while ((mentioned.at(-1) ?? -1) >= from) mentioned.pop();
      } else if (LONE.test(found[0])) {
        closesAt = end;
        spans = [{ start: 0, end }];
      }
    }
  }
  if (opened[0] !== undefined) hide(opened[0], text.length);
  return { spans, closesAt, isOpen: opened.length > 0, mentionedAt: mentioned[0] ?? null };
}

/** Characters of the line that are read before a tag, and as many after it. */
const NEAR_CHARS = 200;
/** A line end, also an escaped one in a JSON string. */
const LINE_BREAK = /[\r\n]|\\{1,7}[nr]/;

/** The quotes before and after a quoted tag. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "‘": "’",
  "«": "»",
};

/** Whether a tag is only mentioned: alone in quotes or in a pattern (`/<private>/g`), with other words on its line. */
// A tag in a JSON string of a file's lines or in a block of code counts: private text looks like this, too.
function isMention(text: string, { start, end }: PrivateSpan): boolean {
  const lead = text.slice(Math.max(0, start - NEAR_CHARS), start).split(LINE_BREAK).at(-1)!;
  const tail = text.slice(end, end + NEAR_CHARS).split(LINE_BREAK, 1)[0]!;
  const line = `${lead} ${tail}`;
  if (!occursIn(LETTER, line)) return false;
  return isQuoted(lead, tail) || isPattern(lead, text.slice(start, end), tail);
}

/** Whether matching quotes enclose a tag without making it a value of JSON. */
function isQuoted(lead: string, tail: string): boolean {
  const quote = lead.at(-1) ?? "";
  const before = withoutEscapes(lead.slice(0, -1));
  // In a JSON string both quotes have backslashes; if only one has, it belongs to other text.
  const escapes = lead.length - 1 - before.length;
  const behind = tail.slice(escapes);
  if (QUOTES[quote] === undefined || behind[0] !== QUOTES[quote]) return false;
  if (withoutEscapes(tail.slice(0, escapes)) !== "") return false;
  if (quote !== '"' && quote !== "'") return true;
  const after = behind.slice(1);
  // `"a"<private>"b"` has a tag between two strings; `r"<private>"` is a Python string.
  return /(?:^|\W)[bfru]?$/i.test(before) && !/^\w/.test(after) && !isValue(before, after);
}

function withoutEscapes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\\") end--;
  return text.slice(0, end);
}

/** Whether the text before and after a quoted string makes it a value in a list or an object. */
function isValue(before: string, after: string): boolean {
  const next = after.trimStart();
  return (next === "" || ",]}".includes(next[0]!)) &&
    /(?:^|[[,]|["'] ?:)$/.test(before.trimEnd());
}

/** Characters that may precede a pattern of JavaScript or sed. */
const BEFORE_PATTERN = /[\s(=,:[!&|?{;"'`]/;
/** The end of such a pattern, with flags, a sed command or a method call; not the rest of a path. */
const PATTERN_END = /^\/(?:[gimsuvy]{0,3}|[dp])(?![\w/-]|\.\w+(?:[^\w(]|$))/;

function isPattern(lead: string, tag: string, tail: string): boolean {
  if (lead.at(-1) !== "/" || !BEFORE_PATTERN.test(lead.at(-2) ?? " ")) return false;
  return PATTERN_END.test(tail) || /^<private\\[bs]/i.test(tag) || /<\\\/private/i.test(tail);
}

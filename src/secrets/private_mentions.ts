/** Whether a tag of `<private>…</private>` is one that a text only speaks of: the documentation of the tag, the code that looks for it. */
import { LETTER, occursIn } from "../letters.ts";

/** How far the rest of a line is looked at. */
const NEAR_CHARS = 200;
/** Where lines end, also in a string of JSON. */
const LINE_BREAK = /[\r\n]|\\{1,7}[nr]/;

/** What stands in front of a quoted tag, and what behind it. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "„": "“",
  "‘": "’",
  "«": "»",
};

/** Where a tag stands in a text. */
export interface TagPlace {
  readonly start: number;
  readonly end: number;
}

/**
 * Whether a tag stands alone in quotes, or in a pattern (`/<private>/g`), with other words on its line. What is quoted
 * as JSON quotes the lines of a file is not spoken of, nor what stands in a block of code: private text is shown so, too.
 */
export function isMention(text: string, { start, end }: TagPlace): boolean {
  const lead = text.slice(Math.max(0, start - NEAR_CHARS), start).split(LINE_BREAK).at(-1)!;
  const tail = text.slice(end, end + NEAR_CHARS).split(LINE_BREAK, 1)[0]!;
  const line = `${lead} ${tail}`;
  if (!occursIn(LETTER, line)) return false;
  return isQuoted(lead, tail) || isPattern(lead, text.slice(start, end), tail);
}

/** Whether the quotes around a tag belong together, and do not make a value of JSON of it. */
function isQuoted(lead: string, tail: string): boolean {
  const quote = lead.at(-1) ?? "";
  const before = withoutEscapes(lead.slice(0, -1));
  // In a string of JSON both have backslashes; one alone begins or ends something else.
  const escapes = lead.length - 1 - before.length;
  const behind = tail.slice(escapes);
  if (QUOTES[quote] === undefined || behind[0] !== QUOTES[quote]) return false;
  if (withoutEscapes(tail.slice(0, escapes)) !== "") return false;
  if (quote !== '"' && quote !== "'") return true;
  const after = behind.slice(1);
  // `"a"<private>"b"` has a tag between two strings; `r"<private>"` is one of Python.
  return /(?:^|\W)[bfru]?$/i.test(before) && !/^\w/.test(after) && !isValue(before, after);
}

function withoutEscapes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\\") end--;
  return text.slice(0, end);
}

/** Whether something is a value in a list or an object, by what is around it on its line. */
function isValue(before: string, after: string): boolean {
  const next = after.trimStart();
  return (next === "" || ",]}".includes(next[0]!)) &&
    /(?:^|[[,]|["'] ?:)$/.test(before.trimEnd());
}

/** What may stand in front of a pattern of JavaScript or sed. */
const BEFORE_PATTERN = /[\s(=,:[!&|?{;"'`]/;
/** Its end, with its flags or the command of sed, perhaps the call of a method; not the rest of a path. */
const PATTERN_END = /^\/(?:[gimsuvy]{0,3}|[dp])(?![\w/-]|\.\w+(?:[^\w(]|$))/;

function isPattern(lead: string, tag: string, tail: string): boolean {
  if (lead.at(-1) !== "/" || !BEFORE_PATTERN.test(lead.at(-2) ?? " ")) return false;
  return PATTERN_END.test(tail) || /^<private\\[bs]/i.test(tag) || /<\\\/private/i.test(tail);
}

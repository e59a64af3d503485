/** Shortens texts, makes titles of them, takes colours out of outputs, and estimates their tokens. */
import { withoutColours } from "../secrets/colours.ts";
import { headOf } from "../base/ids.ts";

/** The longest title of an observation, in characters. */
export const MAX_TITLE_CHARS = 160;

/** Returns a line without the mark of a heading or a list. */
export function withoutMark(line: string): string {
  return line.replace(/^\s*(?:#+|[-*>]|\d+\.)\s+/, "");
}

/**
 * Returns the first line of a text that is not blank as a title, without marks of headings and lists. When the line
 * ends with a colon, the next line follows: `Implement the following plan: Retries`.
 */
export function titleLine(text: string, maxChars = MAX_TITLE_CHARS): string {
  const [first = "", second = ""] = text.split("\n").filter((line) => line.trim() !== "");
  const lines = first.trimEnd().endsWith(":") ? [first, second] : [first];
  const plain = lines.map(withoutMark).join(" ");
  return shortened(plain.replace(/\s+/g, " ").trim(), maxChars);
}

/** A path in a text: a word with a slash. */
const PATH = /(?<![^\s"'`])[^\s"'`/]*\/[^\s"'`]*/g;
/** The least that stays of a path's folder, in characters. */
const PATH_HEAD = 12;

/** Cuts the middle out of paths, where a text is too long: the name of the file tells most. */
function withShortPaths(text: string, maxChars: number): string {
  let short = text;
  for (const [path] of text.slice(0, 4 * maxChars).matchAll(PATH)) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/", path.length - 2)));
    const head = Math.max(PATH_HEAD, folder.length - (short.length - maxChars) - 1);
    if (short.length <= maxChars || head + 1 >= folder.length) continue;
    short = short.replace(path, () => `${headOf(folder, head)}…${path.slice(folder.length)}`);
  }
  return short;
}

/** A text cut after a word to a length in characters, with `…` where it was cut. Paths lose their middle first. */
export function shortened(whole: string, maxChars: number): string {
  if (whole.length <= maxChars) return whole;
  const text = withShortPaths(whole, maxChars);
  if (text.length <= maxChars) return text;
  const head = headOf(text, maxChars - 1);
  const isWhole = /\s/.test(text[head.length] ?? " ");
  // The cut goes through a word that is very long, or whose removal would leave less than half of the text.
  const word = isWhole ? -1 : head.search(/\s\S{0,30}$/);
  return `${(word > maxChars / 2 ? head.slice(0, word) : head).trimEnd()}…`;
}

/** Returns the end of a text as one line, cut before a word to a length in characters. `…` marks the cut. */
export function endOfText(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= maxChars) return line;
  const at = line.length - maxChars + 1;
  const tail = line.slice(at).toWellFormed();
  return `…${line[at - 1] === " " ? tail : tail.replace(/^\S{0,30}\s/, "")}`;
}

/** How many characters of an agent's or an unknown tool's answer are stored: enough to find it by a search. */
export const KEPT_ANSWER = { head: 1_600, tail: 800 };

/** Returns the head and tail of a text, in whole lines where possible, with the size of the part between them. */
export function headAndTail(
  text: string,
  { head, tail }: { readonly head: number; readonly tail: number },
): string {
  if (text.length <= head + tail) return text;
  const start = wholeLines(headOf(text, head));
  let end = text.slice(text.length - tail);
  const line = end.indexOf("\n");
  if (line >= 0 && line < tail / 2) end = end.slice(line + 1);
  return `${start}\n[… ${
    text.length - start.length - end.length
  } characters …]\n${end.toWellFormed()}`;
}

function wholeLines(text: string): string {
  const line = text.lastIndexOf("\n");
  return line > text.length / 2 ? text.slice(0, line) : text;
}

/** Returns the text in a field of an object; empty for anything else. */
export function textIn(value: unknown, name: string): string {
  const held: unknown = typeof value === "object" && value !== null
    ? Reflect.get(value, name)
    : undefined;
  return typeof held === "string" ? held : "";
}

/** Returns an output without colours, and with only the last state of each progress bar. */
export function plainOutput(text: string): string {
  const plain = withoutColours(text);
  if (!plain.includes("\r")) return plain;
  const lines = plain.split("\n");
  return lines.map((line, i) => lastWritten(line, { isLast: i === lines.length - 1 })).join("\n");
}

/** Returns the last state of a line that `\r` rewrote. A `\r` at the end of a line belongs to Windows' line end. */
function lastWritten(line: string, { isLast }: { readonly isLast: boolean }): string {
  const end = !isLast && line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(line.slice(0, end).lastIndexOf("\r") + 1);
}

/** Characters that one token of a model stands for, on average. */
const CHARS_PER_TOKEN = 3.5;

/** Returns how many characters fit into a budget of tokens. */
export function charsOfTokens(tokens: number): number {
  return Math.floor(tokens * CHARS_PER_TOKEN);
}

/** Estimates the tokens of a text by its length: at least 1. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.floor(text.length / CHARS_PER_TOKEN));
}

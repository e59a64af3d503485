/** `passwords: ["a", "b"]`: the secrets in a list below the name of several. */
import { findClosingQuote } from "./assignments.ts";
import { endAt, matchAt } from "./sticky.ts";
import { isNoSecret, isRandom, isSecretName, NAME, VALUE_MASK } from "./secret_names.ts";

/** Which strings below a name are secrets: none, those that look random, all. */
export type Secrecy = "none" | "random" | "all";

/** A list of these holds nothing else; of tokens and keys there are also those of a language and of a map. */
const PASSWORDS = /pass(?:word|wd|phrase)s?$/i;
const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}`;
const HEAD = String.raw`(${NAME}s?)(?![\w-])(?:\\{0,7}["'\x60]?\]?)[ \t]{0,8}(?::(?!:)|=)${GAP}`;
const QUOTED = /(?:[ \t\r\n,[]|\\{1,7}[nrt]){0,40}(\\{0,7})(["'])/y;
const DASH = /(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}-[ \t]{1,4}(?=[^\s-])/y;
const BARE = /\[redacted:[a-z\d-]+\]|[^\s"'`\\,#\]}]+/y;

/** What the name of a list or an object says about the strings in it. */
export function secrecyBelow(name: string): Secrecy {
  if (isSecretName(name)) return "all";
  if (!/s$/i.test(name) || !isSecretName(name.slice(0, -1))) return "none";
  return PASSWORDS.test(name) ? "all" : "random";
}

/** Whether a string in a list is a secret. */
export function isListed(value: string, secrecy: Secrecy): boolean {
  if (secrecy === "none" || isNoSecret("", value) || /^[|&+*/-]$/.test(value)) return false;
  return secrecy === "all" || isRandom(value);
}

/** The text with the strings of each list below a secret name masked. */
export function maskLists(text: string): string {
  head ??= new RegExp(HEAD, "gi");
  head.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const secrecy = PASSWORDS.test(found[1] ?? "") ? "all" : "random";
    const isInline = text[head.lastIndex] === "[";
    let at = head.lastIndex + (isInline ? 1 : 0);
    const next = isInline ? quotedItem : dashedItem;
    for (let item = next(text, at); item !== undefined; item = next(text, at)) {
      if (isListed(text.slice(item.start, item.end), secrecy)) {
        masked += text.slice(done, item.start) + VALUE_MASK;
        done = item.end;
      }
      at = item.next;
    }
    head.lastIndex = at;
  }
  return masked + text.slice(done);
}
let head: RegExp | undefined;

interface Item {
  readonly start: number;
  readonly end: number;
  /** Where the next item is looked for. */
  readonly next: number;
}

function quotedItem(text: string, from: number): Item | undefined {
  const opening = matchAt(QUOTED, text, from);
  if (opening === undefined) return undefined;
  const [whole, slashes = "", quote = ""] = opening;
  const start = from + whole.length;
  const end = findClosingQuote(text, start, { quote, slashes: slashes.length });
  if (end === -1 || text.slice(start, end).includes("\n")) return undefined;
  return { start, end, next: end + slashes.length + quote.length };
}

function dashedItem(text: string, from: number): Item | undefined {
  const dash = endAt(DASH, text, from);
  if (dash === -1) return undefined;
  const quoted = quotedItem(text, dash);
  if (quoted !== undefined) return quoted;
  const end = endAt(BARE, text, dash);
  // `- name: x` is an object, not a string.
  return end === -1 || text[end - 1] === ":" ? undefined : { start: dash, end, next: end };
}

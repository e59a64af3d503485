/** `Authorization: SSWS 00aB…`: whatever its scheme, the secret is all that stands behind such a header's name. */
import { findClosingQuote } from "./assignments.ts";
import { isNoSecret, isRandom, isTechnical, VALUE_MASK } from "./secret_names.ts";
import { endAt } from "./sticky.ts";

/** Signed by parts of it that have names and forms of their own. */
const HEAD =
  /authorization:[ \t]{1,8}(?!aws4-hmac|["'`[{(<])(?:(?:bearer|basic|token|digest|apikey|bot|negotiate|ntlm)[ \t]{1,4})?/gi;
/** Words up to the end of the line or of the text in quotes around it, also `name="word"`. */
const WORDS =
  /(?:[\w-]{1,40}=\\{0,7}"(?![ \t])(?:[^"\\\r\n]|\\{1,7}(?!["\\])){0,2000}\\{0,7}"|[^\s"'`\\]|(?<=\w)["'`](?=\w)|\\(?![nrt"'`\\\r\n])|[ \t]{1,4}(?=[^\s"'`\\]))+/y;
const GAP = /[ \t,]+/;
const PARAMETER = /^[\w-]{1,40}=/;
/** Where nothing but a header stands. */
const OPTION = /(?:-H|--header)[ =]{0,4}$/;
const MAX_SAID_WORDS = 3;

/** The text with what those headers hold masked where one word does not. */
export function maskAuthorization(text: string): string {
  HEAD.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = HEAD.exec(text); found !== null; found = HEAD.exec(text)) {
    const start = HEAD.lastIndex;
    const before = text.slice(Math.max(0, found.index - 48), found.index);
    const [, slashes = "", quote] = /(\\{0,7})(["'`])(?:proxy-|x-)?$/i.exec(before) ?? [];
    const end = headerEnd(text, start, quote === undefined ? undefined : { quote, slashes });
    const words = text.slice(start, end).split(GAP).filter((word) => word !== "");
    const isOption = quote !== undefined &&
      OPTION.test(before.slice(0, before.lastIndexOf(quote) - slashes.length));
    // What was looked at is not looked at again, also where it is kept.
    HEAD.lastIndex = end;
    if (words.length < 2 || !isCredential(words, isOption)) continue;
    masked += text.slice(done, start) + VALUE_MASK;
    done = end;
  }
  return masked + text.slice(done);
}

/** Where a header's value ends; `opening` is the quote that stands before its name. */
function headerEnd(
  text: string,
  from: number,
  opening: { readonly quote: string; readonly slashes: string } | undefined,
): number {
  const words = Math.max(from, endAt(WORDS, text, from));
  if (opening === undefined) return words;
  const { quote, slashes } = opening;
  const line = text.slice(from, from + 8_000);
  const close = findClosingQuote(line, 0, { quote, slashes: slashes.length });
  if (close === -1) return words;
  const value = line.slice(0, close);
  return /[\r\n]/.test(value) ? words : from + close;
}

function isCredential(words: readonly string[], isOption: boolean): boolean {
  const values = words.map((word) => word.replace(PARAMETER, "").replace(/^[\\"']+|[\\"']+$/g, ""))
    .filter((word) => word.length >= 8 && !isReference(word));
  if (words.length > MAX_SAID_WORDS && !words.some((word) => PARAMETER.test(word))) {
    return values.some((word) => word.length >= 16 && (isMixed(word) || isRandom(word)));
  }
  return values.some((word) => /[a-z]/i.test(word) && /\d/.test(word) && !isTechnical(word)) ||
    isOption && values.length > 0 && words.length === 2;
}

function isMixed(word: string): boolean {
  return /\d/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word);
}

function isReference(word: string): boolean {
  return isNoSecret("", word) || /^\$\w|\$[({]|\{\{|<%|^%[sdv]|^[<{[(]|\[redacted:/.test(word);
}

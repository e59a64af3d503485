/** `["X-Api-Key", "x1y2z3w4"]`: the headers of a request as pairs, in lists and tuples. */
import { isNoSecret, NAME, SUFFIX, VALUE_MASK } from "./secret_names.ts";

const QUOTE = String.raw`\\{0,7}["']`;
const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,20}`;
/** A word that is also said of other things is a header only with a joint in it. */
const HEADER = String
  .raw`(?:(?:proxy-)?authorization|api_?key|(?=[a-z\d]{1,40}-)[a-z\d-]{0,40}?${NAME}${SUFFIX})`;
const SCHEME = String
  .raw`(?:(?:bearer|basic|token|digest|apikey|bot|negotiate|ntlm|key)[ \t]{1,4})?`;
/** Not the beginning of a call's arguments: what calls take is told by their names. */
const PAIR = String.raw`((?:\[|(?<![\w.])\()${GAP}${QUOTE}${HEADER}${QUOTE}${GAP},${GAP}${QUOTE}` +
  String.raw`${SCHEME})([^"'\x60\\\r\n]{1,4000})(?=${QUOTE}${GAP},?${GAP}[\])])`;

/** The text with the secrets of such pairs masked. */
export function maskHeaderPairs(text: string): string {
  pair ??= new RegExp(PAIR, "gi");
  return text.replace(
    pair,
    (whole, kept: string, value: string) => isHeaderValue(value) ? kept + VALUE_MASK : whole,
  );
}
let pair: RegExp | undefined;

/** The value of such a pair that is a list of its own, its secret masked. */
export function maskHeaderValue(name: string, value: string): string {
  header ??= new RegExp(`^${HEADER}$`, "i");
  if (!header.test(name)) return value;
  const scheme = new RegExp(`^${SCHEME}`, "i").exec(value)![0];
  return isHeaderValue(value.slice(scheme.length)) ? scheme + VALUE_MASK : value;
}
let header: RegExp | undefined;

/** The names of other headers, as they are listed for those that may be sent, and words. */
const WORDS = /^[A-Za-z]+(?:[ _-][A-Za-z\d]+)*$/;

function isHeaderValue(value: string): boolean {
  if (value.length < 6 || !/\d/.test(value) || isNoSecret("", value)) return false;
  return !/^(?:\$[({\w]|\{\{|<%|%[sdv]|.{0,200}\[redacted:)/.test(value) &&
    !(WORDS.test(value) && /[ _-]/.test(value));
}

/** Finds secrets by their names (`password = "hunter2"`) in code, settings, commands, headers, tables and sentences. */
import {
  DISGUISED,
  isOddWord,
  isPlain,
  isSecretName,
  isValueLike,
  SECRET_WORD,
  SUFFIX,
} from "./secret_names.ts";
import { type MaskedSpan, maskOf } from "./secret_form.ts";

export const VALUE_MASK: string = maskOf("secret");

const r = String.raw;
const COLOUR = r`(?:\u001b\[[\d;]{0,16}m|\\u001b\[[\d;]{0,16}m)`;
const BLANK = r`(?:[ \t\u00a0]|${COLOUR})`;
/** What may close a name: quotes at any depth of escaping, brackets, the stars of bold text, a remark. */
const CLOSER =
  r`\\{0,7}["'\x60]?(?:[\])]{0,2}|\[\d{0,4}\])\*{0,2}(?: \([^()\n]{1,30}\)(?=[ :]))?|%22`;
const SIGN = [
  r`\??:\s{0,4}[\w<>[\]|.&' ]{1,40}${BLANK}{1,4}=(?!=)`, // `token: string = `
  r`\{ get; [a-z; ]{0,16}\} =|As String =`,
  "=>|:=|->|→|⇒",
  r`(?:\|\||\?\?)=?`,
  r`={2,3}(?=\s?["'])`,
  "=(?![=>~])",
  "：|＝|は|为|是|為|는|은",
  "%3[dD]",
  ":(?![:/])",
  r`&gt;|</\w{1,20}>\s{0,20}<\w[^<>]{0,80}>|>`,
  "[,({|│┃]",
].join("|");
/** Matches a secret name, its closer, and the sign or blanks between name and value. Global. */
export const HEAD = new RegExp(
  r`(${SECRET_WORD}${SUFFIX})(?![a-z\d_-])(${CLOSER})(${BLANK}{0,40}(?:${SIGN})\*{0,2}${BLANK}{0,40}|${BLANK}{1,40})`,
  "gi",
);
/** The scheme before a credential in a header. */
const SCHEME = /(?:bearer|basic|token|digest|apikey|bot|negotiate|ntlm|ssws|geniekey)[ \t]{1,4}/iy;
/** An opening quote, which may stand inside a call or bracket, or after a prefix letter of Python, C# or SQL. */
const QUOTE =
  /(?:\s{0,9}string\(\d{1,5}\) )?(?:(?:\[\]byte|Buffer\.from|bytes|SecretStr|String::from|Some|Field)?[([]\s{0,20})?(?:default\s{0,4}=\s{0,4})?(?:!!?\w{1,10} |[bfrun@$]{1,2}(?=["']))?(\\{0,7})(["'`])/iy;
/** Arguments between a name and its value: `type=str, default=`. */
const ARGUMENTS = /(?:\w{1,12}[:=]\s?\w{0,12},\s?){0,3}(?:\w{1,12}[:=]\s?)?/y;
/** An expression with a default (`a.b ?? `, `${NAME:-`): the default that follows may be a secret. */
const DEFAULTED =
  /(?=[\w$.]{1,40}(?:\.|\[|\(|::))[\w$.[\]("':)]{1,90}?\s?(?:\|\||\?\?|\bor\b|,)\s{1,20}(?=["'`])|\\?["']?\$\{\w{1,60}:?[-=]/y;
/** A quote that closes the string in which the name stands: `"password=" + word`. */
const CLOSING = /\\{0,7}["'`]\s{0,4}(?:[+.%,;)\]}]|$|\|\|)/y;
const OPENING = /\\{0,7}["'`]\s{0,4}(?:\+|\.)\s{0,4}(?=\\{0,7}["'`])/y;
const RUN =
  // deno-lint-ignore no-control-regex
  /[^\s"'`\\<>;,|&()\u001b│]+(?:[&,;|)(](?=[^\s"'`\\<>&;,|:=]{2,}(?:[\s"'`\\]|$))[^\s"'`\\<>&;,|]+)*/y;
/** A list of strings of one character each: `['a','b','c']`. */
const CHARACTERS = /[[{(]\s{0,4}((?:["'][^"'\n]["'],\s?){5,200}["'][^"'\n]["'])/y;
/** The rest of a value in the next string (`"abc" + "def"`) or line, or a new value behind an arrow. */
const NEXT_STRING = /["'`]?\s{0,40}(?:\+|\.|\\|->)?\s{0,40}["'`]([\w+/=.~-]{8,})(?=["'`])/y;
const NEXT_LINE = /\\\r?\n([\w+/=.~-]{8,})/y;
/** The start of a line: blanks, a line number, the sign of a diff, of a list item or of a quotation. */
const LEAD = r`(?:[-+>#│ \t]|\d{1,6}[→:\t]){0,24}`;
/** A value on the line below its name; the line may stand in a block of code or of YAML. */
const BELOW = new RegExp(
  r`(?:[|>][-+]?|\\)?[ \t]{0,40}\r?\n(?:${LEAD}\r?\n)?(?:${LEAD}\x60\x60\x60\w{0,12}\r?\n)?${LEAD}(["'\x60]?)(\S{6,300}?)\1,?[ \t]{0,40}(?=\r?\n|$| run| -)`,
  "y",
);

export function findAssignments(text: string): MaskedSpan[] {
  const spans = findPlain(text);
  const { plain, at } = withPlainLetters(text);
  if (plain === text) return spans;
  for (const { start, end, mask } of findPlain(plain)) {
    spans.push({ start: at(start), end: at(end - 1) + 1, mask });
  }
  return spans;
}

function findPlain(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  HEAD.lastIndex = 0;
  for (let found = HEAD.exec(text); found !== null; found = HEAD.exec(text)) {
    const value = valueOf(text, found);
    if (
      value === null || value.end <= value.start ||
      MASK.test(text.slice(value.start, value.start + 9))
    ) {
      HEAD.lastIndex = found.index + found[1]!.length;
      continue;
    }
    spans.push({ ...value, mask: VALUE_MASK });
    HEAD.lastIndex = value.end;
    for (const part of partsBehind(text, value.end)) spans.push({ ...part, mask: VALUE_MASK });
  }
  return spans;
}

const MASK = /^\[(?:redacted|private)/;

interface Span {
  readonly start: number;
  readonly end: number;
}

function valueOf(text: string, found: RegExpExecArray): Span | null {
  const [whole, word = "", closer = "", space = ""] = found;
  const name = nameUpTo(text, found.index) + word;
  const from = found.index + whole.length;
  const nameStart = found.index + word.length - name.length;
  if (name.startsWith("[redacted") || isWithinArn(text, nameStart)) return null;
  // deno-lint-ignore no-control-regex
  const sign = space.replace(/\s|\*|\\?\u001b\[[\d;]*m/g, "");
  const before = text.slice(Math.max(0, nameStart - 12), nameStart);
  if (BEFORE_OTHER_TOKEN.test(before)) return null;
  const context = { name, closer, space, isFlag: name.startsWith("-"), isTight: false };
  if (/^(?:<\/|>|&gt;)/.test(sign)) {
    const element = elementText(text, from);
    if (element === null || /(?:<|&lt;)[\w:]{0,20}$/.test(before)) return element;
    return closer !== "" || sign.startsWith("<") ? oddWord(element, text) : null;
  }
  if (sign === "(" || sign === "{") return oddQuoted(text, from, name);
  if (sign === ",") {
    if (closer === "" && !/[{:]$/.test(before)) return null;
    ARGUMENTS.lastIndex = from;
    return oddQuoted(text, ARGUMENTS.test(text) ? ARGUMENTS.lastIndex : from, name);
  }
  if (sign.startsWith("==")) return oddQuoted(text, from, name);
  if (sign === "" && context.isFlag) {
    return unquoted(text, from, { ...context, isTight: true }) ?? quoted(text, from, name) ?? null;
  }
  if (sign === "") return besideName(text, from, context);
  if (sign === "|" && !/\s/.test(space)) return null;
  if ("|│┃は为是為는은".includes(sign)) return besideName(text, from, { ...context, closer: "" });
  // A type follows the parameter, not a value.
  if (closer.includes(")") && sign === ":") return null;
  // A search pattern contains the name: `grep "password:" src`.
  const [quote = ""] = /^\\{0,3}["'`]/.exec(text.slice(from, from + 4)) ?? [];
  if (quote !== "" && closer === "" && before.endsWith(quote)) {
    return matchesAt(OPENING, text, from) ? quoted(text, from, name) ?? null : null;
  }
  const start = matchesAt(DEFAULTED, text, from) ? DEFAULTED.lastIndex : from;
  const value = quoted(text, start, name);
  if (value !== undefined) return value;
  if (/^\??:.+=|^\|\||^\?\?/.test(sign)) return null;
  // In these forms nobody writes blanks around the sign: `NAME=value`, `?name=value`.
  const isTight = sign === "=" && !/\s/.test(space) || /^%3d$/i.test(sign) || start !== from ||
    text[nameStart - 1] === "?";
  const run = unquoted(text, start, { ...context, isTight });
  // Test runners print this: `pass: TestLogin2`.
  return /^pass$/i.test(name) && !isTight && run !== null &&
      !looksRandom(text.slice(run.start, run.end))
    ? null
    : run;
}

/** Words before a token of a parser or of a design, which is no secret: `unexpected token`. */
const BEFORE_OTHER_TOKEN = /(?:unexpected|invalid|illegal|unknown|missing|next|design|end) $/i;

interface Context {
  readonly name: string;
  readonly closer: string;
  readonly space: string;
  readonly isFlag: boolean;
  readonly isTight: boolean;
}

/** Returns the part of a name before its secret word. */
function nameUpTo(text: string, end: number): string {
  const name = /[\w.@$-]{0,64}$/.exec(text.slice(Math.max(0, end - 64), end))![0];
  // The `n` of an escaped `\n` is not part of the name.
  return text[end - name.length - 1] === "\\" ? name.slice(1) : name;
}

/** Whether a name is in an ARN, which holds no secret: `arn:aws:secretsmanager:eu-west-1:1:secret:prod/db`. */
function isWithinArn(text: string, at: number): boolean {
  return text[at - 1] === ":" && /arn:[\w:-]{0,80}$/.test(text.slice(Math.max(0, at - 90), at));
}

/** Returns the span of a quoted value, null if it is no secret, undefined if no quote begins here. */
function quoted(text: string, from: number, name: string): Span | null | undefined {
  let start = from;
  if (matchesAt(OPENING, text, from)) start = OPENING.lastIndex;
  else if (matchesAt(CLOSING, text, from)) return null;
  CHARACTERS.lastIndex = start;
  const characters = CHARACTERS.exec(text);
  if (characters !== null) {
    const end = CHARACTERS.lastIndex;
    return { start: end - characters[1]!.length, end };
  }
  QUOTE.lastIndex = start;
  const [opening, slashes = "", quote = ""] = QUOTE.exec(text) ?? [];
  if (opening === undefined) return undefined;
  start += opening.length;
  const mark = slashes + quote;
  if (text.startsWith(mark.repeat(2), start)) start += 2 * mark.length;
  if (matchesAt(SCHEME, text, start)) start = SCHEME.lastIndex;
  const end = closingQuote(text, start, mark);
  const value = text.slice(start, end);
  if (isPlain(value, name) || quote === "`" && /\s/.test(value)) return null;
  return isOrdinary(value, name) || /^pass$/i.test(name) && !isOddWord(value) && /\s/.test(value)
    ? null
    : { start, end };
}

/** Names that other things share: the tokens of a design, the credentials of a request. */
const WIDE_NAME = /(?:token|auth(?:orization)?|credentials?|secret|key)\d?$/i;

/** Whether a name that other things share has an ordinary value: a word, several words or an identifier. */
function isOrdinary(value: string, name: string): boolean {
  return WIDE_NAME.test(name) &&
    (/\s|^[a-z]+(?:[A-Z][a-z]+){1,3}$/.test(value) ||
      /^(?:[a-z]+(?:-[a-z]+){0,4}(?:-v?\d{1,4}|\d)?|[A-Z][a-zà-ÿ]+)$/.test(value) &&
        value.length < 24);
}

function oddQuoted(text: string, from: number, name: string): Span | null {
  return oddWord(quoted(text, from, name), text);
}

function oddWord(span: Span | null | undefined, text: string): Span | null {
  return span && isOddWord(text.slice(span.start, span.end)) ? span : null;
}

function matchesAt(sticky: RegExp, text: string, at: number): boolean {
  sticky.lastIndex = at;
  return sticky.test(text);
}

/** The greatest length of a value. */
const MAX_VALUE_CHARS = 8_000;

/** Finds the end of a quoted value: a quote with as many backslashes as `mark`, or the end of the line. */
function closingQuote(text: string, from: number, mark: string): number {
  const limit = Math.min(text.length, from + MAX_VALUE_CHARS);
  const slashes = mark.length - 1;
  let before = 0;
  for (let at = from; at < limit; at++) {
    const char = text[at];
    if (char === "\n") return at;
    if (char === mark[slashes]) {
      if (before === slashes) return at - slashes;
      if (slashes === 0 && before % 2 === 0) return at;
    }
    before = char === "\\" ? before + 1 : 0;
  }
  return limit;
}

function unquoted(text: string, from: number, { name, isTight }: Context): Span | null {
  const hasScheme = matchesAt(SCHEME, text, from);
  const start = hasScheme ? SCHEME.lastIndex : from;
  const below = valueBelow(text, from);
  if (below !== null) return below;
  const runEnd = endOfRun(text, start);
  if (runEnd - start > MAX_VALUE_CHARS) return null;
  // Only the dots say that `sk-...` is a placeholder.
  if (/^\w{2,6}[-_](?:\w{2,6}[-_])?\.{3}$/.test(text.slice(start, runEnd))) return null;
  const value = text.slice(start, runEnd).replace(/[.:\]}]+$/, "");
  const end = start + value.length;
  if (isPlain(value, name) || isSecretName(value.replace(/[:=]$/, ""))) return null;
  // A bracket follows: the word is a call, a list or a type.
  if (/^(?:[([]|<(?!\/))/.test(text.slice(end, end + 2)) && /^[A-Za-z_$][\w$.]*$/.test(value)) {
    return null;
  }
  if (isOrdinary(value, name)) return null;
  // A call passes a variable: `client(key=access_key)`.
  if (/^[a-z]+(?:_[a-z]+)+$/.test(value) && /[),]/.test(text[end] ?? "")) return null;
  if (isTight) return { start, end };
  if (hasScheme) return value.length > 7 && /\d|[A-Z]/.test(value) ? { start, end } : null;
  const hasSign = /[!#$%^&*~§@]/.test(value);
  const isMixed = /\d/.test(value) && /[a-z]/i.test(value) && !/^[A-Z_\d]+$/.test(value);
  return isMixed || hasSign || /^\d{6,}$/.test(value) ? { start, end } : null;
}

/** The last run, cached: one long run may hold many names. */
let lastRun = { text: "", from: 0, end: 0 };

function endOfRun(text: string, from: number): number {
  if (
    lastRun.text === text && from > lastRun.from && from < lastRun.end &&
    !/[;,|&()]/.test(text[from]!)
  ) return lastRun.end;
  RUN.lastIndex = from;
  lastRun = { text, from, end: from + (RUN.exec(text)?.[0].length ?? 0) };
  return lastRun.end;
}

/** Returns the value on the next line if it looks random. */
function valueBelow(text: string, from: number): Span | null {
  BELOW.lastIndex = from;
  const found = BELOW.exec(text);
  if (found === null || !looksRandom(found[2]!)) return null;
  const start = from + found[0].lastIndexOf(found[2]!);
  return { start, end: start + found[2]!.length };
}

/** Whether a word looks random. */
function looksRandom(word: string): boolean {
  if (!isValueLike(word) || /[=(]|:$|@\w+:/.test(word.slice(0, -2))) return false;
  return word.length >= 16 || /[a-z]/.test(word) && /[A-Z]/.test(word) ||
    /[!#$%^&*?~§@]/.test(word);
}

/** Returns the text of an element: `<password>…</password>`, also with escaped brackets. */
function elementText(text: string, from: number): Span | null {
  const [whole, opened = "", value = ""] =
    /^(\s{0,40}(?:<\w[^<>]{0,80}>\s{0,20}){0,2}(?:<!\[CDATA\[)?)([^<>&]{0,300}?)(?:\]\]>)?\s{0,40}(?:<\/|&lt;\/)/
      .exec(text.slice(from, from + 600)) ?? [];
  const start = from + opened.length;
  return whole === undefined || isPlain(value) ? null : { start, end: start + value.length };
}

/** Words of a sentence between a name and its value, up to `is` or the like: `the password for the db is …`. */
const LINKING_WORDS =
  /(?:\*{0,2}[:=]?\s{0,3})?(?:(?:[a-z\u00c0-\uffff\d_.@'’/-]{1,30} ){0,6}?(?:is|ist|lautet|est?|[éè]|e|to|as|be|now|by|type|0|[a-z_.@/-]{1,20}(?:'s)?:|[a-z]{1,10},|[-–—])\*{0,2}[:;]?[ \t]{1,4}(?:(?:it[’']s|is|now|to|as) ){0,2})?/iy;
/** The rest of a line that ends with a colon: the value stands on the next line. */
const HEADING =
  /(?:[a-z\u00c0-\uffff\d_.@'’/-]{1,30} ){0,6}[a-z\u00c0-\uffff\d_.@'’/-]{1,30}:\*{0,2}(?=[ \t]*\r?\n)/iy;
const WORD = /(["'`]?)([^\s"'`,;，。、│|]{8,256}?)(?=です|["'`]?[.,;:?]?(?:[\s"'`)│|]|$))/y;

/** Finds a likely secret beside its name: `password    hunter2` in a table, `the password is hunter2`. */
function besideName(text: string, from: number, { space, closer }: Context): Span | null {
  const at = matchesAt(LINKING_WORDS, text, from) ? LINKING_WORDS.lastIndex : from;
  if (/["'`%]/.test(closer) && !/\s{2}/.test(space) && at === from) return null;
  WORD.lastIndex = at;
  const found = WORD.exec(text);
  if (found === null) {
    return matchesAt(HEADING, text, from) ? valueBelow(text, HEADING.lastIndex) : null;
  }
  const start = at + found[1]!.length;
  const value = found[2]!.replace(/[.,;:*_]+$/, "");
  const isSecret = found[1] === "" ? isValueLike(value) : isOddWord(value);
  return isSecret ? { start, end: start + value.length } : null;
}

/** Finds the later strings and lines that continue a value. */
function partsBehind(text: string, end: number): Span[] {
  const parts: Span[] = [];
  for (const next of [NEXT_STRING, NEXT_LINE]) {
    next.lastIndex = end;
    for (let found = next.exec(text); found !== null; found = next.exec(text)) {
      const partEnd = found.index + found[0].length;
      if (/\d|[a-z][A-Z].*[a-z][A-Z]/.test(found[1]!)) {
        parts.push({ start: partEnd - found[1]!.length, end: partEnd });
      }
      next.lastIndex = partEnd;
    }
  }
  return parts;
}

const WIDE_BY = 0xfee0;
const CYRILLIC = "аеорсухіѕ";
const LATIN = "aeopcyxis";

/** Replaces disguised letters by plain ones; `at` maps an index of the result to one of the given text. */
function withPlainLetters(text: string) {
  if (!DISGUISED.test(text)) return { plain: text, at: (index: number) => index };
  let plain = "";
  const places: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    const code = char.charCodeAt(0);
    if (code >= 0x200b && code <= 0x200d || code === 0x2060 || code === 0xfeff) continue;
    const known = CYRILLIC.indexOf(char);
    plain += known >= 0
      ? LATIN[known]
      : code >= 0xff01 && code <= 0xff5e
      ? String.fromCharCode(code - WIDE_BY)
      : char;
    places.push(index);
  }
  return { plain, at: (index: number) => places[index] ?? text.length };
}

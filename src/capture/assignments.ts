/**
 * `password = "hunter2"`: secrets that only their name gives away.
 *
 * A name is secret when it ends in one of {@link NAME}'s words, so `max_tokens`, `token_count`,
 * `secretary` and `author` are not. Its value is masked unless it is plainly something else:
 * - a quoted value: unless it is empty, a placeholder (`<your-token>`, `****`), a reference to a
 *   variable (`$PASSWORD`, `${{ secrets.X }}`) or a word of a schema (`string`, `required`);
 * - an unquoted value could also be source code, so calls, member paths, keywords, type names and
 *   letters-only words are left alone, except where nobody writes code: `NAME=value`, flags, headers,
 *   and `name: value` at the end of a line.
 */

import { BEFORE_QUOTE, COLOURS, ESC, HEAD } from "./assignment_heads.ts";
import { isCode, isFormat, isMember, KEYWORD, STRUCTURE, type Unquoted } from "./code_values.ts";
import {
  beginningAt,
  closesWord,
  expansionAt,
  findElementText,
  isArm,
  isPartOfName,
  isSpokenToken,
  isTokenWord,
  phraseEnd,
  shownValue,
  type Span,
  variableAround,
} from "./value_places.ts";
import { isBarePass, isNoSecret, isSecretName, VALUE_MASK } from "./secret_names.ts";
import { isTokenCode } from "./name_triggers.ts";
import { endAt, matchAt } from "./sticky.ts";
import { TAG_START } from "./tags.ts";

/** What YAML writes in front of a value: its type, and a name for it. */
const TAG =
  /[ \t]{1,8}(?:!!?(?:str|string|binary)|&(?!(?:mut|str|self|dyn|impl)\b)[a-z][\w-]{0,40})(?=[ \t]{1,8}\S)/iy;
/** Where a shell's line goes on below, not with another assignment or option. */
const CONTINUED = /(?:\\\r?\n|\\{3,7}n)[ \t]{0,40}(?![-\s]|[\w.-]{1,60}=[^\s=])/y;
const QUOTE = new RegExp(BEFORE_QUOTE + "(\\\\{0,7})([\"'`])", "iy");
const SCHEME = /(?:bearer|basic|token|digest|apikey|bot|negotiate|ntlm)[ \t]{1,4}/iy;
/** An unquoted value runs on over these, and over others that do not end it. */
const RUN_CHARACTER = `[^\\s"'\`\\\\&;,|<>)\\]}${ESC}]`;
const RUN = new RegExp(`${RUN_CHARACTER}+`, "y");
const SHORT_RUN = new RegExp(`${RUN_CHARACTER}{1,128}`, "y");
const RUN_END = new RegExp(
  String.raw`$|[\s"'\x60]|\\[nrt"'\x60\\]|\\u001b\[|[&;,|](?:[\w.-]{1,40}[=:]|[&|])|${TAG_START}|` +
    String.raw`[)\]}>;,&|]{1,8}(?=[\s"'\x60\\]|$|${TAG_START})`,
  "y",
);
/** A quote within a value: behind one that ends it, no letter stands. */
const INNER_QUOTE = /(?<=\w)["'`](?=\w)[^\s"'`\\]{1,64}/y;
/** Not a word with an apostrophe. */
const ODD = /\d|\B[A-Z]/;
const LINE = /[^\r\n\\"'`]{0,200}["'`]?/y;
/** An option of one letter, or of a word. */
const SWITCH = /-(?:[A-Za-z]|-[a-z]{2,20}(?:-[a-z]{2,20}){0,4})(?![^\s"'\\])/y;

const MASK_HEAD = "[redacted:";
/** What stands before `pass: word` where it is no prose and no report of a test. */
const ENTRY_START = /(?:^|[\r\n{,;([&?]|\\[nrt]|[-+>] )[ \t]*$/;
/** Behind `pass:` in prose only what looks like nothing else. */
const RANDOM =
  /[ \t]{0,4}(?=[^\s/]{0,40}[A-Za-z])(?=[^\s/]{0,40}\d)[^\s"'`\\/(,;]{8,64}(?![^\s"'`\\,;)}])/y;
/** What is told of a parameter where a function is documented: `:param str token:`. */
const PARAMETER =
  /(?:^|\s):(?:param|type|arg|argument|keyword|ivar|cvar|var)(?: [\w.[\]]{1,40})? $/;
const HEADER =
  /^(?:x-[\w-]{0,40}|(?:private|job|deploy|api|access|auth|vault|dd-api|circle)-)(?:token|key|secret|auth|pass|password)$/i;

/** The text with the value of each assignment to a secret name masked; the name stays. */
export function maskAssignments(text: string): string {
  head ??= new RegExp(HEAD, "gi");
  head.lastIndex = 0;
  let masked = "";
  let done = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    if (isOfMask(text, found)) {
      // What follows a mask may already lead to the value of another name.
      head.lastIndex = found.index + found[1]!.length;
      continue;
    }
    const value = findValue(text, found);
    if (value === undefined) continue;
    masked += text.slice(done, value.start) + VALUE_MASK;
    done = head.lastIndex = value.end;
  }
  return masked + text.slice(done);
}
let head: RegExp | undefined;

/** Whether a name is that of a kind: `[redacted:github-token]: …`. */
function isOfMask(text: string, found: RegExpExecArray): boolean {
  const start = found.index - nameUpTo(text, found.index).length;
  return text.startsWith(MASK_HEAD, start - MASK_HEAD.length);
}

/** Where the secret value of a found head stands, or nothing when there is none. */
function findValue(text: string, found: RegExpExecArray): Span | undefined {
  const value = findAnyValue(text, found);
  if (value === undefined || !/^token$/i.test(found[1] ?? "")) return value;
  return isSpokenToken(text, found.index, text.slice(value.start, value.end)) ? undefined : value;
}

function findAnyValue(text: string, found: RegExpExecArray): Span | undefined {
  const [whole, word = "", closer = "", space = "", sign] = found;
  const separator = sign === "：" ? ":" : sign;
  const behind = found.index + whole.length;
  const name = nameUpTo(text, found.index) + word;
  const isFlag = name.startsWith("-");
  const lead = separator === ":"
    ? TAG
    : separator === "=" && space === "" || separator === undefined && isFlag
    ? CONTINUED
    : undefined;
  const from = lead === undefined ? behind : Math.max(behind, endAt(lead, text, behind));
  const start = found.index + word.length - name.length;
  if (separator === ":" && isPartOfName(text, start, from)) return undefined;
  if (separator === ":" && PARAMETER.test(text.slice(Math.max(0, start - 60), start))) {
    return undefined;
  }
  const variable = variableAround(text, start);
  if (variable !== undefined) return variable.value;
  if (separator === ">") return closer === "" ? findElementText(text, from) : undefined;
  if (separator === "," && closer !== "" && isFlag) {
    // The last word of a command is none of a list.
    return /["'\x60]/.test(text[start - 1] ?? "") ? findQuoted(text, from, name) : undefined;
  }
  if (separator === "," || separator === undefined && (!isFlag || closer !== "" || space === "")) {
    // Backslashes without a quote are those of an escaped line break.
    const gap = /^\\+$/.test(closer) ? from - closer.length - space.length : from;
    return findPaired(text, gap, { name, start });
  }
  if (endAt(QUOTE, text, from) !== -1) {
    if (closer === "" && isEndOfWord(text, from)) return undefined;
    const value = findQuoted(text, from, name);
    if (value === undefined) return undefined;
    const quoted = text.slice(value.start, value.end);
    const isPlain = isTokenWord(name, quoted, separator) || isFormat(quoted) ||
      isArm(text, start, { quoted, separator }) ||
      // What a shell puts in the place of a command.
      separator === "=" && text[from] === "`" && /^[a-z]+ /.test(quoted);
    return isPlain ? undefined : shownValue(text, value, separator);
  }
  if (separator !== undefined && /^[=!]=|^=>/.test(separator)) return undefined;
  // Behind an option without a value stands the next one, and `-sshpass -p` is a removed line.
  if (separator === undefined && endAt(SWITCH, text, from) !== -1) return undefined;
  const isTight = separator === "=" && space === "" && !/\s/.test(text[from] ?? " ");
  if (isBarePass(name) && !isTight && separator !== undefined) {
    const before = text.slice(Math.max(0, found.index - 80), found.index);
    if (/-pass(?:in|out) $/.test(before)) {
      return findUnquoted(text, from, { name, separator, isTight: true });
    }
    const isWord = !ENTRY_START.test(before) && endAt(RANDOM, text, from) === -1;
    if (name === "PASS" || isWord || separator === ":" && space !== "") return undefined;
  }
  return findUnquoted(text, from, { name, separator, isTight: isTight || separator === undefined });
}

/** The part of a name before its secret word; names are short, and so is the look back. */
function nameUpTo(text: string, end: number): string {
  let start = end;
  while (end - start < 64 && isTokenCode(text.charCodeAt(start - 1))) start--;
  // The letter of `\n` is none of the name's.
  return text.slice(text[start - 1] === "\\" && start < end ? start + 1 : start, end);
}

const GAP = String.raw`(?:[ \t\r\n]|\\{1,7}[nrt]){0,40}`;
const MARK = String.raw`\\{0,7}["']`;
/** From the value of `name` to that of `value`, with a few small entries between them. */
const PAIR = new RegExp(
  String.raw`${GAP}(?:(?:${MARK})?\w{1,40}(?:${MARK})?${GAP}:${GAP}` +
    String.raw`(?:true|false|null|\d{1,20}|${MARK}[^"'\\\n]{0,80}${MARK})${GAP},${GAP}){0,3}?` +
    String.raw`(?:${MARK})?value(?:${MARK})?[ \t]{0,4}[:=]`,
  "iy",
);
/** What stands before such a name, also where it is a path: `/db/password`. */
const PAIR_NAME = /(?:name|key|variable)[^\w]{1,24}(?:[\w-]{1,40}[/.:]){0,6}$/i;

/** `"name": "DB_PASSWORD", "value": "…"`, also as the lines of a YAML file and the attributes of an element. */
function findPaired(
  text: string,
  from: number,
  found: { readonly name: string; readonly start: number },
): Span | undefined {
  const { name, start } = found;
  if (!PAIR_NAME.test(text.slice(Math.max(0, start - 128), start))) return undefined;
  const value = endAt(PAIR, text, from);
  if (value === -1) return undefined;
  if (endAt(QUOTE, text, value) !== -1) return findQuoted(text, value, name);
  return findUnquoted(text, value, { name, separator: ":", isTight: false });
}

function isEndOfWord(text: string, from: number): boolean {
  const [whole = "", slashes = ""] = matchAt(QUOTE, text, from) ?? [];
  return closesWord(text, from + whole.length - 1, slashes.length);
}

function findQuoted(text: string, from: number, name: string): Span | undefined {
  const opening = matchAt(QUOTE, text, from);
  if (opening === undefined) return undefined;
  const [whole, slashes = "", quote = ""] = opening;
  const mark = slashes + quote;
  const isTriple = text.startsWith(mark + mark, from + whole.length);
  const open = from + whole.length + (isTriple ? 2 * mark.length : 0);
  const start = open + schemeLength(text, open);
  const close = isTriple
    ? text.indexOf(mark.repeat(3), open)
    : findClosingQuote(text, open, { quote, slashes: slashes.length });
  let end = close === -1 ? text.length : close;
  if (quote !== "`" && !isTriple) {
    const lineEnd = text.slice(start, end).indexOf("\n");
    if (lineEnd !== -1) end = start + lineEnd;
  }
  const variable = expansionAt(text, start);
  if (variable?.end === end) return variable.value;
  return end <= start || isNoSecret(name, text.slice(start, end)) ? undefined : { start, end };
}

/**
 * Where the quote that was opened behind some backslashes closes (its backslashes included), or -1.
 * More backslashes mean a quote inside the value, fewer the end of a text around it.
 */
export function findClosingQuote(
  text: string,
  from: number,
  opening: { readonly quote: string; readonly slashes: number },
): number {
  const { quote, slashes } = opening;
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > from && text[at - before - 1] === "\\") before++;
    if (before < slashes) return at - before;
    if ((before - slashes) % (2 * slashes + 2) === 0) return at - slashes;
  }
  return -1;
}

function findUnquoted(text: string, from: number, form: Unquoted): Span | undefined {
  let start = from;
  while (start - from < 8 && " \t\u00a0".includes(text[start] ?? "x")) start++;
  // The word for what passed is often coloured, and so are its numbers.
  if (!isBarePass(form.name)) start = Math.max(start, endAt(COLOURS, text, start));
  const scheme = schemeLength(text, start);
  start += scheme;
  const variable = expansionAt(text, start);
  if (variable !== undefined && endAt(RUN_END, text, variable.end) !== -1) return variable.value;
  const beginning = beginningAt(text, start);
  if (STRUCTURE.test(beginning)) return undefined;
  const phrase = form.separator === undefined ? -1 : phraseEnd(text, start);
  if (phrase !== -1) return { start, end: phrase };
  const value = text.slice(start, findRunEnd(text, start, start + 128));
  if (value === "") return undefined;
  const end = start + value.length;
  const rest = Math.max(end, endAt(COLOURS, text, end));
  const after = text.slice(rest, rest + 2);
  const statement = beginning.replace(/[;,):]+$/, "");
  if (isNoSecret(form.name, value) || leadsOn(value)) return undefined;
  if (statement !== value && isNoSecret(form.name, statement)) return undefined;
  const isNamedHeader = form.separator === ":" && HEADER.test(form.name);
  const isExpression = KEYWORD.test(value) || isMember(value) || /^\$\(|^%[sdv]/.test(beginning);
  if (isNamedHeader && isExpression) return undefined;
  const isNamed = /authorization$/i.test(form.name) && (form.separator !== "=" || form.isTight);
  // `token = token or {}`
  if (scheme > 0 && KEYWORD.test(value)) return undefined;
  // `Authorization: Bearer header missing`, `Authorization: Users must sign in`, `Authorization: SSWS $TOKEN`
  if (scheme > 0 && /^[a-z]{1,20}$/.test(value) && /^ [a-z]/.test(after)) return undefined;
  if (isNamed && /^[A-Z]?[a-z]{1,20}$/.test(value) && /^ [a-z]/.test(after)) return undefined;
  if (isNamed && /^[A-Z][A-Za-z-]{1,20}$/.test(value) && /^ [$<{]/.test(after)) return undefined;
  const isHeader = isNamedHeader || scheme > 0 || isNamed;
  const line = matchAt(LINE, text, start)?.[0] ?? "";
  if (!isHeader && isCode(value, { ...form, beginning, after, line })) return undefined;
  return { start, end: findRunEnd(text, start, text.length) };
}

/** Whether what stands behind a name is another one with its own sign: `X-Api-Key: X-Api-Key: …`. */
function leadsOn(value: string): boolean {
  return value.length < 64 && /[:=]$/.test(value) && isSecretName(value.slice(0, -1));
}

/** Where an unquoted value ends, or where the look for its end stopped behind a limit. */
function findRunEnd(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit) {
    end = Math.max(end, endAt(limit - start > 128 ? RUN : SHORT_RUN, text, end));
    const isEnd = text[end] === ESC || endAt(RUN_END, text, end) !== -1;
    const inner = isEnd && end > start ? matchAt(INNER_QUOTE, text, end)?.[0] ?? "" : "";
    const isInner = inner !== "" &&
      (ODD.test(inner.slice(1)) || ODD.test(text.slice(Math.max(start, end - 128), end)));
    if (isEnd && !isInner) break;
    end++;
  }
  while (end > start && text[end - 1] === ".") end--;
  return end;
}

function schemeLength(text: string, at: number): number {
  return Math.max(0, endAt(SCHEME, text, at) - at);
}

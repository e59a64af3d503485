/** What stands at the place of a value and is none: the end of a quoted search word, a variable with its default. */
import { ESC } from "./assignment_heads.ts";
import { isNoSecret, isRandom, isTechnical, isValueLike } from "./secret_names.ts";
import { matchAt } from "./sticky.ts";
import { TAG_START } from "./tags.ts";

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How far back a quote is looked for that another one closes. */
const MAX_LOOK_BACK = 400;
/** What may follow a quoted word; a value in quotes begins with none of these. */
const BEHIND_WORD = /[\s)\]},;|&+]|\.(?!\w)|\\[nrt]|$/y;

/**
 * Whether a quote behind `password:` closes one that was opened before the name (`grep "password:" src`), by their number
 * on the line. `false` where the line is too long to tell.
 *
 * @param at Where the quote stands, without the backslashes before it, of which there are `slashes`.
 */
export function closesWord(text: string, at: number, slashes: number): boolean {
  BEHIND_WORD.lastIndex = at + 1;
  if (!BEHIND_WORD.test(text)) return false;
  const quote = text[at]!;
  let isOpen = false;
  for (let before = at - slashes - 1; at - before < MAX_LOOK_BACK; before--) {
    const char = text[before];
    if (char === undefined || char === "\n") return isOpen;
    if (slashes > 0 && char === "n" && text[before - 1] === "\\") return isOpen;
    if (char !== quote || isApostrophe(text, before)) continue;
    let found = 0;
    while (text[before - found - 1] === "\\") found++;
    if (found === slashes) isOpen = !isOpen;
  }
  return false;
}

function isApostrophe(text: string, at: number): boolean {
  return text[at] === "'" && /\w/.test(text[at - 1] ?? "") && /\w/.test(text[at + 1] ?? "");
}

/** `${TOKEN}` with what a shell does to it. Group 1 says what a default is for, group 2 is the default. */
const EXPANSION =
  /\$\{[#!]?[\w.]{1,80}(?:(:?[-=?+]|:)([^{}\n"'`\\]{0,200}|\$\{\w{1,80}\})|[%#^,/@][^{}\n"'`\\]{0,80})\}/y;

/** A variable, and the default in it that may be a secret. */
export interface Expansion {
  readonly value: Span | undefined;
  /** Where the variable ends. */
  readonly end: number;
}

/** The variable that stands here with braces and more than its name, or nothing. */
export function expansionAt(text: string, at: number): Expansion | undefined {
  EXPANSION.lastIndex = at;
  const [whole, operator = "?", value = ""] = EXPANSION.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const end = at + whole.length;
  const isMessage = /[?+]/.test(operator) || operator === ":" && /^-?\d+:-?\d+$/.test(value);
  if (isMessage || isNoSecret("", value)) return { value: undefined, end };
  return { value: { start: end - 1 - value.length, end: end - 1 }, end };
}

/** What opens a variable in front of a secret name, which may be a part of its own. */
const OPENING = /\$\{(?:\w{1,40}\.){0,4}$/;

/** The variable that a name stands in, which starts here: `${db.password:word}`. */
export function variableAround(text: string, start: number): Expansion | undefined {
  const [opening] = OPENING.exec(text.slice(Math.max(0, start - 80), start)) ?? [];
  return opening === undefined ? undefined : expansionAt(text, start - opening.length);
}

const TOKEN_OF_GRAMMAR =
  /^(?:[tT]oken|(?:design|colou?r|theme|style|syntax|css|font|spac(?:e|ing))[-_.]?[tT]oken)$/;
const WORDS = /^[a-z]{2,24}(?:[.-](?:[a-z]{1,24}\d?|\d{1,4})){0,6}$/;

/** Whether a quoted value is that of a language's or a design's token (`token: "comment.line"`), or of a short comparison. */
export function isTokenWord(name: string, value: string, separator = ""): boolean {
  if (TOKEN_OF_GRAMMAR.test(name) && WORDS.test(value)) return true;
  return /^[=!]==?$/.test(separator) && /^[A-Za-z]{1,5}$/.test(value);
}

/** What is said of a token that a parser reads or a design has, and an item in a list of them. */
const SPOKEN_BEFORE =
  /(?:unexpected|invalid|illegal|unknown|expected|lexer|parser|next|current|design)[ \t]$/i;
const ITEM_BEFORE = /(?:^|[\r\n]|\\[nr])[ \t]{0,40}- $/;
const SPOKEN = /^[A-Za-z_$][A-Za-z]{0,24}\d{0,2}(?:[_.-](?:[A-Za-z]{1,24}\d{0,2}|\d{1,4})){0,6}$/;
const ITEM = /^[a-z]{2,24}\d?$/;

/** Whether the value of `token`, which starts here, is that of a parser or of a design: `unexpected token: 'fn_2'`, `- token: comma2`. */
export function isSpokenToken(text: string, start: number, value: string): boolean {
  const before = text.slice(Math.max(0, start - 48), start);
  return SPOKEN_BEFORE.test(before) && SPOKEN.test(value) ||
    ITEM_BEFORE.test(before) && ITEM.test(value);
}

/** Whether a quoted text is what an arm of a match says: `Error::InvalidPassword => "wrong password"`. */
export function isArm(
  text: string,
  start: number,
  { quoted, separator }: { readonly quoted: string; readonly separator: string | undefined },
): boolean {
  return separator === "=>" && text.startsWith("::", start - 2) && /^[a-z][a-z' ]+$/i.test(quoted);
}

/** Three quotes that begin a text of several lines, and what stands before it there: the language of a fence. */
const THREE_QUOTES = /(\\{0,7}["'`])\1\1$/;
const LANGUAGE = /^[\w+#-]{0,20}[ \t]{0,4}(?=[\r\n]|\\{1,7}[nr])/;
const BLANKS = /^(?:\s|\\{1,7}[nrt])*/;
/** A word that is no name and no file. */
const SECRET_WORD =
  /^(?=\S*[\d!$%&*+=?@^~])(?![\w./-]{1,200}\.[a-z]\w{0,5}(?::\d|\s|\\|$))(?:(?!\\{1,7}[nrt])\S)+(?=(?:\s|\\{1,7}[nrt])*$)/i;

/**
 * What of a value is one: all of it but where it stands in three quotes behind `token:`. That is what a message shows, or the
 * docstring below a definition, where it is not one word that looks like a secret.
 */
export function shownValue(text: string, value: Span, separator = ""): Span | undefined {
  const before = text.slice(Math.max(0, value.start - 32), value.start);
  const [mark = ""] = THREE_QUOTES.exec(before) ?? [];
  if (mark === "" || separator !== ":") return value;
  const shown = text.slice(value.start, value.end);
  const language = mark.endsWith("`") ? LANGUAGE.exec(shown)?.[0].length ?? 0 : 0;
  const from = language + BLANKS.exec(shown.slice(language))![0].length;
  const [word = ""] = SECRET_WORD.exec(shown.slice(from)) ?? [];
  const start = value.start + from;
  return word === "" ? undefined : { start, end: start + word.length };
}

const PSEUDO_CLASS =
  /(?:hover|focus(?:-within|-visible)?|active|visited|disabled|enabled|checked|empty|root|(?:first|last|only|nth)-[a-z-]{1,20}|not|is|where|has|before|after)(?![\w-])/y;
const SECRET_ARN = /arn:aws[a-z-]{0,10}:secretsmanager:[\w*-]{0,20}:[\d*]{0,12}:$/;

/** Whether a name with `:` behind it is part of something longer: `.token:hover`, `arn:aws:…:secret:prod-db`. */
export function isPartOfName(text: string, start: number, valueStart: number): boolean {
  if (text[start - 1] === "." || text[start - 1] === "#") {
    PSEUDO_CLASS.lastIndex = valueStart;
    return PSEUDO_CLASS.test(text);
  }
  return text[start - 1] === ":" && SECRET_ARN.test(text.slice(Math.max(0, start - 80), start));
}

/** Words up to the end of a line. */
const PHRASE =
  /(?:[^\s"'`\\,;:=()<>{}[\]#|]{3,40} ){1,8}[^\s"'`\\,;:=()<>{}[\]#|]{3,40}(?=[ \t]{0,8}(?:$|[\r\n]|\\{1,7}[nr]))/y;

/** Where a secret of several random words ends that a line ends with, or -1: `Ab3x9Q Zt7kLm2 pQ9z`. */
export function phraseEnd(text: string, start: number): number {
  PHRASE.lastIndex = start;
  const [phrase = ""] = PHRASE.exec(text) ?? [];
  const words = phrase.split(" ");
  const isOdd = words.every((word) =>
    /\d|\B[A-Z]/.test(word) && (!isTechnical(word) || /^\d+[A-Z]{2}/.test(word))
  );
  return isOdd && isRandom(words.join("")) ? start + phrase.length : -1;
}

const BEGINNING = new RegExp(`[^\\s"'\`\\\\${ESC}]{1,128}`, "y");
const TAG = new RegExp(TAG_START);

/** What an unquoted value begins with, without a tag that ends it. */
export function beginningAt(text: string, start: number): string {
  const [word = ""] = matchAt(BEGINNING, text, start) ?? [];
  const tag = word.search(TAG);
  return tag > 0 ? word.slice(0, tag) : word;
}

/** An end of a tag in it is none where words stand on both sides, nor is a backslash in front of no line break. */
const ELEMENT_TEXT =
  /[\w$!@#%&*+/^~.?-](?:[^<>\n\\]|(?<=[\w$!@#%&*+/^~.?-])>(?=[^\s<>=])|\\{1,7}(?=[^\s\\nrt<"'])){0,200}(?=<\\{0,7}\/)/y;
const CDATA = /<!\[CDATA\[(?=\S)[^\r\n\]]{1,400}(?=\]\]>)/iy;
const CDATA_START = 9;
/** The same on a line of its own. */
const ELEMENT_LINE =
  /((?:[ \t]{0,8}(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)(?:[ \t]|\\{1,7}t){0,60}))([^\s<>\\]{6,200})(?=[ \t]{0,8}(?:[\r\n]|\\{1,7}[nr])(?:\s|\\{1,7}[nrt]){0,60}<\/)/y;

/** The secret in an element that is called so, which starts here: behind `<password>`. */
export function findElementText(text: string, from: number): Span | undefined {
  const [, gap, word = ""] = matchAt(ELEMENT_LINE, text, from) ?? [];
  if (gap !== undefined) {
    const start = from + gap.length;
    return isValueLike(word) ? { start, end: start + word.length } : undefined;
  }
  const data = matchAt(CDATA, text, from)?.[0];
  if (data !== undefined) {
    const isPlain = isNoSecret("", data.slice(CDATA_START));
    return isPlain ? undefined : { start: from + CDATA_START, end: from + data.length };
  }
  const value = matchAt(ELEMENT_TEXT, text, from);
  if (value === undefined || isNoSecret("", value[0])) return undefined;
  return { start: from, end: from + value[0].length };
}

/**
 * The cheap look for names: could a text set a secret that its name gives away? As in `triggers.ts`, searches for literals and
 * a closer look where one is found (only there, and late, also a pattern), and never `false` where masking would change
 * something.
 */
import { ESCAPED_FRAGMENTS, type Fragment, FRAGMENTS, KEY_OWNERS, SUFFIXES } from "./clues.ts";
import { isNear, runsOf } from "./secret_runs.ts";

/** How far behind a key that is called nothing else a run may begin. */
const KEY_GAP = 72;

/**
 * Whether a text may assign to a secret name: never `false` where `maskAssignments()`
 * or `isSecretName()` finds something, also when the text is the JSON of theirs. No regex before a name
 * is found, for this is asked of every payload.
 */
export function mayAssign(text: string, lowered = text.toLowerCase()): boolean {
  // A letter that becomes two moves all that stands behind it.
  if (lowered.length !== text.length) return true;
  return mayAssignTo(FRAGMENTS, text, lowered) ||
    lowered.includes("\\u") && mayAssignTo(ESCAPED_FRAGMENTS, text, lowered);
}

function mayAssignTo(fragments: readonly Fragment[], text: string, lowered: string): boolean {
  for (let index = 0; index < fragments.length; index++) {
    const { end, starts, tails, isVague } = fragments[index]!;
    let runs: ReturnType<typeof runsOf> | undefined;
    for (let at = lowered.indexOf(end); at !== -1; at = lowered.indexOf(end, at + 1)) {
      let nameEnd = at + end.length;
      nameEnd += tails?.find((tail) => lowered.startsWith(tail, nameEnd))?.length ?? 0;
      if (lowered.startsWith("bypass", nameEnd - 6)) continue; // a permission mode has it
      const words = end === "key"
        ? KEY_OWNERS[lowered[isJoint(lowered, at) ? at - 2 : at - 1]!]
        : starts;
      if (words === undefined || !beginsWith(words, lowered, at)) {
        if (end !== "key") continue;
        runs ??= runsOf(text);
        if (runs(at).some(({ start }) => start >= nameEnd && start < nameEnd + KEY_GAP)) {
          return true;
        }
        continue;
      }
      if (isVague !== true && leadsToValue(lowered, nameEnd)) return true;
      runs ??= runsOf(text);
      if (runs(at).some((run) => isNear(run, at))) return true;
    }
  }
  return false;
}

function beginsWith(starts: readonly string[], lowered: string, end: number): boolean {
  for (let index = 0; index < starts.length; index++) {
    const start = starts[index]!;
    if (lowered.startsWith(start, end - start.length)) return true;
    if (start.length < 2 || !isJoint(lowered, end)) continue;
    if (lowered.startsWith(start, end - 1 - start.length)) return true;
  }
  return false;
}

/** Whether a word is joined to what stands before it: `api_key`, `api key`, `api.key`. */
function isJoint(lowered: string, at: number): boolean {
  const before = lowered[at - 1];
  return before === "_" || before === "-" || before === " " || before === ".";
}

/** Where a name ends, without and with what may end it, and where what closes it does. */
interface Place {
  readonly nameEnd: number;
  readonly closer: number;
  readonly at: number;
}

/** What stands in front of the end of a name, and the name. */
function upTo(lowered: string, nameEnd: number, length: number): string {
  return lowered.slice(Math.max(0, nameEnd - length), nameEnd);
}

/**
 * Whether a separator follows the end of a name; or what else leads to its value: white space where the name is that of
 * a flag or of a line in a `.netrc`, and `value` where the name is the value of `name`.
 */
function leadsToValue(lowered: string, nameEnd: number): boolean {
  if (LABEL.test(upTo(lowered, nameEnd, 160))) return true;
  let at = nameEnd;
  while (at - nameEnd < 24 && isTokenCode(lowered.charCodeAt(at)) && !isTag(lowered, at)) at++;
  const isPlural = at === nameEnd + 1 && lowered[nameEnd] === "s";
  if (at > nameEnd && !isPlural && !isSuffix(lowered.slice(nameEnd, at))) return false;
  if (upTo(lowered, nameEnd, 80).includes(" as ") && USED.test(upTo(lowered, nameEnd, 320))) {
    return true;
  }
  const closer = at;
  at = skipClosers(lowered, at);
  const separator = lowered[at];
  if (separator === ":" || separator === "=" || separator === "：") {
    return !isPlural || "[{-".includes(lowered[skipClosers(lowered, at + 1)] ?? " ") ||
      BREAK.test(lowered.slice(at + 1, at + 40));
  }
  if (separator === ">") {
    const next = lowered[at + 1];
    if (at === closer) {
      return isElementStart(next) || /^(?:<!\[|[\r\n\\])/.test(lowered.slice(at + 1, at + 4));
    }
    if (NAMED_ELEMENT.test(upTo(lowered, nameEnd, 160))) return true;
  }
  if ("!?+".includes(separator ?? " ") && lowered[at + 1] === "=") return true;
  if ("s[{".includes(separator ?? " ") && DECLARED.test(lowered.slice(at, at + 90))) return true;
  if (separator === "&" && QUOTE.test(lowered.slice(at, at + 6))) return true;
  if (separator === "\x1b" || lowered.startsWith("u001b", at)) return true; // a colour
  if (isSaid(lowered, { nameEnd, closer, at })) return true;
  if (separator === "," && beginsPair(lowered, nameEnd)) return true;
  const before = upTo(lowered, nameEnd, 96);
  return at > closer &&
    (before.includes("-") || /(?:name|key)"/.test(upTo(lowered, nameEnd, 300)) ||
      separator === "{" && before.includes("variable") || OWN_FORM.test(before) ||
      separator === "|" && before.includes("|") ||
      /^(?:value|content)/.test(lowered.slice(at, at + 8)) ||
      separator === "," && lowered.slice(at, at + 2_000).includes("value") ||
      leadsToPair(lowered, { nameEnd, closer, at }) ||
      upTo(lowered, nameEnd, 1_000).includes("machine") ||
      PAIR_NAME.test(before) &&
        upTo(lowered, nameEnd, 700).includes("value"));
}

/** The label of a field that something is entered into. */
const LABEL =
  /"(?:element|selector|locator|label|field|placeholder)\\{0,7}":\s{0,9}\\{0,7}"[^"]{0,90}$/;
/** What has the value before or behind a name in a way of its own. */
const OWN_FORM = /setx|setenv|<input|headerfield|configfield|resvalue/;
/** What something is used as: `use x1y2z3 as the password`. */
const USED = /us(?:e|ing) ["'`\\]{0,9}[^\s<>|]{0,200}[\d!#$%^&*+=?~§@][^\s<>|]{0,200} as /;
/** What stands before the name of a pair that begins with its value. */
const PAIR_NAME = /(?:name|key|id)[^\w]{1,24}[\w./:-]*$/;
/** Behind the name of what holds secrets in the lines below. */
const BREAK = /^[ \t]*(?:[\r\n]|\\+[nr]|\\*["'`],)/;
/** How HTML begins to write a quote, or the end of a tag. */
const QUOTE = /^&(?:#|quot;|apos;|amp;|gt;)/;
/** What stands between a name and the sign behind it in Go, C and C#. */
const DECLARED = /^(?:string|\[\]byte|\[\d*\]|\{[a-z; \t]{1,60}\})[ \t]{0,4}=/;
/** What may follow the attribute that has the name of an element. */
const NAMED_ELEMENT = /(?:key|name|id)=/;

/** Whether a name ends its line, or stands before a tag, as that of a pair whose value follows, whatever is between. */
function leadsToPair(lowered: string, { nameEnd, closer, at }: Place): boolean {
  return /name|key|variable/.test(upTo(lowered, nameEnd, 96)) &&
    (isTag(lowered, at) || /[\r\n]|\\[nr]/.test(lowered.slice(closer, at + 1))) &&
    lowered.slice(at, at + 2_000).includes("value");
}

/** `requirepass x1y2z3`, where a line begins, also behind what may stand in front of it, and one word alone follows. */
const SETTING =
  /(?:^|[^\w.,;\s]|(?:quot|apos|#x?\d{2,6});|[\r\n]|\\[nrt]|\d[z-]?|info|debug|warn(?:ing)?|error|notice|trace|fatal)[-+ \t]{0,20}(?:requirepass|masterauth|bindpw|rootpw|password)$/;
const ALONE =
  /^(?:--plaintext(?:\s|\\t){1,8})?["'`\\]{0,8}[^\s"'`\\<>|]{6,256}["'`\\]{0,8}(?:[ \t]|\\t){0,8}(?:$|[\r\n"'\\<&]|-->)/;
/** What a sentence says of a name, also of whose it is: a word with a digit or a sign, or one in backticks. */
const SAYS_VALUE =
  /^(?:(?:for|of|to|on|für)(?:\s|\\t)[^\r\n]{1,400}?(?:\s|\\t))?(?:(?:(?:is|was|ist|lautet|es|é|è|est)(?:(?:\s|\\t){1,8}(?:now|set(?:\s|\\t){1,8}to|still))?|(?:should|must|will|shall)(?:\s|\\t){1,8}be|to|provided|given|supplied|received|generated|created)(?:\s|\\t){0,8}:?|(?:to|as|is|=)\s|->|[-–—→⇒])(?:\s|\\t){0,12}(?=\S{6})[a-z"'*\\._-]{0,60}[^\sa-z._-]/;
const WHOSE =
  /^(?:(?:is|was|has(?:\s|\\t){1,8}been)(?:\s|\\t){1,8}[a-z]{3,12}(?:\s|\\t){1,8})?(?:for|of|to|on|für)(?:\s|\\t)[^:：]{1,400}[:：]|^(?:is|was|ist|lautet|es|é|è|est|should be|must be|will be|shall be)(?:(?:\s|\\t){1,8}(?:now|still|set(?:\s|\\t){1,8}to))?(?:\s|\\t){0,4}[:：]/;

/** Whether a name may be told of in another way: in a sentence, a call, a statement, the head of a table. */
function isSaid(lowered: string, place: Place): boolean {
  const { nameEnd, closer, at } = place;
  const next = lowered[at] ?? "";
  const before = upTo(lowered, nameEnd, 96);
  if (isCell(lowered, nameEnd, closer)) return true;
  if (lowered.slice(closer, at).includes("\x60\x60\x60")) return true;
  if (before.slice(-24).includes("kind") || before.endsWith("random_password")) return true;
  if (next === "*") return lowered.startsWith("**", at) && lowered.slice(at, at + 6).includes(":");
  if (next === "%") return lowered.startsWith("%22", at) || lowered.startsWith("%3d", at);
  if (next === "|" || next === "?" && lowered[at + 1] === "?") return true;
  if (next === "(") {
    return "\"'\\\r\nbfru@$&<-".includes(lowered[at + 1] ?? " ") ||
      at > closer && /^\([^()]{1,400}\)(?:\s|\\t){0,4}[:：]/.test(lowered.slice(at, at + 420));
  }
  if (isTag(lowered, at)) {
    return lowered[at + 1] === "/" || leadsToPair(lowered, place);
  }
  if (next === "," || next === ")") {
    // What is called on what was found by its name stands behind it, or on a line below.
    const isCall = next === "," || CALLED.test(lowered.slice(at + 1, at + 200));
    if (isCall && before.includes("(") && isQuoted(lowered, closer, at)) return true;
    if (upTo(lowered, nameEnd, 600).includes("insert")) return true;
  }
  if (at === closer) return next !== "" && "是为為は는→⇒".includes(next);
  if (/[-+]/.test(next) && before.includes("|")) return true;
  if (/^\d{1,3}\) /.test(lowered.slice(at, at + 5))) return true; // an item of a list, its value the next
  if (SETTING.test(before) && ALONE.test(lowered.slice(at, at + 320))) return true;
  const isNamed = () => NAMED_BEFORE.test(before) || CREATED.test(upTo(lowered, nameEnd, 700));
  if (isQuoted(lowered, closer, at) && isNamed()) return true;
  if (lowered.startsWith("set ", at) || /_header|config set /.test(before)) return true;
  const said = lowered.slice(at, at + 600);
  if (SAYS_VALUE.test(said) || WHOSE.test(said)) return true;
  if (GIVEN.test(upTo(lowered, nameEnd, 200)) && ODD_WORD.test(said)) return true;
  return isColumn(lowered, closer, at);
}

/** What goes on behind the call that a name is given to: another one, or what counts in its place. */
const CALLED = /^(?:\)?\.|,|(?:[ \t]|\\t){0,4}(?:\|\||\?\?|\?:|or[ \t\\]|\{))|unwrap/;
const CREATED = /create[a-z \t\\]{1,80}secret/;
/** What is told with a password: who uses it, or what else stands in a row. */
const GIVEN =
  /(?:us(?:e|ing)|with|user(?:[ _-]?name)?[:=]?|login[:=]?) |(?:user(?:[ _-]?name)?|login)[:=]|(?:^|[\r\n,;"'→+-]|\\[nrt]) ?pass(?:word|wd|phrase)$/;
const ODD_WORD = /^(?:[^\s"'`\\<>|]|\\[ubf]){0,256}[\d!#$%^&*+=?~§@]/;
/** What stands before a name with its value in quotes behind it, and no sign between. */
const NAMED_BEFORE = /user|role|with|store|key|insert|def|setq|_header|:[\w.-]*$/;

/** Whether a name is the first in a list or a tuple. */
function beginsPair(lowered: string, nameEnd: number): boolean {
  let at = nameEnd - 1;
  while (nameEnd - at < 100 && isTokenCode(lowered.charCodeAt(at))) at--;
  while (nameEnd - at < 200 && isCloser(lowered, at)) at--;
  return "[({:".includes(lowered[at] ?? " ");
}

/** `password    x1y2z3` of a table: two blanks or a tab at least, then one word with a digit or a sign. */
function isColumn(lowered: string, closer: number, at: number): boolean {
  return /^(?: {2}|\t|\\t)/.test(lowered.slice(closer, at)) &&
    /^[^\s|]{6}/.test(lowered.slice(at, at + 6));
}

function isQuoted(lowered: string, closer: number, at: number): boolean {
  for (let index = closer; index < at; index++) if (`"'`.includes(lowered[index]!)) return true;
  return false;
}

/** Whether a name is one of several with commas between, as the head of a table has them. */
function isCell(lowered: string, nameEnd: number, closer: number): boolean {
  const next = lowered[closer] ?? "";
  const endsLine = next === "\n" || next === "\r" || next === "\\";
  if (next !== "," && !endsLine && next !== '"') return false;
  let start = nameEnd;
  while (nameEnd - start < 64 && isCellCode(lowered.charCodeAt(start - 1))) start--;
  while (lowered[start] === " ") start++;
  const isFirst = next === "," && isTokenCode(lowered.charCodeAt(closer + 1));
  const previous = lowered[start - 1] ?? "";
  if (endsLine && lowered.slice(nameEnd, nameEnd + 1_000).includes("-+-")) return true;
  if (isFirst || ",|\t\\".includes(previous) && previous !== "") return true;
  if (previous !== '"') return false;
  let before = start - 2;
  while (lowered[before] === "\\") before--;
  if (lowered[before] === ",") return true;
  // `"password","user"` as the first line of a table in quotes
  const isLine = before < 0 || '\r\n"n'.includes(lowered[before]!);
  return isLine && QUOTED_HEAD.test(lowered.slice(closer, closer + 24));
}
const QUOTED_HEAD = /^\\{0,7}",\\{0,7}"[a-z]/;

/** What a cell has: also blanks between its words. */
function isCellCode(code: number): boolean {
  return code === 32 || isTokenCode(code);
}

function skipClosers(lowered: string, from: number): number {
  let at = from;
  while (at - from < 64 && isCloser(lowered, at)) at++;
  return at;
}

function isSuffix(rest: string): boolean {
  const tail = rest.startsWith("orization") ? rest.slice(9) : rest;
  const bare = tail[0] === "_" || tail[0] === "-" ? tail.slice(1) : tail;
  return tail === "" || tail === "e" || SUFFIXES.includes(bare) || /^\d{1,2}$/.test(bare);
}

/** Quotes, brackets and white space, also as `\n` and `\t`. */
export function isCloser(lowered: string, at: number): boolean {
  const char = lowered[at] ?? "x";
  return "\\\"'` \t\r\n]".includes(char) || "nrt".includes(char) && lowered[at - 1] === "\\";
}

/** Whether markup may begin, or a comment in it end. */
function isTag(lowered: string, at: number): boolean {
  return lowered[at] === "<" || lowered.startsWith("-->", at);
}

function isElementStart(char = "<"): boolean {
  return !"()[]{}<>,;= \\\"'`".includes(char);
}

/** Letters, digits, `_` and `-`; not the NaN behind the end of a text. */
export function isTokenCode(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code >= 48 && code <= 57 ||
    code === 95 || code === 45;
}

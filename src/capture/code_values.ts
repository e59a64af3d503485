/** Whether what stands behind a secret name without quotes is source code: calls, paths to members, keywords, names. */
import { isScrambled } from "./secret_runs.ts";
import { isBarePass, isRandom } from "./secret_names.ts";

/** Words that stand where a value would. */
export const KEYWORD =
  /^(?:await|new|async|function|typeof|return|self|this|super|not|lambda|if|is|in|and|or|the|an?|to|for|with|flags?|options?|arguments?)$/;
/** What a sentence says of an option. */
const OF_OPTION =
  /^(?:are|was|were|be|does|did|has|had|have|must|can|cannot|may|might|should|shall|will|would|could|needs|takes|when|where|instead|before|after|without|because|but|that|which|then)$/;
/** What begins like this is no value. */
export const STRUCTURE = new RegExp(
  String
    .raw`^(?:[<({]|&(?:lt|#60|#x3[cC]);|[|>][-+\d]{0,2}$|\$\{\{|\[(?!redacted:)|\[redacted:[a-z\d-]+\][)\]}>,;.|&]*(?:$|<$)|!(?:Ref|Sub|GetAtt|env|ENV|secret|vault)\b|&(?:$|mut$|str\b|\[)|` +
    // A pattern that is searched for, and where a secret is kept.
    String.raw`\.[*+]|\*{3}|%env\(|arn:aws[a-z-]*:|projects/[\w-]+/secrets/|` +
    // A place in a format, a comment, what is in a variable, a regular expression.
    String
      .raw`%(?:\(\w{1,40}\)|[-\d.]{0,4})[sdrvwqxf](?![\w%])|#$|\$[A-Za-z_]\w{0,40}(?:/|->)|/\^)`,
);
/** Text in quotes that is none by itself: places in a format, what stands between the parts of a list, the number of an object, a pattern. */
const FORMAT =
  /^(?:(?:Bearer|Basic|Token) )?(?:%[-\d.]{0,4}[sdrvwqxf]|[\s,;:.|/-])+$|^(?:\d{1,9}\.){5,20}\d{1,9}$|^\(\?[:=!]/i;

/** Whether a quoted text is a form for others. */
export function isFormat(quoted: string): boolean {
  return FORMAT.test(quoted);
}
const CALL = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*!?[([<]/;
const PATH = /^(?:[A-Za-z_$][\w$]*(?:\?\.|\.|::|->))+[A-Za-z_$][\w$]*!?$/;
const OWN_NAME = /(?:pass(?:wor[dt]|wd|phrase)?|kennwort|pwd|secret|token|key|auth)\d?$/i;
const CODE_ROOT =
  /^(?:self|this|args|config|settings|opts|options|env|req|request|res|response|ctx|context|user|data|params|props|state|input|body|headers)\b/;

const PASS_CODE = /^[!~+]|[=!<>]=|&&|\|\||^-?[\d.]{1,6}(?:%|m?s|x|\/\d{1,6})?$/;

/** How a value was found. */
export interface Unquoted {
  readonly name: string;
  readonly separator: string | undefined;
  /** Nobody puts spaces there: `NAME=value`, `--name value`. */
  readonly isTight: boolean;
}

/** What stands at a value and behind it. */
export interface Surroundings extends Unquoted {
  readonly beginning: string;
  readonly after: string;
  /** From the value to the end of its line, or to a quote, that included. */
  readonly line: string;
}

/** Whether an unquoted value is plainly a piece of a program. */
export function isCode(value: string, around: Surroundings): boolean {
  const { name, separator, isTight, beginning, after } = around;
  if (value === "" || KEYWORD.test(value)) return true;
  if (separator === undefined && OF_OPTION.test(value) && /^ [a-z]/.test(after)) return true;
  if (CALL.test(beginning)) {
    const isAlone = around.line.trim() === value;
    return goesOn(around.line) || !(isAlone || /\d/.test(value) || isScrambled(value));
  }
  if (isScrambled(value) && !CODE_ROOT.test(value) && !OWN_NAME.test(value)) return false;
  if (isBarePass(name)) {
    if (PASS_CODE.test(value) || PATH.test(value)) return true;
    if (!isTight && separator === "=" && value.length < 6) return true;
  }
  if (/^[\d._]+$/.test(value)) {
    return value.length < 3 || value.length < 6 && !/(?:wor[dt]|wd|phrase|secret)$/i.test(name);
  }
  // Go has no values without quotes; a name in capitals is that of a Makefile.
  if (separator === ":=" && name !== name.toUpperCase() && /^[A-Za-z_]\w*$/.test(value)) {
    return !isRandom(value);
  }
  if (isTight && name === name.toUpperCase()) return false;
  if (/^@[\w.-]+$/.test(value) && OWN_NAME.test(value)) return true;
  if (PATH.test(value)) return !isTight || isMember(value);
  if (isTight) return /^[A-Za-z_]+$/.test(value) && OWN_NAME.test(value);
  if (/^[A-Za-z_$]*\d?$/.test(value) && OWN_NAME.test(value)) return true;
  if (!/^[A-Za-z_$][A-Za-z_]*\$?$/.test(value)) return false;
  const endsLine = /^(?:$|[\r\n]|\\[nr])/.test(after);
  return separator !== ":" || !endsLine || /[A-Z_$]/.test(value);
}

/** Whether a value is the path to a member of what programs have, or to one with a secret name: `self.credentials.token`. */
export function isMember(value: string): boolean {
  return PATH.test(value) && (CODE_ROOT.test(value) || OWN_NAME.test(value));
}

/** Whether brackets that a line opens are closed in it, or in a line below. */
function goesOn(line: string): boolean {
  return /[)\]>]|[^\w\s"'`]\s*$|[^\w"'`][bfru]{0,2}["'`]$/i.test(line);
}

/** Finds the lines of an agent's text that ask a person something. */

/** The kind of answer, in the order of the checks. */
export type QuestionType = "confirmation" | "permission" | "choice" | "input";

export interface Question {
  readonly type: QuestionType;
  readonly text: string;
  /** The answers in `[a/b/c]`, `(1, 2)` or `a | b`; empty when it names none. */
  readonly options: readonly string[];
}

/** Longer lines are no questions. */
const MAX_LENGTH = 1000;

/** A line of a list, which below a question is an answer that it offers. */
const LISTED = /^\s*(?:[-*•]|\(?\w{1,2}[.)])\s+\S/;

/** The end of a line that asks for yes or no. */
const YES_OR_NO =
  /(?:[([]\s*(?:y(?:es)?\s*[/|]\s*no?)\s*[)\]]|\byes\s*\/\s*no|\byes or no)\s*[?:]?$/i;
const CONFIRMATION =
  /\b(?:proceed|continue|confirm)\b[^.!]{0,20}\?$|\b(?:to|please) (?:proceed|continue|confirm):?$/i;
const PERMISSION = /\b(?:allow|permission|authori[sz]e|grant access|approve)\b|\baccess\s*\?$/i;
const CHOICE = /\b(?:select|choose|which|options?)\b/i;

/** How lines of programs, diffs, data and logs begin, or what they hold. */
const NO_PROSE =
  /^\s*(?:\/\/|\/\*|\*\/|#!|<[/!a-z]|[+@]|-(?!\s)|[{[]\s*["{[]|["'`]|[}\])]|\$\s|\d{4}-\d\d-\d\d)|=>|[=!]==?|&&|\|\||[;{}\\]\s*$|\w\(.*\)\s*\?$|\(\?[:=!<]/i;

/** The question that a line asks; null when it asks none. Program text, data, addresses and quotations are no questions. */
export function detectQuestion(line: string): Question | null {
  const text = line.trim();
  if (text === "" || text.length > MAX_LENGTH || NO_PROSE.test(text)) return null;
  // Quotations and addresses cannot ask.
  const prose = text
    .replace(/^(?:>\s*|[*-]\s+|\d+[.)]\s+|#+\s+)+/, "")
    .replace(/\*\*|__/g, "")
    .replace(/`[^`]*`|"[^"]*"|“[^”]*”/g, "_")
    .replace(/\w+:\/\/\S*/g, "_")
    .replace("？", "?")
    .trim();
  const options = optionsOf(prose);
  const type = typeOf(prose, options);
  return type === null ? null : { type, text, options };
}

/**
 * The question that a text ends with, with or without a list of answers below it; fences do not count. Null for any
 * other end: an agent that goes on after a question does not wait for an answer.
 */
export function lastQuestion(text: string): Question | null {
  const lines = text
    .replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, "")
    .split("\n").filter((line) => line.trim() !== "");
  return detectQuestion(lines.at(-1) ?? "") ??
    detectQuestion(lines.findLast((line) => !LISTED.test(line)) ?? "");
}

function typeOf(prose: string, options: readonly string[]): QuestionType | null {
  if (YES_OR_NO.test(prose) || CONFIRMATION.test(prose)) return "confirmation";
  const asks = /\?$/.test(withoutOptions(prose));
  if (PERMISSION.test(prose) && asks) return "permission";
  if (CHOICE.test(prose) && options.length > 1 && (asks || /:$/.test(withoutOptions(prose)))) {
    return "choice";
  }
  // A single word with a question mark is more likely a name (`empty?`).
  return asks && /\S\s+\S/.test(prose) ? "input" : null;
}

/** Answers in brackets at the end of a line, perhaps before its mark. */
const BRACKETS = /\s*[[(]([^[\]()]+)[\])]\s*([?:]?)$/;
/** `a | b` after a mark. */
const BARS = /([?:])\s+([^?:|]+(?:\|[^?:|]+)+)\??$/;

/** `Which one? [a/b]` and `Which one [a/b]?` both as `Which one?`. */
function withoutOptions(prose: string): string {
  return BARS.test(prose) ? prose.replace(BARS, "$1") : prose.replace(BRACKETS, "$2");
}

function optionsOf(prose: string): string[] {
  const bars = BARS.exec(prose)?.[2];
  if (bars !== undefined) return split(bars, "|");
  const inside = BRACKETS.exec(prose)?.[1];
  if (inside === undefined || /^(?:e\.g\.|i\.e\.|for example|such as)/i.test(inside)) return [];
  const separator = ["|", "/", ","].find((sign) => inside.includes(sign));
  return separator === undefined ? [] : split(inside, separator);
}

/** Answers are short; longer texts in brackets are remarks. */
function split(text: string, separator: string): string[] {
  const options = text.split(separator).map((one) => one.trim()).filter((one) => one !== "");
  return options.length <= 20 && options.every((one) => one.length <= 60) ? options : [];
}

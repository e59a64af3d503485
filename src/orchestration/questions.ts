/** Which lines of an agent's text ask a person something. */

/** What kind of answer is asked for, in the order in which they are looked for. */
export type QuestionType = "confirmation" | "permission" | "choice" | "input";

/** A question, as an agent has put it. */
export interface Question {
  readonly type: QuestionType;
  /** The line, without white space around it. */
  readonly text: string;
  /** The answers that it names: of `[a/b/c]`, `(1, 2)` or `a | b`; empty when it names none. */
  readonly options: readonly string[];
}

/** Longer lines are no question to anyone. */
const MAX_LENGTH = 1000;

/** A line of a list: below a question the answers that it offers. */
const LISTED = /^\s*(?:[-*•]|\(?\w{1,2}[.)])\s+\S/;

/** What stands at the end of a line and asks for yes or no. */
const YES_OR_NO =
  /(?:[([]\s*(?:y(?:es)?\s*[/|]\s*no?)\s*[)\]]|\byes\s*\/\s*no|\byes or no)\s*[?:]?$/i;
const CONFIRMATION =
  /\b(?:proceed|continue|confirm)\b[^.!]{0,20}\?$|\b(?:to|please) (?:proceed|continue|confirm):?$/i;
const PERMISSION = /\b(?:allow|permission|authori[sz]e|grant access|approve)\b|\baccess\s*\?$/i;
const CHOICE = /\b(?:select|choose|which|options?)\b/i;

/** What a line of a program, of a diff, of data or of a log begins with, or has in it. */
const NO_PROSE =
  /^\s*(?:\/\/|\/\*|\*\/|#!|<[/!a-z]|[+@]|-(?!\s)|[{[]\s*["{[]|["'`]|[}\])]|\$\s|\d{4}-\d\d-\d\d)|=>|[=!]==?|&&|\|\||[;{}\\]\s*$|\w\(.*\)\s*\?$|\(\?[:=!<]/i;

/**
 * The question that a line asks; null when it asks none. Program text, data, addresses and quotations are not read as
 * questions: a mark at their end is part of them.
 */
export function detectQuestion(line: string): Question | null {
  const text = line.trim();
  if (text === "" || text.length > MAX_LENGTH || NO_PROSE.test(text)) return null;
  // Emphasis goes; what is quoted, and what is an address, cannot ask.
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
 * The question that a text ends with, program text in fences aside, with the list of its answers below it or without one.
 * Null when it ends with anything else: an agent that goes on after a question does not wait for an answer.
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
  // One word with a mark is rather a name (`empty?`) than a question.
  return asks && /\S\s+\S/.test(prose) ? "input" : null;
}

/** Brackets with answers at the end of a line, perhaps before its mark. */
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

/** Answers are short; anything else is a remark in brackets. */
function split(text: string, separator: string): string[] {
  const options = text.split(separator).map((one) => one.trim()).filter((one) => one !== "");
  return options.length <= 20 && options.every((one) => one.length <= 60) ? options : [];
}

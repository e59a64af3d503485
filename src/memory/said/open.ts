/** What Claude says is still open, in the last messages of a session. */
import type { ObservationKind, ObservedFacts } from "../observation.ts";
import { describesIt } from "./behaviour.ts";
import { clausesLeft } from "./clauses.ts";
import { foundIn, withoutWhy } from "./person.ts";
import { inContext } from "./fragments.ts";
import { isSignedDone, signedLines } from "./signs.ts";
import { type Line, tableAt, tableOfLeftAt } from "./tables.ts";
import { isTakenBack, NONE_BEHIND } from "./taken_back.ts";
import { HEADING, LEADS_TO_LEFT, leftIn, TELLS } from "./words.ts";
import { tellingWords } from "../telling_words.ts";
import { shortened } from "../text.ts";
import { isOwnMessage } from "../turns.ts";

const MAX_CHARS = 240;
const MAX_ITEMS = 6;
/** After these, what was said to be open before may be done. */
const WORK: ReadonlySet<ObservationKind> = new Set(["edit", "commit", "fix", "test", "task"]);
/** A message of such words alone takes nothing back of the one before it. */
const POLITE =
  /^(?:\W*\b(?:ok(?:ay)?|understood|noted|got it|sure|thanks?(?: you)?|you(?:'|’)?re welcome|my pleasure|glad to help|great|sounds good|will do|good ?night|bye|alright|verstanden|alles klar|gern(?: geschehen)?|entendido|de nada|de rien)\b)+\W*$/i;
const MAX_POLITE_CHARS = 80;

/** Words before those that say that something is left, by which nothing is, … */
const NOTHING = /\b(?:no|nothing|none|without)\b/i;
/** … but for what is said in another clause than these are: `There are no retries yet, and the docs …`. */
const OTHER_CLAUSE =
  /^.*[,;] (?:and|but) (?=(?:the|an?|I|we|it|its|they|their|this|that|these|those|our|my|there)\b)/i;
/** What is shown, not said. */
const QUOTED = /```[\s\S]*?```|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”/g;
/** What stands before a thing on a list that begins with what is shown, which is a part of it. */
const BEGINS_ITEM = /(?:^|\n)[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?[*_]{0,3}$/;
const MAX_MARK_CHARS = 40;
/** A full stop within a name ends none. */
const SENTENCES = /(?:[^.!?。！？\n]|[.!?](?=\S))+/g;
/** A line of a list: how far it stands in, whether it is ticked, what it says. */
const LIST_LINE = /^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(.*)$/;
/** What is struck through is over. */
const STRUCK = /^~~.+~~/;
/** Of several ways one may have been chosen, as is said behind them. */
const OPTIONS =
  /\b(?:options?|choices?|approaches|possibilities|ways|alternatives|candidates)\b[^.!?]*$/i;
const CHOSEN =
  /\b(?:I|we)(?:['’]ve| have|['’]ll| will)?(?: now)? (?:went|gone|go|chose|chosen|picked|pick|took|taken|settled|opted|decided|used|selected)\b/i;
const ENDS_WITH_COLON = /[:：][\s*_]*$/;
/** A heading, or a line that is bold as a whole. */
const TITLE = /^\s*#{1,6}\s|^\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*$/;
const LOOKED_AROUND_CHARS = 300;
/** Between the clauses of what is left, and before a question that ends it. */
const CLAUSE_ENDS = /; |,? but |, so /;
const CLAUSE_ENDS_OF_QUESTION = /; |,? but |, so |[:：] | [-–—] /;
const ASKS = /[?？]\W*$/;

/** Something that is said to be left. */
export interface SaidLeft {
  readonly text: string;
  /** Which of the things on the lists of its message it is, from 1. */
  readonly nth?: number;
}

/**
 * What a message says is left, each as it says it: sentences, and the lines of a list below words that say so, but for
 * those that are ticked. Empty when it says nothing of that.
 *
 * @param options `isAnswer`: it was asked for what is left, so every list is of that.
 */
export function saidLeft(
  message: string,
  { isAnswer = false }: { readonly isAnswer?: boolean } = {},
): SaidLeft[] {
  const plain = withoutQuoted(message);
  const lines = linesOf(plain);
  const found = new Map<string, SaidLeft>();
  const keep = (from: number, to: number, nth?: number) => {
    const said = message.slice(from, to).replace(/\s+/g, " ").replace(/^[-*+•#>]+ |[,;]$/g, "")
      .trim();
    const text = shortened(said, MAX_CHARS);
    if (text !== "" && !found.has(text)) {
      found.set(text, { text, ...(nth === undefined ? {} : { nth }) });
    }
  };
  let counted = 0;
  const signed = signedLines(lines.map(({ text }) => text));
  for (let n = 0; n < lines.length && found.size < MAX_ITEMS; n++) {
    const line = lines[n]!;
    const sign = signed[n]!;
    if (sign?.isLeft === true) keep(endOf(line) - sign.said.length, endOf(line));
    if (sign !== null) continue;
    const table = tableOfLeftAt(lines, n);
    if (table !== null) {
      for (const row of table.items) keep(row.at, endOf(row), ++counted);
      n = table.last;
      continue;
    }
    const [, , tick, said = ""] = LIST_LINE.exec(line.text) ?? [];
    const isTask = tick === " " && !STRUCK.test(said);
    if (isTask) keep(line.at + line.text.length - said.length, line.at + line.text.length);
    if (tick !== undefined) continue;
    const isHeading = HEADING.test(line.text) || leadsToLeft(lines, n, isAnswer);
    const sentences = HEADING.test(line.text) ? [] : leftSentences(plain, line);
    const last = sentences.at(-1);
    const isEnd = last !== undefined && endOf(last) === endOf(line) &&
      (isHeading || ENDS_WITH_COLON.test(last.text) || isTitleOfList(lines, n));
    const isLead = (isHeading || isEnd) && !NONE_BEHIND.test(plain.slice(endOf(line)));
    for (const one of isEnd && (isLead || isHeading) ? sentences.slice(0, -1) : sentences) {
      // One that says little is told with what follows.
      keep(
        one.at,
        tellingWords(one.text).size === 0 ? paragraphEnd(plain, one.at) : endOf(one) + 1,
      );
    }
    const below = lineBelow(lines, n);
    if (!isLead || signed[below] != null && !LIST_LINE.test(lines[below]!.text)) continue;
    const list = listBelow(lines, n + 1);
    n = list.last;
    if (OPTIONS.test(line.text) && CHOSEN.test(plain.slice(endOf(lines[n]!)))) continue;
    for (const item of list.items) keep(item.at, endOf(item), ++counted);
  }
  return [...found.values()].slice(0, MAX_ITEMS);
}

/** Blanks in the place of what is shown. */
function withoutQuoted(message: string): string {
  return message.replace(QUOTED, (quoted, at: number) => {
    const isItem = BEGINS_ITEM.test(message.slice(Math.max(0, at - MAX_MARK_CHARS), at));
    return (isItem ? quoted[0]! : " ").padEnd(quoted.length);
  });
}

/** {@linkcode saidLeft} as texts alone. */
export function leftOpenIn(message: string): string[] {
  return saidLeft(message).map(({ text }) => text);
}

/** The number of the next line, or of the one behind it where that is empty. */
function lineBelow(lines: readonly Line[], at: number): number {
  return lines[at + 1]?.text.trim() === "" ? at + 2 : at + 1;
}

/** Whether a line is the title of a list below it. */
function isTitleOfList(lines: readonly Line[], at: number): boolean {
  return LIST_LINE.test(lines[lineBelow(lines, at)]?.text ?? "") && TITLE.test(lines[at]!.text);
}

/** Whether a list stands below a line, and the end of that says that it is of what is left, or all of them are. */
function leadsToLeft(lines: readonly Line[], at: number, isAnswer: boolean): boolean {
  const below = lineBelow(lines, at);
  const isList = LIST_LINE.test(lines[below]?.text ?? "");
  if (!isList && lines[below]?.text.includes("|") !== true) return false;
  const end = lines[at]!.text.slice(-LOOKED_AROUND_CHARS);
  const said = end.replace(/[\s*_:：.。]{1,20}$/, "").split(/[.!?。！？]\s/).at(-1) ?? "";
  const isEnd = ENDS_WITH_COLON.test(lines[at]!.text) || lines[at]!.text.endsWith("。");
  const isLead = isAnswer
    ? said !== ""
    : isEnd && LEADS_TO_LEFT.test(said) && !NOTHING.test(said) && !TELLS.test(said);
  return isLead && (isList || tableAt(lines, below) !== null);
}

/** The clause of what is left that says so, where the others say what is done, or ask what is to be decided for it. */
export function leftClauseOf(item: string): string {
  const thing = withoutWhy(foundIn(item));
  if (thing !== item) return thing;
  const clauses = item.split(ASKS.test(item) ? CLAUSE_ENDS_OF_QUESTION : CLAUSE_ENDS);
  return clauses.find((clause) => leftIn(clause).length > 0 && tellingWords(clause).size > 1) ??
    item;
}

function linesOf(text: string): Line[] {
  let at = 0;
  return text.split("\n").map((line) => {
    const one = { text: line, at };
    at += line.length + 1;
    return one;
  });
}

function endOf({ text, at }: Line): number {
  return at + text.length;
}

function paragraphEnd(text: string, from: number): number {
  const end = text.indexOf("\n\n", from);
  return Math.min(end < 0 ? text.length : end, from + LOOKED_AROUND_CHARS);
}

/** The sentences of a line that say that something is left. */
function leftSentences(plain: string, line: Line): Line[] {
  const found: Line[] = [];
  let before: Line | undefined;
  let last: Line | undefined;
  for (const { 0: text, index } of line.text.matchAll(SENTENCES)) {
    const sentence = { text, at: line.at + index };
    const context = before;
    before = sentence;
    const lefts = leftIn(text).values().filter((left) => isLeftThere(plain, sentence, left))
      .take(MAX_ITEMS).toArray();
    if (lefts.length === 0) continue;
    const told = inContext(sentence, context, { line, isTold: context === last });
    if (told === sentence) found.push(...clausesLeft(sentence, lefts));
    else if (told !== null) found.push(told);
    last = sentence;
    if (found.length >= MAX_ITEMS) break;
  }
  return found;
}

/** Whether something is left as a sentence seems to say. */
function isLeftThere(plain: string, sentence: Line, left: RegExpExecArray): boolean {
  const { text } = sentence;
  const ahead = text.slice(Math.max(0, left.index - LOOKED_AROUND_CHARS), left.index);
  const own = `${ahead}${left[0]}`.replace(OTHER_CLAUSE, "").slice(0, -left[0].length);
  if (NOTHING.test(own)) return false;
  const behind = text.slice(left.index + left[0].length).slice(0, LOOKED_AROUND_CHARS);
  if (describesIt({ before: ahead, left: left[0], behind })) return false;
  const from = sentence.at + left.index + left[0].length;
  return !isTakenBack(plain, { from, end: endOf(sentence) });
}

/** The list that begins behind some lines, or the paragraph where none does: what is open of it, and its last line. */
function listBelow(
  lines: readonly Line[],
  from: number,
): { readonly items: readonly Line[]; readonly last: number } {
  const table = tableAt(lines, lineBelow(lines, from - 1));
  if (table !== null) return table;
  const items: Line[] = [];
  let depth: number | null = null;
  let last = from - 1;
  for (let n = from; n < lines.length; n++) {
    const { text, at } = lines[n]!;
    if (text.trim() === "" && (depth !== null || n === from)) continue;
    const [, indent = "", tick, said = ""] = LIST_LINE.exec(text) ?? [];
    if (said === "") {
      const isTold = depth === null && items.length === 0 && !HEADING.test(text);
      return isTold ? { items: [lines[n]!], last: n } : { items, last };
    }
    depth ??= indent.length;
    last = n;
    const isOpen = tick !== "x" && tick !== "X" && !NONE_BEHIND.test(said) && !STRUCK.test(said) &&
      !isSignedDone(said);
    if (isOpen && indent.length <= depth) {
      items.push({ text: said, at: at + text.length - said.length });
    }
  }
  return { items, last };
}

/**
 * The session's own message that tells it best: the last one, or one before it that says what is left, when nothing but polite
 * words came after that. Undefined when there is none.
 *
 * @param parts Oldest first.
 */
export function tellingMessage<
  Part extends {
    readonly kind: ObservationKind;
    readonly text: string;
    readonly facts: ObservedFacts;
  },
>(parts: readonly Part[]): Part | undefined {
  const last = parts.findLast(isOwnMessage);
  for (const part of parts.toReversed()) {
    if (WORK.has(part.kind)) break;
    if (!isOwnMessage(part)) continue;
    if (leftOpenIn(part.text).length > 0) return part;
    if (part.text.length > MAX_POLITE_CHARS || !POLITE.test(part.text)) break;
  }
  return last;
}

/**
 * What stands in front of the lines of a text and is none of theirs: the signs of a diff, numbers, names of files, times,
 * comment signs, quotes. Without it the lines are the text that somebody wrote.
 */
import { NAME, SUFFIX } from "./secret_names.ts";

/** A text without what stands in front of its lines. */
export interface BareText {
  readonly text: string;
  /** Where a part of it stands in the text that it was taken from, a span for each line. */
  readonly spansOf: (start: number, end: number) => readonly LineSpan[];
}

/** A part of a line. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** A line as it stands in the whole text. */
interface Line {
  /** Behind what is no part of it. Its signs follow, for which it has blanks. */
  readonly start: number;
  /** Where its words start. */
  readonly words: number;
  readonly end: number;
  /** What ends it. */
  readonly ending: string;
  /** Where the dash stands that makes it an item of a list, or where its words start. */
  readonly item: number;
  /** Whether something stands in front of it. */
  readonly isLed: boolean;
  /** The signs of a diff in front of it: which of its files the line is in. */
  readonly column: string;
}

/** Lines one below the other that have blanks in common where their signs were. */
interface Run {
  readonly lines: readonly Line[];
  /** How many they have in common. */
  readonly indent: number;
}

/** Where lines end, also in what is quoted within JSON. */
const LINE_BREAK = /(\r?\n|\r|\\{1,7}[nr])/;
const TAB = String.raw`(?:\t|\\{1,7}t)`;
/** A part of a path. */
const PATH = String.raw`[^\s:"'\x60=,;|<>(){}*?]`;
const DATE = String.raw`\d{4}-\d\d-\d\d`;
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ \t]?[+-]\d\d:?\d\d)?`;
const LEVEL = "(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)";

/** In the order in which they stand, each at most once; one of several is parted by `|`. */
const LEADS: readonly string[] = [
  // job<tab>step<tab>time of a workflow, `web-1  | ` of compose, `[pod/web] ` of Kubernetes
  String.raw`[^\t\r\n]{1,80}\t[^\t\r\n]{1,80}\t\ufeff?(?=${DATE})|` +
  String
    .raw`[\w.-]{1,60}[ \t]{1,40}\|(?![^\r\n|]{0,200}[^\s:|][ \t]{0,20}\|[ \t]*$)|\[(?:pod/)?[\w./-]{1,160}\](?=[ \t])`,
  // a1b2c3d (Ana 2026-01-01 10:00:00 +0100 12) of a blame
  String
    .raw`\^?[\da-f]{7,40}[ \t](?:[^\s()]{1,200}[ \t]{1,40})?\([^()\r\n]{1,100}?${DATE}[^()\r\n]{0,40}\)|` +
  // path:12:, path:12:5:, path-12-; not the port of a database
  String.raw`(?=[\w./~@])(?!${DATE}|${CLOCK}|\d{1,7}[:-])(?:[A-Za-z]:)?${PATH}{1,200}?` +
  String.raw`(?::(?!543\d:|6432:)\d{1,7}(?::\d{1,5})?:|-\d{1,7}-)|` +
  // path: of a file that a search names
  String
    .raw`(?:(?=[\w./~@])${PATH}{0,200}/[\w.-]{1,100}|[\w-][\w.-]{0,100}\.[a-z]{1,5}(?=:\S)):(?!//)`,
  // 12→, 12<tab>, 12 │, 12:, 12-
  String
    .raw`(?![ \t]{0,10}(?:${DATE}|${CLOCK}))[ \t]{0,10}\d{1,7}(?:→|${TAB}|[ \t]{0,2}[│┃|]|[:-])`,
  // times of a log, with what may stand beside them
  String.raw`[ \t]{0,4}\[?(?:${DATE}[T \t])?${CLOCK}\]?(?:[ \t]{1,4}\[?${LEVEL}\b\]?:?)?|` +
  String
    .raw`[A-Z][a-z]{2}[ \t]{1,2}\d{1,2}[ \t]${CLOCK}[ \t][\w.-]{1,60}[ \t][\w./-]{1,60}(?:\[\d{1,8}\])?:|` +
  String.raw`#\d{1,4}[ \t]\d{1,5}\.\d{1,3}(?=[ \t])`,
  // ana@host:~#
  String.raw`[\w.-]{1,40}@[\w.-]{1,60}[: \t][^\s#$%]{0,100}[#$%](?=[ \t])`,
];
/** The dash of an item in a list of a grammar's tokens, which are no secrets. */
const ITEM = String.raw`-[ \t][Tt]oken:`;
/** What is a sign in front of a line: of a diff, a comment, a quotation, a list, a command. */
const SIGNS = String.raw`[ \t]{0,40}(?:(?:(?![-+]{4})(?:(?!${ITEM})[-+]){1,3}(?!-{1,2}[ \t]*$)|` +
  // Not a rule of a style sheet.
  String.raw`#{1,6}(?![\w-]{1,60}:[\w-])|//[/!]?|>{1,3}|;{1,2}|` +
  String.raw`\*{1,2}(?=[ \t\w])|[<$%❯➜](?=[ \t]))[ \t]{0,20}(?=[^\s])){1,4}`;
/** A line between two documents or below the head of a table, behind the signs of a diff. */
const RULE = /[-+ ]{1,2}(?=---[ \t]*$)|[-+](?=-{2,80}(?:\+-{2,80}){1,80}[ \t]*$)/y;
/** The head of a hunk of a merge, whose lines have a sign for each of two files. */
const MERGED = /(?:^|[\r\n]|\\n)@@@ /;
/** Nothing but its sign. Such a line goes between others. */
const EMPTY = /^[-+#>;*/]{0,2}[ \t]*$/;
/** A look at so many costs little more than one at a few. */
const GROUP_CHARS = 1_000;
/** Between lines that do not follow each other: no rule reads on over it. */
const ELSEWHERE = "\n.\n";
const CLOSER = "(?:\\\\{0,7}[\"'\`])?";
/** A line in quotes, as an item of a list. */
const QUOTED = /^[ \t]{0,40}(["'`])(?=.*[^\s\\"'`,])(?:(?!\1)[^\\]|\\.)*\1,?[ \t]*$/;

let lead: RegExp | undefined;
let signs: RegExp | undefined;
/** The name of a list of secrets, or an option for one, and nothing behind it. */
let list: RegExp | undefined;

/**
 * The text without what stands in front of its lines: once, or for each of the files of a diff. Lines that belong together
 * are left out where nothing stands in front of any, or where `isSuspect` says no to what they hold. None where none is
 * left. Takes time linear in the text.
 */
export function bareTexts(
  text: string,
  isSuspect: (lines: string) => boolean,
): readonly BareText[] {
  lead ??= new RegExp(LEADS.map((forms) => `(?:${forms})?`).join(""), "y");
  signs ??= new RegExp(SIGNS, "y");
  const runs = groupsOf(runsOf(text, linesOf(text)))
    .filter((group) => isSuspect(bareText(text, group).text)).flat();
  if (runs.length === 0) return [];
  const columns = new Set(runs.flatMap(({ lines }) => lines.map(({ column }) => column)));
  return filesOf([...columns]).flatMap((isIn) => {
    const own = runs.map((run) => ({ ...run, lines: run.lines.filter(isIn) }));
    const bare = bareText(text, own);
    return own.some((run) => hasList(text, run)) ? [bare, bareText(text, own, true)] : [bare];
  });
}

type IsInFile = (line: Line) => boolean;

/** The files that the lines of a diff come from: the new one, and each old one. */
function filesOf(columns: readonly string[]): readonly IsInFile[] {
  const isNew = ({ column }: Line) => !column.includes("-");
  const width = Math.max(...columns.map((column) => column.length));
  const isAlone = !columns.some((column) => column.includes("+")) && width < 2;
  if (isAlone || !columns.some((column) => column.includes("-"))) return [() => true];
  const old = Array.from({ length: width }, (_, at): IsInFile => (line) => {
    const sign = line.column[at];
    return sign === "-" || sign !== "+" && isNew(line);
  });
  return [isNew, ...old];
}

function linesOf(text: string): Line[] {
  // Every second part is what ends a line.
  const parts = text.split(LINE_BREAK);
  const columns = MERGED.test(text) ? 2 : 1;
  const lines: Line[] = [];
  let at = 0;
  let isArgument = false;
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index]!;
    const ending = parts[index + 1] ?? "";
    const before = parts[index - 2] ?? "";
    isArgument = before.endsWith("(") ||
      before.endsWith(",") && (isArgument || !/["'`],$/.test(before));
    lines.push(lineOf(line, { at, ending, columns, isArgument }));
    at += line.length + ending.length;
  }
  return lines;
}

function lineOf(
  line: string,
  { at, ending, columns, isArgument }: {
    readonly at: number;
    readonly ending: string;
    readonly columns: number;
    /** Its quotes are those of a call's argument, and its own. */
    readonly isArgument: boolean;
  },
): Line {
  let start = line === "" ? 0 : endOf(lead!, line, 0);
  let end = line.length;
  const quote = line === "" || isArgument ? undefined : QUOTED.exec(line.slice(start))?.[1];
  if (quote !== undefined) {
    start = line.indexOf(quote, start) + 1;
    end = line.lastIndexOf(quote);
  }
  const bare = line.slice(0, end);
  if (EMPTY.test(bare.slice(start))) {
    const [all, rest] = [at + end, { ending, isLed: false, column: "" }];
    return { start: all, words: all, item: all, end: all, ...rest };
  }
  const words = Math.max(endOf(RULE, bare, start), endOf(signs!, bare, start));
  const sign = line.slice(start, Math.min(words, start + columns));
  const column = /^[-+ ]*[-+]/.test(sign) ? sign : "";
  // At the beginning of a line, and in front of another one, it is the sign of a diff.
  const dash = line[words] === "-" ? -1 : line.slice(0, words).search(/(?<=.)-[ \t]{1,20}$/);
  return {
    ...{ start: at + start, words: at + words, end: at + end, ending, isLed: words > 0, column },
    item: at + (dash < start ? words : dash),
  };
}

function endOf(pattern: RegExp, line: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(line) ? pattern.lastIndex : from;
}

/** The lines that belong together, without those that have nothing in front. */
function runsOf(text: string, lines: readonly Line[]): Run[] {
  const runs: Run[] = [];
  let run: Line[] = [];
  let indent = Infinity;
  const close = () => {
    if (run.some(({ isLed }) => isLed)) runs.push({ lines: run, indent });
    run = [];
    indent = Infinity;
  };
  for (const line of lines) {
    const { start, words, end, isLed } = line;
    let at = words;
    while (at < end && (text[at] === " " || text[at] === "\t")) at++;
    if (!isLed && at === start && at < end) close();
    else {
      run.push(line);
      if (at < end) indent = Math.min(indent, at - start);
    }
  }
  close();
  return runs;
}

/** Whether an item stands below the name of a list of secrets, or below an option that one follows. */
function hasList(text: string, { lines }: Run): boolean {
  list ??= new RegExp(
    `(?:${NAME}s?${CLOSER}:[ \\t]{0,8}|--[\\w-]{0,60}?${NAME}${SUFFIX})${CLOSER}[ \\t,]{0,8}$`,
    "i",
  );
  let above: Line | undefined;
  for (const line of lines) {
    if (line.words === line.end) continue;
    const isItem = above !== undefined && line.item < line.words;
    if (isItem && list.test(text.slice(above!.words, above!.end))) return true;
    above = line;
  }
  return false;
}

/** Short ones that follow each other are looked at together. */
function groupsOf(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  let chars = Infinity;
  for (const run of runs) {
    if (chars > GROUP_CHARS) {
      groups.push([]);
      chars = 0;
    }
    groups.at(-1)!.push(run);
    chars += run.lines.at(-1)!.end - run.lines[0]!.start;
  }
  return groups;
}

/** @param keepsItems Whether the dash of an item in a list stays. */
function bareText(text: string, runs: readonly Run[], keepsItems = false): BareText {
  /** Where each line starts in the new text. */
  const placed: { readonly line: Line; readonly from: number; readonly at: number }[] = [];
  let bare = "";
  for (const { lines, indent } of runs) {
    for (const line of lines) {
      const from = Math.min(line.end, line.start + indent);
      placed.push({ line, from, at: bare.length });
      const words = Math.max(from, keepsItems ? line.item : line.words);
      bare += text.slice(from, words).replace(/[^ \t]/g, " ") + text.slice(words, line.end) +
        line.ending;
    }
    bare += ELSEWHERE;
  }
  const spansOf = (start: number, end: number) => {
    const spans: LineSpan[] = [];
    for (let index = lastBefore(placed, start); index < placed.length; index++) {
      const { line, from, at } = placed[index]!;
      if (at >= end) break;
      let first = Math.max(line.words, from + Math.max(0, start - at));
      const last = Math.min(line.end, from + end - at);
      while (first < last && /\s/.test(text[first]!)) first++;
      if (first < last) spans.push({ start: first, end: last });
    }
    return spans;
  };
  return { text: bare, spansOf };
}

/** The last place that is not behind a position. */
function lastBefore(placed: readonly { readonly at: number }[], position: number): number {
  let low = 0;
  let high = placed.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (placed[middle]!.at <= position) low = middle;
    else high = middle;
  }
  return low;
}

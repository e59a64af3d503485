/** Tables that tell what is left: below words that say so by all their rows, anywhere else by a column that says how far each is. */
import { isSignedDone } from "./signs.ts";

/** A piece of a message on one line, and where it begins. */
export interface Line {
  readonly text: string;
  readonly at: number;
}

/** The rows of a table that are left, each by the cell that names it, and the number of its last line. */
export interface ToldTable {
  readonly items: readonly Line[];
  readonly last: number;
}

/** The columns of a table by which its rows are told, from 0: that which names them, and how far they are; -1 where none does. */
interface Columns {
  readonly named: number;
  readonly far: number;
  readonly isOfWork: boolean;
}

const SEPARATOR = /^[|:\s]*-[\s|:-]*$/;
const CELL_END = /(?<!\\)\|/g;
/** Columns that name no row. */
const NAMES_NONE =
  /^(?:#|no\.?|nr\.?|id|key|prio(?:rity)?|owner|effort|estimate|size|when|date|status|state|progress|done)?\??$/i;
const TELLS_HOW_FAR =
  /^(?:(?:current )?(?:status|state)|progress|done|stand|fortschritt|estado|état|statut)\??$/i;
/** What is worked on; of orders, jobs, tests and what is compared the same words tell what they are. */
const OF_WORK =
  /^(?:(?:migration |work |open |remaining )?(?:steps?|tasks?|items?|phases?|parts?|pieces?|features?|components?|modules?|areas?|requirements?|milestones?|to-?dos?|things?|actions?|changes?|stor(?:y|ies)|deliverables?|work|what|points?|sections?|goals?)|schritte?|aufgaben?|tareas?|pasos?|tâches?|étapes?)$/i;
const IS_DONE =
  /^(?:\[x\]|✓|(?:(?:all |already )?(?:done|completed?|finished|implemented|merged|shipped)|yes|fertig|erledigt|hecho|listo|fait)\b)/iu;
/** What failed is told as a failure, where it is one. */
const IS_LEFT =
  /^(?!.*\bfail(?:s|ed|ing|ures?)?\b)(?:(?:\[ ?\]|⏳|⌛|🔲|⬜|☐|🚧|🔄|❌|✗|✘)|(?:not (?:yet )?(?:started|begun|done|finished|complete|implemented|written|tested)|in progress|wip|to-?do|pending|open|blocked|deferred|partial(?:ly)?|remaining|missing|no$|offen|pendiente|à faire)\b)/iu;
/** Crossed out, since nobody wants it. */
const NOT_WANTED =
  /\b(?:dropped|not (?:needed|wanted|necessary|planned)|won['’]t|n\/a|cancell?ed|obsolete|removed|rejected|on purpose|by design)\b/i;
const STRUCK = /^\s*~~.+~~/;
/** Before a table: that it is shown as somebody sees it. */
const SHOWS =
  /\b(?:prints?|looks? like|for example|example|output|renders?|displays?|sample|demo|seed(?:ed|s)?|users? sees?|(?:page|list|view|command|now) shows?)\b/i;
/** More rows, and more of a cell, are not looked at. */
const MAX_ROWS = 50;
const MAX_CELL_CHARS = 80;
/** Around the words of a cell. */
const MARKS = /^[\s*_`]+|[\s*_`]+$/g;

/**
 * The table that begins with a line, with all rows that are not said to be done; null where none begins.
 *
 * @param lines Of a message, with blanks for what is quoted.
 */
export function tableAt(lines: readonly Line[], at: number): ToldTable | null {
  const columns = columnsAt(lines, at);
  if (columns === null) return null;
  const { rows, last } = rowsBelow(lines, at + 1, columns);
  return { items: openOf(rows), last };
}

/** The same of a table of work, where some is done, with the rows that are said not to be; null where none begins, or has any. */
export function tableOfLeftAt(lines: readonly Line[], at: number): ToldTable | null {
  const columns = columnsAt(lines, at);
  if (columns === null || columns.far < 0 || !columns.isOfWork) return null;
  const { rows, last } = rowsBelow(lines, at + 1, columns);
  if (!rows.some(({ far }) => isDone(far)) || SHOWS.test(lineAbove(lines, at))) return null;
  const items = openOf(rows.filter(({ far }) => IS_LEFT.test(far)));
  return items.length === 0 ? null : { items, last };
}

/** A row: the cell that names it, and the words that say how far it is. */
interface Row {
  readonly name: Line;
  readonly far: string;
}

function columnsAt(lines: readonly Line[], at: number): Columns | null {
  const separator = lines[at + 1]?.text ?? "";
  if (lines[at]?.text.includes("|") !== true || !separator.includes("|")) return null;
  if (!SEPARATOR.test(separator)) return null;
  const heads = cellsOf(lines[at]!).map(wordsOf);
  const named = Math.max(0, heads.findIndex((head) => !NAMES_NONE.test(head)));
  return {
    named,
    far: heads.findIndex((head) => TELLS_HOW_FAR.test(head)),
    isOfWork: OF_WORK.test(heads[named] ?? ""),
  };
}

function rowsBelow(
  lines: readonly Line[],
  separator: number,
  { named, far }: Columns,
): { readonly rows: readonly Row[]; readonly last: number } {
  let last = separator;
  while (last < separator + MAX_ROWS && lines[last + 1]?.text.includes("|")) last++;
  const rows = lines.slice(separator + 1, last + 1).map(cellsOf).flatMap((cells) => {
    const name = cells[named];
    return name === undefined ? [] : { name, far: wordsOf(cells[far]) };
  });
  return { rows, last };
}

function openOf(rows: readonly Row[]): Line[] {
  return rows.filter(({ name, far }) =>
    !isDone(far) && !NOT_WANTED.test(far) && !STRUCK.test(name.text)
  ).map(({ name }) => name);
}

function isDone(far: string): boolean {
  return isSignedDone(far) || IS_DONE.test(far);
}

/** The line above one, or the one before it where that is empty, as far as it is looked at. */
function lineAbove(lines: readonly Line[], at: number): string {
  const above = lines[at - 1]?.text.trim() === "" ? lines[at - 2] : lines[at - 1];
  return (above?.text ?? "").slice(-2 * MAX_CELL_CHARS);
}

/** The cells of a row, without the bars around it. */
function cellsOf({ text, at }: Line): Line[] {
  const cells: Line[] = [];
  let from = 0;
  for (const { index } of text.matchAll(CELL_END)) {
    cells.push({ text: text.slice(from, index), at: at + from });
    from = index + 1;
  }
  cells.push({ text: text.slice(from), at: at + from });
  const begin = text.trimStart().startsWith("|") ? 1 : 0;
  return cells.slice(begin, cells.at(-1)!.text.trim() === "" ? -1 : undefined);
}

function wordsOf(cell: Line | undefined): string {
  return (cell?.text ?? "").trim().slice(0, MAX_CELL_CHARS).replace(MARKS, "");
}

/** Finds secrets in table cells by the head of their column: `psql` and `mysql` output, CSV, `INSERT INTO`. */
import { isOddWord, isSecretName, isValueLike } from "./secret_names.ts";
import { type MaskedSpan, maskOf } from "./secret_form.ts";

const SEPARATORS = ["|", "│", "\t", ","];
const MAX_COLUMNS = 60;
/** The most rows that belong to one head. */
const MAX_ROWS = 20_000;
/** The beginning of a row in a diff, a numbered listing or a quotation. */
const LEAD = /^(?:[+>#-]\s|\s{0,8}\d{1,6}[\t→])?/;

interface Cell {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function findTableValues(text: string): MaskedSpan[] {
  return [...findColumns(text), ...findInserted(text)];
}

function findColumns(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  let head: {
    readonly separator: string;
    readonly columns: readonly number[];
    readonly count: number;
  } | null = null;
  let rows = 0;
  for (let start = 0; start < text.length;) {
    const at = text.indexOf("\n", start);
    const end = at === -1 ? text.length : at;
    const line = end - start > 4_000 ? "" : text.slice(start, end);
    const cells: readonly Cell[] = head === null ? [] : cellsOf(line, head.separator);
    if (head !== null && cells.length === head.count && rows++ < MAX_ROWS) {
      for (const column of head.columns) {
        const cell = cells[column]!;
        const isSecret = head.separator === "," ? isValueLike(cell.text) : isOddWord(cell.text);
        if (!isSecret) continue;
        spans.push({ start: start + cell.start, end: start + cell.end, mask: maskOf("secret") });
      }
    } else if (!/^[\s|+:=─┼├┤-]*$/.test(line) || line.trim() === "") {
      rows = 0;
      head = headOf(line);
    }
    start = end + 1;
  }
  return spans;
}

/** Reads a line as the head of a table with secret columns; null for any other line. */
function headOf(line: string) {
  if (line.length > 1_000 || !NAME_IN_HEAD.test(line)) return null;
  for (const separator of SEPARATORS) {
    const cells = cellsOf(line, separator);
    if (
      cells.length < 2 ||
      !cells.every(({ text }) => /^["']?[A-Za-z_][\w .-]{0,40}["']?$/.test(text))
    ) {
      continue;
    }
    const columns = cells.flatMap(({ text }, index) => isSecretName(text) ? [index] : []);
    if (columns.length > 0) return { separator, columns, count: cells.length };
  }
  return null;
}

const NAME_IN_HEAD = /pass|pwd|secret|token|key/i;

/** Splits a line into cells, without the blanks and quotes around them. */
function cellsOf(line: string, separator: string): readonly Cell[] {
  if (!line.includes(separator)) return [];
  const lead = LEAD.exec(line)![0].length;
  const cells: Cell[] = [];
  let start = lead;
  for (const part of line.slice(lead).split(separator)) {
    const [before = ""] = /^\s*["']?/.exec(part) ?? [];
    const text = part.slice(before.length).replace(/["']?\s*$/, "");
    cells.push({ start: start + before.length, end: start + before.length + text.length, text });
    start += part.length + 1;
  }
  // Empty first and last cells are the borders of a table.
  if (cells[0]?.text === "") cells.shift();
  if (separator !== "," && cells.at(-1)?.text === "" && /[|│]\s*$/.test(line)) cells.pop();
  return cells.length > MAX_COLUMNS ? [] : cells;
}

const INSERT =
  /insert\s{1,8}into\s{1,8}[\w."`]{1,80}\s{0,8}\(([^()]{1,1000})\)\s{0,8}values\s{0,8}/gi;
/** A row of values; quoted values may contain brackets and commas. */
const ROW =
  /\s{0,8},?\s{0,8}\(((?:'(?:[^'\\]|''|\\.){0,2000}'|[^()']|\([^()]{0,200}\)){1,4000})\)/y;
const VALUE = /'(?:[^'\\]|''|\\.){0,2000}'|(?:[^,'()]|\([^()]{0,200}\))+/g;

function findInserted(text: string): MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  for (const { index, 0: whole, 1: names = "" } of text.matchAll(INSERT)) {
    const columns = names.split(",").map((name) => isSecretName(name.trim().replace(/["'`]/g, "")));
    if (!columns.includes(true)) continue;
    ROW.lastIndex = index + whole.length;
    for (let row = ROW.exec(text); row !== null; row = ROW.exec(text)) {
      const start = row.index + row[0].length - row[1]!.length - 1;
      const values = [...row[1]!.matchAll(VALUE)].filter(({ 0: value }) => value.trim() !== "");
      values.forEach(({ index: at, 0: value }, column) => {
        if (columns[column] !== true || !/^'.{4,}'$/s.test(value)) return;
        if (value.startsWith("'[redacted")) return;
        spans.push({
          start: start + at + 1,
          end: start + at + value.length - 1,
          mask: maskOf("secret"),
        });
      });
    }
  }
  return spans;
}

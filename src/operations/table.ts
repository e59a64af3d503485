import { columnsOf, cutToColumns } from "../base/columns.ts";
import { shortPaths } from "../base/paths.ts";
import { plain } from "../base/plain.ts";
import { shortened } from "../memory/text.ts";
import type { CliContext } from "./context.ts";

/** The parts of the context that decide the width of a list and how it shortens paths. */
type TableContext = Pick<CliContext, "globals" | "cwd" | "locations">;

/** Returns the value of a row in a column; inside an array, it aligns the column to the right. */
type Value<Row> = (row: Row) => string | number | null;

/** The columns of a list by their titles. The table leaves out a column without any value. */
export type Columns<Row> = Readonly<Record<string, Value<Row> | readonly [Value<Row>]>>;

const GAP = "  ";

/** Columns that are never cut, since a person copies their values into other commands. */
const ID_COLUMNS: ReadonlySet<string> = new Set(["ID", "SESSION", "TASK"]);

/** A column of at most this width (a date, a status) is not cut while wider ones, or the first one, can give room. */
const NARROW = 12;

/** The last column describes a row. If it would get less width than this, texts that do not fit go below their rows. */
const LEAST_TEXT = 28;
const BELOW = "    ";

interface Column {
  readonly isRight: boolean;
  readonly isId: boolean;
  /** The title, then a text for each row. */
  readonly texts: readonly string[];
  readonly width: number;
}

/**
 * Formats a table and cuts its widest columns to fit the terminal; the first one, which names the row, comes last.
 * @param empty The text if there are no rows.
 */
export function tableText<Row>(
  { globals: { color, columns: room }, cwd, locations: { home } }: TableContext,
  rows: readonly Row[],
  columns: Columns<Row>,
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const place = { folder: cwd, home };
  const all = Object.entries(columns).flatMap(([title, cell]): Column[] => {
    const isRight = typeof cell !== "function";
    const values = rows.map(isRight ? cell[0] : cell);
    if (values.every((value) => value === null || value === "")) return [];
    const texts = [title, ...values.map((value) => shortPaths(plain(String(value ?? "-")), place))];
    const width = Math.max(...texts.map(columnsOf));
    return [{ isRight, isId: ID_COLUMNS.has(title), texts, width }];
  });
  const widths = widthsBesideText(all, room);
  const lines = Array.from({ length: rows.length + 1 }, (_, at) => {
    const cells = widths.map((width, i) => {
      const { texts, isRight } = all[i]!;
      const text = cutToColumns(texts[at]!, width);
      const blanks = " ".repeat(width - columnsOf(text));
      return isRight ? blanks + text : text + blanks;
    });
    const line = cells.join(GAP);
    const text = all[widths.length]?.texts[at];
    if (text === undefined || text === "") return line.trimEnd();
    return columnsOf(line + GAP + text) <= room
      ? line + GAP + text
      : `${line.trimEnd()}\n${BELOW}${cutToColumns(text, room - BELOW.length)}`;
  });
  return [color ? `\x1b[1m${lines[0]}\x1b[0m` : lines[0], ...lines.slice(1)].join("\n");
}

/** Returns the widths of the columns, without the last one's if its texts go below their rows. */
function widthsBesideText(all: readonly Column[], room: number): readonly number[] {
  const [others, last] = [all.slice(0, -1), all.at(-1)!];
  const widths = fittedWidths(all, room);
  const isWidest = others.every(({ width }) => width <= last.width);
  const isText = !last.isRight && !last.isId && others.length > 0 && isWidest;
  if (!isText || widths.at(-1)! === last.width) return widths;
  const beside = others.reduce(
    (sum, { isId, width }, i) =>
      sum + GAP.length + (isId || i === 0 ? width : Math.min(width, NARROW)),
    0,
  );
  const width = Math.min(last.width, Math.max(widths.at(-1)!, room - beside));
  return width < LEAST_TEXT
    ? fittedWidths(others, room)
    : [...fittedWidths(others, room - GAP.length - width), width];
}

/** Returns the widths of columns after the widest ones, and last the first one, lose letters until all fit. */
function fittedWidths(all: readonly Column[], room: number): number[] {
  const widths = all.map(({ isId, width }) => isId ? width : Math.min(width, room));
  let over = widths.reduce((sum, width) => sum + width, GAP.length * (all.length - 1) - room);
  for (; over > 0; over--) {
    const cuttable = widths.map((width, i) => all[i]!.isId ? 0 : width);
    const others = cuttable.with(0, 0);
    const given = Math.max(...others) > NARROW ? others : cuttable;
    const widest = Math.max(...given);
    if (widest <= 1) break;
    widths[given.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Formats bytes for people: `512 B`, `12.5 kB`, `3.4 MB` (powers of 1000). */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** The first rows of a list, and the number of the others. */
export interface CutList<Row> {
  readonly rows: readonly Row[];
  /** At most {@linkcode MOST_COUNTED}; for a program, 1 if there are any others. */
  readonly more: number;
}

const MOST_COUNTED = 1_000;

/** Reads a list up to a limit. @param read Reads at most as many rows as its argument says. */
export async function cutList<Row>(
  { globals }: Pick<TableContext, "globals">,
  limit: number,
  read: (limit: number) => readonly Row[] | Promise<readonly Row[]>,
): Promise<CutList<Row>> {
  const found = await read(Math.min(limit + 1, Number.MAX_SAFE_INTEGER));
  if (found.length <= limit) return { rows: found, more: 0 };
  const all = globals.json ? found : await read(limit + MOST_COUNTED);
  return { rows: found.slice(0, limit), more: all.length - limit };
}

/**
 * Returns the line below a list that was cut, after a line break; empty for a whole list.
 *
 * @param options.most The most rows that the list's `--limit` allows.
 */
export function moreLine(
  { rows, more }: CutList<unknown>,
  { most, onwards }: { readonly most: number; readonly onwards?: string | undefined },
): string {
  if (more === 0) return "";
  const n = more < MOST_COUNTED ? `${more} more` : `at least ${MOST_COUNTED} more`;
  const limit = Math.min(rows.length + more, most);
  const widen = rows.length < limit ? `add \`--limit ${limit}\`` : "narrow the list";
  return `\n… and ${n}: ${onwards ?? widen}`;
}

/** A line, or several; false, null and undefined are none, so that `isLate && "…"` is a line or nothing. */
export type Lines = string | false | null | undefined | readonly Lines[];

export function linesOf(lines: Lines): string[] {
  if (Array.isArray(lines)) return lines.flatMap(linesOf);
  return typeof lines === "string" ? [lines] : [];
}

/** Names and values to print, one line each; false, null and undefined are left out. */
export type Facts = readonly (readonly [
  name: string,
  value: string | number | false | null | undefined,
])[];

/** Formats facts as lines, the names padded to `width`: `status    ended`. */
export function factLines(facts: Facts, width = 14): string[] {
  return withValues(facts).map(([name, value]) => `${name.padEnd(width)}${plain(String(value))}`);
}

/** Formats facts for the place below a title: `  status:  ended`. */
export function titledFacts(facts: Facts, width = 13): string[] {
  return withValues(facts).map(([name, value]) => `  ${`${name}:`.padEnd(width)}${value}`);
}

function withValues(facts: Facts) {
  return facts.filter(([, value]) => value !== null && value !== undefined && value !== false);
}

/** The width of a list below a title: 80 columns without the indentation by two. */
const LIST_CHARS = 78;

/** Cuts the first lines of a list to fit below a title. @param onwards How to see the others; may be empty. */
export function firstLines(lines: readonly string[], most: number, onwards = ""): string[] {
  const shown = lines.slice(0, most).map((line) => cutLine(line, LIST_CHARS));
  const more = lines.length - most;
  return more > 0 ? [...shown, `… and ${more} more${onwards === "" ? "" : `: ${onwards}`}`] : shown;
}

/** Makes a text one line of at most so many columns. It cuts the end; of a text with wide letters, the middle. */
export function cutLine(text: string, columns: number): string {
  return cutToColumns(shortened(plain(text).trimEnd(), columns), columns);
}

/** Puts lines below a title, with an empty line before it; returns nothing if there are no lines. */
export function section(title: string, all: Lines): string[] {
  const lines = linesOf(all);
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

import { columnsOf, cutToColumns } from "../base/columns.ts";
import { shortPaths } from "../base/paths.ts";
import { plain } from "../base/plain.ts";
import { shortened } from "../memory/text.ts";
import type { CliContext } from "./context.ts";

/** What a list needs of the context: how wide it may be, and where paths begin. */
type Shown = Pick<CliContext, "globals" | "cwd" | "locations">;

/** The value of a row in a column; an array with it is set to the right. */
type Value<Row> = (row: Row) => string | number | null;

/** The columns of a list by their titles. One without any value is left out. */
export type Columns<Row> = Readonly<Record<string, Value<Row> | readonly [Value<Row>]>>;

const GAP = "  ";

/** Columns that are never cut: what stands there is given to another verb. */
const ID_COLUMNS: ReadonlySet<string> = new Set(["ID", "SESSION", "TASK"]);

/** A column of few characters (a date, a status) stays whole while the others keep as many. */
const NARROW = 12;

/** The last column says what a row is about. Where it gets fewer columns, what does not fit stands below its row. */
const LEAST_TEXT = 28;
const BELOW = "    ";

interface Column {
  readonly isRight: boolean;
  readonly isId: boolean;
  /** The title, then a text for each row. */
  readonly texts: readonly string[];
  readonly width: number;
}

/** A table that fits the terminal: the widest columns are cut in the middle. @param empty Is said when there are no rows. */
export function tableText<Row>(
  { globals: { color, columns: room }, cwd, locations: { home } }: Shown,
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
    const texts = [
      title,
      ...values.map((value) => shortPaths(plain(String(value ?? "-")), place)),
    ];
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

/** The widths of the columns, without that of the last one where its texts stand below their rows. */
function widthsBesideText(all: readonly Column[], room: number): readonly number[] {
  const [others, last] = [all.slice(0, -1), all.at(-1)!];
  const widths = fittedWidths(all, room);
  const isText = !last.isRight && !last.isId && others.length > 0;
  if (!isText || widths.at(-1)! === last.width) return widths;
  const beside = others.reduce(
    (sum, { isId, width }) => sum + GAP.length + (isId ? width : Math.min(width, NARROW)),
    0,
  );
  const width = Math.min(last.width, Math.max(widths.at(-1)!, room - beside));
  return width < LEAST_TEXT
    ? fittedWidths(others, room)
    : [...fittedWidths(others, room - GAP.length - width), width];
}

/** The widths of columns, of which the widest lose a letter after another until all fit. */
function fittedWidths(all: readonly Column[], room: number): number[] {
  const widths = all.map(({ isId, width }) => isId ? width : Math.min(width, room));
  let over = widths.reduce((sum, width) => sum + width, GAP.length * (all.length - 1) - room);
  for (; over > 0; over--) {
    const widest = Math.max(...widths.filter((_, i) => !all[i]!.isId));
    if (widest <= 1) break;
    widths[widths.findIndex((width, i) => width === widest && !all[i]!.isId)] = widest - 1;
  }
  return widths;
}

/** Bytes for people: `512 B`, `12.5 kB`, `3.4 MB` (powers of 1000). */
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

/** The first rows of a list, and how many more there are. */
export interface CutList<Row> {
  readonly rows: readonly Row[];
  /** Counted up to {@linkcode MOST_COUNTED}, and for a program only whether there are any: 1. */
  readonly more: number;
}

const MOST_COUNTED = 1_000;

/** Reads a list up to a limit. @param read Reads as many rows as it is told at most. */
export async function cutList<Row>(
  { globals }: Pick<Shown, "globals">,
  limit: number,
  read: (limit: number) => readonly Row[] | Promise<readonly Row[]>,
): Promise<CutList<Row>> {
  const found = await read(Math.min(limit + 1, Number.MAX_SAFE_INTEGER));
  if (found.length <= limit) return { rows: found, more: 0 };
  const all = globals.json ? found : await read(limit + MOST_COUNTED);
  return { rows: found.slice(0, limit), more: all.length - limit };
}

/** The line below a list that was cut, with the line break before it; empty for a whole one. */
export function moreLine({ rows, more }: CutList<unknown>, onwards?: string): string {
  if (more === 0) return "";
  const n = more < MOST_COUNTED ? `${more} more` : `at least ${MOST_COUNTED} more`;
  const limit = Math.min(rows.length + more, MOST_COUNTED);
  return `\n… and ${n}: ${onwards ?? `--limit ${limit}`}`;
}

/** What is known of one thing, a line each; null is left out. */
export type Facts = readonly (readonly [name: string, value: string | number | null | undefined])[];

/** Facts as lines, the names padded to `width`: `status    ended`. */
export function factLines(facts: Facts, width = 14): string[] {
  return told(facts).map(([name, value]) => `${name.padEnd(width)}${plain(String(value))}`);
}

/** Facts below a title: `  status:  ended`. */
export function titledFacts(facts: Facts, width = 13): string[] {
  return told(facts).map(([name, value]) => `  ${`${name}:`.padEnd(width)}${value}`);
}

function told(facts: Facts) {
  return facts.filter(([, value]) => value !== null && value !== undefined);
}

/** Lines of a page for people are at most so wide; a list below a title is indented by two. */
const LIST_CHARS = 78;

/** The first lines of a list, each cut to fit below a title. @param onwards How to see the others; empty for nothing. */
export function firstLines(lines: readonly string[], most: number, onwards = ""): string[] {
  const told = lines.slice(0, most).map((line) => cutLine(line, LIST_CHARS));
  const more = lines.length - most;
  return more > 0 ? [...told, `… and ${more} more${onwards === "" ? "" : `: ${onwards}`}`] : told;
}

/** A text as one line, cut to a number of columns: at its end, where letters are not wide. */
export function cutLine(text: string, columns: number): string {
  return cutToColumns(shortened(plain(text).trimEnd(), columns), columns);
}

/** Lines below a title, with an empty line before it; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

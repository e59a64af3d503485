import { plain } from "../base/plain.ts";
import { shortened } from "../memory/text.ts";
import type { CliContext } from "./context.ts";
import type { View } from "./view.ts";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** A table for a terminal. @param options `empty` is said when there are no rows; `color` makes titles bold. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: { readonly empty: string; readonly color: boolean },
): string {
  if (rows.length === 0) return options.empty;
  const cells = rows.map((row) => columns.map(({ value }) => plain(String(value(row) ?? "-"))));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((line) => line[i]!.length))
  );
  const lineOf = (texts: readonly string[]) =>
    texts.map((text, i) =>
      columns[i]!.align === "right" ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)
    ).join(GAP).trimEnd();
  const head = lineOf(columns.map(({ title }) => title));
  return [options.color ? `\x1b[1m${head}\x1b[0m` : head, ...cells.map(lineOf)].join("\n");
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

/** The value of a row in a column; an array with it is set to the right. */
type Cell<Row> = Column<Row>["value"] | readonly [Column<Row>["value"]];

/** The columns of a list by their titles. */
export type Columns<Row> = Readonly<Record<string, Cell<Row>>>;

/** A list: rows under their name for programs, a table for people. @param named `{ sessions }`. */
export function listView<Row>(
  { globals }: Pick<CliContext, "globals">,
  named: Readonly<Record<string, readonly Row[]>>,
  columns: Columns<Row>,
  empty: string,
): View {
  const [rows] = Object.values(named);
  const all = Object.entries(columns).map(([title, cell]): Column<Row> =>
    typeof cell === "function" ? { title, value: cell } : { title, value: cell[0], align: "right" }
  );
  return { json: named, text: tableText(rows!, all, { empty, color: globals.color }) };
}

/** A page of a list. @param named Its rows, one more than `limit` where there are more. */
export function pageView<Row>(
  context: Pick<CliContext, "globals">,
  named: Readonly<Record<string, readonly Row[]>>,
  columns: Columns<Row>,
  { limit, empty, onwards = "--limit" }: {
    readonly limit: number;
    readonly empty: string;
    readonly onwards?: string;
  },
): View {
  const [[name, found]] = Object.entries(named) as [[string, readonly Row[]]];
  const more = found.length > limit;
  const page = { [name]: found.slice(0, limit) };
  const { text } = listView(context, page, columns, empty);
  return { json: { ...page, more }, text: more ? `${text}\n… and more: ${onwards}` : text };
}

/** What is known of one thing, a line each; null is left out. */
export type Facts = readonly (readonly [name: string, value: string | number | null | undefined])[];

/** Facts as lines, the names in a column of so many characters: `status    ended`. */
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

/** The first lines of a list, each cut to fit below a title. @param onwards How to see the others. */
export function firstLines(
  lines: readonly string[],
  most: number,
  onwards: string,
): readonly string[] {
  const told = lines.slice(0, most).map((line) => cutLine(line, LIST_CHARS));
  const more = lines.length - most;
  return more > 0 ? [...told, `… and ${more} more: ${onwards}`] : told;
}

/** A text as one line of at most so many characters. */
export function cutLine(text: string, maxChars: number): string {
  return shortened(plain(text).trimEnd(), maxChars);
}

/** Lines below a title, with an empty line before it; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

import { plain } from "../capture/plain.ts";

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string | number | null;
  /** Numbers are set to the right. */
  readonly align?: "left" | "right";
}

const GAP = "  ";

/**
 * A table for a terminal: titles, then a line a row, columns as wide as their widest value. Control characters are
 * shown as spaces, so that no stored text can take over the terminal.
 *
 * @param options `empty` is said when there are no rows; `color` makes the titles bold.
 */
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

/** The tables that an export holds, in the order that an import needs: rows come after the rows that they refer to. */
import TABLES from "./exported_tables.json" with { type: "json" };

/** The layout of the lines; a later layout has another number. */
export const EXPORT_FORMAT = 1;

/** The name of the number of rows of one table, in the last line of an export and in reports. */
export type CountName = keyof typeof TABLES.exported;

/** What export and import know of a table. */
export interface ExportedTable {
  readonly count: CountName;
  /** What a line of an export is: `session`, `taskChange`. */
  readonly type: string;
  readonly table: string;
  /** What people call one row and several, where that is not the name of the count. */
  readonly words?: readonly string[];
  /** The columns that name a row; null where only a number does: it means nothing in another database. */
  readonly key: readonly string[] | null;
  /** Without a key: two rows are the same if these columns are. */
  readonly sameBy?: readonly string[];
  /** SQL that says when a row was last written, or `id` for the time in a UUIDv7; missing where a row has no time. */
  readonly time?: string;
  /** Columns that hold JSON. `observed_files` are the rows of `observation_files`. */
  readonly json?: readonly string[];
  /** The column that names the row which this one belongs to, and the type of that row; null: `entity_type` says it. */
  readonly owner?: readonly (string | null)[];
}

export const EXPORTED_TABLES: readonly ExportedTable[] = Object.entries(TABLES.exported)
  .map(([count, table]) => ({ key: null, ...table, count: count as CountName }));

const BY_TYPE = new Map(EXPORTED_TABLES.map((table) => [table.type, table]));

/** What a line of an export is; {@linkcode isExportType} tells whether a text is one. */
export type ExportType = string;

export function isExportType(type: string): boolean {
  return BY_TYPE.has(type);
}

/** What is known of the table of a type. */
export function tableOf(type: ExportType): ExportedTable {
  return BY_TYPE.get(type)!;
}

/** Zero rows of each kind. */
export function noCounts(): Record<CountName, number> {
  const counts = EXPORTED_TABLES.map(({ count }) => [count, 0]);
  return Object.fromEntries(counts) as Record<CountName, number>;
}

/** The field of a line for a column. A line has its own `type`, so a column `type` becomes `taskType` and so on. */
export function fieldOf(type: string, column: string): string {
  return column === "type" ? `${type}Type` : column.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
}

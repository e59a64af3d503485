/** Lists the exported tables, in the order that an import needs: rows come after the rows that they refer to. */
import type { SQLInputValue } from "node:sqlite";
import TABLES from "./exported_tables.json" with { type: "json" };

export const EXPORT_FORMAT = 1;

/** The name of a table's row count, in the last line of an export and in reports. */
export type CountName = keyof typeof TABLES.exported;

export type ImportedColumns = Readonly<Record<string, SQLInputValue>>;

/** A row with its columns; an observation also has `observed_files`. */
export interface TableRow {
  readonly type: string;
  readonly columns: ImportedColumns;
}

/** Tells that a line or row is invalid, so that this program cannot have written it. */
export class RowError extends Error {
  override readonly name = "RowError";
}

/** The rules of export and import for a table. */
export interface ExportedTable {
  readonly count: CountName;
  /** The `type` of the table's lines in an export: `session`, `taskChange`. */
  readonly type: string;
  readonly table: string;
  /** The words for one row and for several, if they differ from the name of the count. */
  readonly words?: readonly string[];
  /** The columns that identify a row; null if only a number does, which means nothing in another database. */
  readonly key: readonly string[] | null;
  /** The columns whose equality makes two rows the same, in a table without a key. */
  readonly sameBy?: readonly string[];
  /** SQL for the time when a row was last written, or `id` for the time in a UUIDv7; missing if a row has no time. */
  readonly time?: string;
  /** Columns that hold JSON. `observed_files` contains rows of `observation_files`. */
  readonly json?: readonly string[];
  /** The column with the id of the owner row, and the owner's type; if the type is null, `entity_type` holds it. */
  readonly owner?: readonly (string | null)[];
}

export const EXPORTED_TABLES: readonly ExportedTable[] = Object.entries(TABLES.exported)
  .map(([count, table]) => ({ key: null, ...table, count: count as CountName }));

const BY_TYPE = new Map(EXPORTED_TABLES.map((table) => [table.type, table]));
export function tableOf(type: string): ExportedTable {
  return BY_TYPE.get(type)!;
}

export function noCounts(): Record<CountName, number> {
  const counts = EXPORTED_TABLES.map(({ count }) => [count, 0]);
  return Object.fromEntries(counts) as Record<CountName, number>;
}

/** Returns a line's field for a column. A line has its own `type`, so a task's column `type` becomes `taskType`. */
export function fieldOf(type: string, column: string): string {
  return column === "type" ? `${type}Type` : column.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
}

/** Derives a row's type, the columns of its queries and the schema of the daemon's API from one list of fields. */
import type { SQLOutputValue } from "node:sqlite";
import { columnOf } from "../db/statement.ts";

interface Values {
  readonly text: string;
  readonly "text?": string | null;
  readonly integer: number;
  readonly "integer?": number | null;
  /** Stored as JSON. */
  readonly texts: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
  readonly any: unknown;
}

/** The values that a field may hold: those of a kind, or one of a list of words. */
export type FieldKind = keyof Values | readonly (string | null)[];

export type Fields = Readonly<Record<string, FieldKind>>;

export type ValueOf<Kind> = Kind extends keyof Values ? Values[Kind]
  : Kind extends readonly (infer Word)[] ? Word
  : never;

export type RowOf<Table extends Fields> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

const JSON_KINDS: readonly unknown[] = ["texts", "object", "any"];

/** Lists the columns of a query: `parent_id AS parentId`. @param special The SQL of fields that are no columns. */
export function columnsOf(
  fields: Fields,
  { prefix = "", special = {} }: {
    readonly prefix?: string;
    readonly special?: Readonly<Record<string, string>>;
  } = {},
): string {
  return Object.keys(fields)
    .map((name) => `${special[name] ?? prefix + columnOf(name)} AS ${name}`)
    .join(", ");
}

/** Makes a row from SQLite's values, as a plain object, since the rows of SQLite's binding are slow to copy. */
export function rowOf<Table extends Fields>(
  fields: Table,
  row: Readonly<Record<string, SQLOutputValue>>,
): RowOf<Table> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value !== null && JSON_KINDS.includes(fields[name]) ? JSON.parse(String(value)) : value,
  ]);
  return Object.fromEntries(entries) as RowOf<Table>;
}

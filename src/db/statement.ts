/** Prepares statements, and builds small pieces of SQL. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Prepared statements by connection and text; they go with their connection. */
const PREPARED = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/**
 * Makes a statement of SQL in several lines. Its parts stand in the SQL as they are, so they come from a small fixed
 * set; values go to `get`, `all` or `run`.
 */
type Prepare = (sql: TemplateStringsArray, ...parts: readonly (string | number)[]) => StatementSync;

/**
 * Prepares a statement once for each connection: preparing takes ten times as long as finding a row by its id. Without
 * a text it returns a tag, for SQL in several lines. It serves neither `iterate()`, which a second use would restart,
 * nor SQL texts that vary without limit, nor large values, which a statement keeps until its next use.
 */
export function statement(db: DatabaseSync): Prepare;
export function statement(db: DatabaseSync, sql: string): StatementSync;
export function statement(db: DatabaseSync, sql?: string): Prepare | StatementSync {
  if (sql === undefined) return (raw, ...parts) => statement(db, String.raw({ raw }, ...parts));
  let ofDatabase = PREPARED.get(db);
  if (ofDatabase === undefined) PREPARED.set(db, ofDatabase = new Map());
  let prepared = ofDatabase.get(sql);
  if (prepared === undefined) ofDatabase.set(sql, prepared = db.prepare(sql));
  return prepared;
}

export function readMeta(db: DatabaseSync, key: string): string | null {
  const row = statement(db, "SELECT value FROM meta WHERE key = ?").get(key);
  return row === undefined ? null : String(row["value"]);
}

export function writeMeta(db: DatabaseSync, key: string, value: string): void {
  putRow(db, "meta", { key, value });
}

/** Returns the column of a field: `parent_id` of `parentId`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type Fields = Readonly<Record<string, SQLInputValue>>;

/** Inserts a row. @returns Its row number. */
export function insertRow(db: DatabaseSync, table: string, fields: Fields): number {
  return writeRow(db, `INSERT INTO ${table}`, fields);
}

/** Inserts a row in place of the one that has its key. */
export function putRow(db: DatabaseSync, table: string, fields: Fields): void {
  writeRow(db, `INSERT OR REPLACE INTO ${table}`, fields);
}

function writeRow(db: DatabaseSync, into: string, fields: Fields): number {
  const names = Object.keys(fields);
  const columns = names.map(columnOf).join(", ");
  const marks = names.map(() => "?").join(", ");
  const { lastInsertRowid } = statement(db, `${into} (${columns}) VALUES (${marks})`)
    .run(...Object.values(fields));
  return Number(lastInsertRowid);
}

export function updateRow(
  db: DatabaseSync,
  table: string,
  id: string | number,
  fields: Fields,
): void {
  const columns = Object.keys(fields).map((name) => `${columnOf(name)} = ?`).join(", ");
  statement(db, `UPDATE ${table} SET ${columns} WHERE id = ?`)
    .run(...Object.values(fields), id);
}

/** A condition with one `?`, and its value; a list becomes JSON. With null or no value, the condition is left out. */
export type Condition = readonly [
  sql: string,
  value: string | number | readonly (string | number)[] | null | undefined,
];

/** Returns SQL that is true when a column has one of the values in a list. */
export function among(column: string): string {
  return `${column} IN (SELECT value FROM json_each(?))`;
}

/** The `WHERE` of a statement, and its values in order. */
export interface Filter {
  /** `WHERE …`, or empty without conditions. */
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** Joins the conditions that have a value, so that SQLite can use an index for each. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  for (const [sql, value] of conditions) {
    if (value === null || value === undefined) continue;
    parts.push(sql);
    values.push(typeof value === "object" ? JSON.stringify(value) : value);
  }
  return { sql: parts.length === 0 ? "" : `WHERE ${parts.join("\n  AND ")}`, values };
}

/** Reads rows by what is known of their table. */
import type { DatabaseSync } from "node:sqlite";
import { type Condition, filterOf, statement } from "../db/statement.ts";
import { columnsOf, type Fields, type RowOf, rowOf } from "./row_fields.ts";

interface Table<Known extends Fields> {
  readonly name: string;
  readonly fields: Known;
  readonly columns: string;
}

export function tableOf<Known extends Fields>(name: string, fields: Known): Table<Known> {
  return { name, fields, columns: columnsOf(fields) };
}

/** The row with this id; `undefined` when there is none. */
export function readRow<Known extends Fields>(
  db: DatabaseSync,
  { name, fields, columns }: Table<Known>,
  id: string,
): RowOf<Known> | undefined {
  const row = statement(db, `SELECT ${columns} FROM ${name} WHERE id = ?`).get(id);
  return row && rowOf(fields, row);
}

/** Rows in an order. @param options `where`: filters that count where they have a value. `only`: a condition that always counts. */
export function listRows<Known extends Fields>(
  db: DatabaseSync,
  { name, fields, columns }: Table<Known>,
  { where = [], only, order, limit = -1 }: {
    readonly where?: readonly Condition[];
    readonly only?: string;
    readonly order: string;
    readonly limit?: number | undefined;
  },
): RowOf<Known>[] {
  const { sql, values } = filterOf(where);
  const both = only === undefined ? sql : `${sql === "" ? "WHERE" : `${sql} AND`} ${only}`;
  return statement(
    db,
    `SELECT ${columns}
       FROM ${name}
      ${both}
      ORDER BY ${order}
      LIMIT ?`,
  ).all(...values, limit).map((row) => rowOf(fields, row));
}

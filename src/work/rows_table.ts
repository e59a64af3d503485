/** Reads rows of a table by its list of fields. */
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

/** Reads the row with this id; `undefined` when there is none. */
export function readRow<Known extends Fields>(
  db: DatabaseSync,
  { name, fields, columns }: Table<Known>,
  id: string | null,
): RowOf<Known> | undefined {
  const row = statement(db, `SELECT ${columns} FROM ${name} WHERE id = ?`).get(id);
  return row && rowOf(fields, row);
}

/** Lists rows. @param options `where`: filters that count when they have a value. */
export function listRows<Known extends Fields>(
  db: DatabaseSync,
  { name, fields, columns }: Table<Known>,
  { where, order, limit = -1 }: {
    readonly where: readonly Condition[];
    readonly order: string;
    readonly limit?: number | undefined;
  },
): RowOf<Known>[] {
  const { sql, values } = filterOf(where);
  return statement(
    db,
    `SELECT ${columns}
       FROM ${name}
      ${sql}
      ORDER BY ${order}
      LIMIT ?`,
  ).all(...values, limit).map((row) => rowOf(fields, row));
}

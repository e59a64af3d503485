/** Numbers that flipped bits have made larger than any that this program writes: reading one of them fails. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "./database.ts";
import { quotedName } from "./table_copy.ts";

/** A number that cannot be. */
export interface ImpossibleNumber {
  readonly table: string;
  readonly column: string;
  /** What names its row: its key. */
  readonly row: string;
  /** Its digits. */
  readonly value: string;
}

/** The largest number that is exact, and the farthest moment that a date can be, in epoch milliseconds. */
const LARGEST = Number.MAX_SAFE_INTEGER;
const FARTHEST_MS = 8_640_000_000_000_000;

interface NumberColumn {
  readonly name: string;
  readonly isTime: boolean;
  readonly isKey: boolean;
  /** What stands there where nothing is known, in SQL. */
  readonly unknown: string;
}

interface NumberTable {
  readonly table: string;
  readonly keys: readonly string[];
  readonly columns: readonly NumberColumn[];
}

/** The numbers of all tables that cannot be, at most so many; each table is read once. */
export function impossibleNumbers(
  db: DatabaseSync,
  { limit }: { readonly limit: number },
): ImpossibleNumber[] {
  const found: ImpossibleNumber[] = [];
  for (const { table, keys, columns } of numberTables(db)) {
    const rows = db.prepare(
      `SELECT ${keys.map((key) => `CAST(${quotedName(key)} AS TEXT)`).join(` || ' ' || `)} AS row,
              ${
        columns.map(({ name }) => `CAST(${quotedName(name)} AS TEXT) AS ${quotedName(name)}`)
      }
         FROM ${quotedName(table)} NOT INDEXED
        WHERE ${columns.map(isImpossible).join(" OR ")}
        LIMIT ?`,
    ).all(limit - found.length);
    for (const row of rows) {
      for (const column of columns) {
        const value = row[column.name];
        if (value === null || canBe(column, Number(value))) continue;
        found.push({ table, column: column.name, row: String(row["row"]), value: String(value) });
      }
    }
    if (found.length >= limit) break;
  }
  return found;
}

/** The same, a sentence each. */
export function numberFaults(db: DatabaseSync, limits: { readonly limit: number }): string[] {
  return impossibleNumbers(db, limits).map(({ table, column, row, value }) =>
    `${column} of the row ${row} of ${table} is ${value}, which cannot be`
  );
}

/**
 * Puts in the place of each such number what is likely: for a time another one of its row, or that of a row near it; for
 * a row's own number one that no other row has; for any other what a new row has.
 *
 * @returns How many were corrected. @throws {Error} What SQLite says; nothing was changed then.
 */
export function correctNumbers(db: DatabaseSync): number {
  return transaction(db, () => {
    let corrected = 0;
    for (const { table, columns } of numberTables(db)) {
      for (const column of columns) {
        const likely = column.isKey
          ? nextFree(table, column)
          : column.isTime
          ? likelyTime(table, column, columns)
          : column.unknown;
        const update = db.prepare(
          `UPDATE ${quotedName(table)} AS damaged
              SET ${quotedName(column.name)} = ${likely}
            WHERE ${isImpossible(column)}`,
        );
        corrected += Number(update.run().changes);
      }
    }
    return corrected;
  });
}

/** The tables with the columns that hold numbers. Those that refer to a row are left to the check of the references. */
function numberTables(db: DatabaseSync): NumberTable[] {
  const names = db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND (sql LIKE '%STRICT%' OR name = 'sqlite_sequence')
        AND sql NOT LIKE 'CREATE VIRTUAL%'
      ORDER BY rowid`,
  ).all().map(({ name }) => String(name));
  return names.map((table) => numbersOf(db, table)).filter(({ columns }) => columns.length > 0);
}

function numbersOf(db: DatabaseSync, table: string): NumberTable {
  if (table === "sqlite_sequence") {
    // The greatest number of the table itself counts where it is greater.
    return {
      table,
      keys: ["name"],
      columns: [{ name: "seq", isTime: false, isKey: false, unknown: "0" }],
    };
  }
  const infos = db.prepare('SELECT name, type, pk, "notnull", dflt_value FROM pragma_table_info(?)')
    .all(table);
  const references = new Set(
    db.prepare('SELECT "from" AS name FROM pragma_foreign_key_list(?)').all(table)
      .map(({ name }) => name),
  );
  return {
    table,
    keys: infos.filter(({ pk }) => Number(pk) > 0).map(({ name }) => String(name)),
    columns: infos
      .filter(({ name, type }) => type === "INTEGER" && !references.has(name!))
      .map((info) => ({
        name: String(info["name"]),
        isTime: /_(?:at|until)_ms$/.test(String(info["name"])),
        isKey: Number(info["pk"]) > 0,
        unknown: info["notnull"] === 0 ? "NULL" : String(info["dflt_value"] ?? 0),
      })),
  };
}

/** The condition for it: nothing that is null. */
function isImpossible(column: NumberColumn): string {
  const most = mostOf(column);
  return `${quotedName(column.name)} NOT BETWEEN -${most} AND ${most}`;
}

function canBe(column: NumberColumn, value: number): boolean {
  return Math.abs(value) <= mostOf(column);
}

function mostOf({ isTime }: NumberColumn): number {
  return isTime ? FARTHEST_MS : LARGEST;
}

function nextFree(table: string, column: NumberColumn): string {
  const name = quotedName(column.name);
  return `(SELECT coalesce(max(near.${name}), 0) + 1
             FROM ${quotedName(table)} AS near
            WHERE near.${name} <= ${LARGEST})`;
}

function likelyTime(table: string, column: NumberColumn, all: readonly NumberColumn[]): string {
  const ofRow = all.filter((other) => other.isTime && other !== column).map((other) =>
    `iif(${isImpossible(other)}, NULL, damaged.${quotedName(other.name)})`
  );
  const name = quotedName(column.name);
  const near = `(SELECT max(near.${name})
                   FROM ${quotedName(table)} AS near
                  WHERE near.${name} BETWEEN 0 AND ${FARTHEST_MS})`;
  return `coalesce(${[...ofRow, near, "0"].join(", ")})`;
}

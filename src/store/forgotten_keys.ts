/**
 * Names of rows that were removed since the key that tells them from others held a text: requirements by their branch,
 * tags, counters. A digest of the key under the database's own key names such a row, so that no letter of it is kept.
 */
import type { DatabaseSync } from "node:sqlite";
import { type ExportType, tableOf } from "./exported_tables.ts";
import { isForgotten, nameForgotten } from "./forgotten_names.ts";
import { type Digest, knownDigest } from "./forgotten_digest.ts";
import { keyedDigest } from "./forgotten_words.ts";
import type { ImportedColumns } from "./import_rows.ts";

/** A row, by the columns of its key at least. */
type Row = Readonly<Record<string, unknown>>;

/** The columns that tell the rows of a table from each other. */
export interface KeyedTable {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Names removed rows, in the transaction that removes them. */
export function nameKeys(
  db: DatabaseSync,
  receiptId: string,
  { table, rows }: { readonly table: KeyedTable; readonly rows: readonly Row[] },
): void {
  const digest = keyedDigest(db);
  nameForgotten(db, receiptId, rows.map((row) => nameOf(digest, table, row)));
}

/** Whether a row of an export was removed here by its key. */
export function isKeyForgotten(
  db: DatabaseSync,
  type: ExportType,
  columns: ImportedColumns,
): boolean {
  const { table: name, key: keys } = tableOf(type);
  // A single id is no word of anybody's.
  if (keys === null || keys.length < 2) return false;
  const digest = knownDigest(db);
  return digest !== null && isForgotten(db, nameOf(digest, { name, keys }, columns));
}

/** How many rows that were removed by their keys are there again, by table. */
export function keysBack(db: DatabaseSync, receiptId: string): Readonly<Record<string, number>> {
  const named = db.prepare(
    `SELECT name
       FROM forgotten
      WHERE receipt_id = ?
        AND name GLOB 'row/*'`,
  ).all(receiptId);
  const digest = knownDigest(db);
  if (named.length === 0 || digest === null) return {};
  const names = new Set(named.map(({ name }) => name));
  const counts = keyedTables(db).map((table) => {
    const rows = db.prepare(`SELECT ${table.keys.join(", ")} FROM ${table.name}`).all();
    return [
      table.name,
      rows.filter((row) => names.has(nameOf(digest, table, row))).length,
    ] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The tables without row numbers. */
function keyedTables(db: DatabaseSync): KeyedTable[] {
  const rows = db.prepare(
    `SELECT t.name AS name, json_group_array(c.name) AS keys
       FROM pragma_table_list AS t
       JOIN pragma_table_info(t.name) AS c
      WHERE t.schema = 'main'
        AND t.type = 'table'
        AND t.wr
        AND c.pk > 0
      GROUP BY t.name`,
  ).all();
  return rows.map(({ name, keys }) => ({ name: String(name), keys: JSON.parse(String(keys)) }));
}

function nameOf(digest: Digest, { name, keys }: KeyedTable, row: Row): string {
  return `row/${digest(JSON.stringify([name, ...[...keys].sort().map((key) => [key, row[key]])]))}`;
}

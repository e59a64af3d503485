/** Finds the faults of a whole database, measures it, and empties its log. */
import type { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../../base/errors.ts";
import { checkpoint } from "../../db/database.ts";
import { isIndexDamageOf } from "../../memory/store.ts";
import { quotedName } from "../../db/table_copy.ts";
import { connect } from "../../db/connect.ts";
import { spaceUse } from "../../db/disk_space.ts";
import { statement } from "../../db/statement.ts";

export const MAX_FAULTS = 20;

/** Returns the version of SQLite in this program: `3.53.2`. */
export function sqliteVersion(): string {
  using db = connect(":memory:");
  return String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
}

/** Lines that are no faults of pages: headings, and faults of the search index, which `rebuildIndex()` repairs. */
const LEFT_OUT = /^ok$|^\*\*\* in database \w+ \*\*\*$|^fts5: |inverted index for FTS5 table/;

/** Lists the faults in the pages, without those of the search index; `full` compares indexes too, and takes longer. */
export function integrityFaults(db: DatabaseSync, depth: "quick" | "full"): string[] {
  const pragma = depth === "quick" ? "quick_check" : "integrity_check";
  const check = (of: string | number) =>
    db.prepare(`PRAGMA ${pragma}(${of})`).all()
      .flatMap((row) => String(Object.values(row)[0]).split("\n"))
      .filter((line) => !LEFT_OUT.test(line));
  try {
    return check(MAX_FAULTS).slice(0, MAX_FAULTS);
  } catch (thrown) {
    if (!isIndexDamageOf(db, thrown)) throw thrown;
    // A search index that SQLite cannot open stops the whole check, so each table is checked alone.
    const tables = statement(db)`
      SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`.all();
    return tables.flatMap(({ name }) => check(quotedName(String(name)))).slice(0, MAX_FAULTS);
  }
}

/** Lists rows that refer to missing rows, a sentence each. */
export function foreignKeyFaults(db: DatabaseSync): string[] {
  return db.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_FAULTS)
    .map((row) =>
      `row ${row["rowid"]} of ${row["table"]} refers to a missing row of ${row["parent"]}`
    );
}

/** Returns the names of a database's tables in alphabetical order, without SQLite's own. */
export function tableNames(db: DatabaseSync): string[] {
  return statement(db)`
    SELECT name
      FROM sqlite_schema
     WHERE type = 'table'
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY name`.all().map(({ name }) => String(name));
}

/** Counts a database's pages, its free pages, and the rows of each table; reads every table once. */
export function measureDatabase(db: DatabaseSync) {
  const { pageBytes, pages, freePages } = spaceUse(db);
  const countOf = (name: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${quotedName(name)}`).get()!["n"]);
  const tables = tableNames(db).map((name) => ({ name, rows: countOf(name) }));
  return { pageBytes, pages, freePages, tables };
}

/**
 * Waits until nobody writes, and moves the log into the database file, so that the file can be moved. False when another
 * process writes for too long. If SQLite cannot open the database, nobody writes to it either.
 */
export function settleDatabase(path: string, busyTimeoutMs: number): boolean {
  try {
    using db = connect(path, { timeout: busyTimeoutMs });
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    return !checkpoint(db, "TRUNCATE").busy;
  } catch (thrown) {
    return !isDatabaseBusy(thrown);
  }
}

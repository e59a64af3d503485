/** What SQLite says of a whole database: its faults and its size. */
import type { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../../base/errors.ts";
import { checkpoint } from "../../db/database.ts";
import { isIndexDamageOf } from "../../memory/store.ts";
import { quotedName } from "../../db/table_copy.ts";
import { connect } from "../../db/connect.ts";
import { spaceUse } from "../../db/disk_space.ts";

/** Faults that one check lists at most. */
export const MAX_FAULTS = 20;

/** The version of SQLite in this program: `3.53.2`. */
export function sqliteVersion(): string {
  using db = connect(":memory:");
  return String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
}

/** The title above the faults of pages, and faults of the search index, which `memory_index_table.ts` makes anew. */
const LEFT_OUT = /^ok$|^\*\*\* in database \w+ \*\*\*$|^fts5: |inverted index for FTS5 table/;

/**
 * The faults in the pages of a database, a line each. Those of the search index are left out.
 *
 * @param depth `full` also compares indexes with their tables, which takes several times as long.
 */
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
    // A search index that SQLite cannot open ends the whole check, so each table is checked alone.
    const tables = db.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    ).all();
    return tables.flatMap(({ name }) => check(quotedName(String(name)))).slice(0, MAX_FAULTS);
  }
}

/** Rows that refer to rows that are not there, in words; empty when there are none. */
export function foreignKeyFaults(db: DatabaseSync): string[] {
  return db.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_FAULTS)
    .map((row) =>
      `row ${row["rowid"]} of ${row["table"]} refers to a missing row of ${row["parent"]}`
    );
}

/** The names of a database's tables in the order of the alphabet, without SQLite's own. */
export function tableNames(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name`,
  ).all().map(({ name }) => String(name));
}

/** The size of a database, the pages of it that hold nothing, and the rows of each table: every table is read once. */
export function measureDatabase(db: DatabaseSync) {
  const { pageBytes, pages, freePages } = spaceUse(db);
  const names = tableNames(db);
  const countOf = (name: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${quotedName(name)}`).get()!["n"]);
  return {
    pageBytes,
    pages,
    freePages,
    tables: names.map((name) => ({ name, rows: countOf(name) })),
  };
}

/**
 * Makes sure that nobody is writing, and moves the log into the database file, so that the file can be put elsewhere. A
 * database that SQLite cannot work with is not being written to either.
 *
 * @returns False when another process is at work for longer than `busyTimeoutMs`.
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

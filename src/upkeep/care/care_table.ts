import type { DatabaseSync } from "node:sqlite";
import { checkpoint } from "../../db/database.ts";
import { isIndexDamageOf } from "../../memory/store.ts";
import { releasePages, spaceUse } from "./space_table.ts";
import { ordinaryTables, quotedName } from "./table_copy_table.ts";
import { connect } from "../../db/connect.ts";

/** Rows of one table. */
export interface TableCount {
  readonly name: string;
  readonly rows: number;
}

/** Sizes of a database, as SQLite counts them. */
export interface DatabaseSize {
  readonly pageBytes: number;
  readonly pages: number;
  /** Pages that hold nothing; compacting gives them back. */
  readonly freePages: number;
  readonly tables: readonly TableCount[];
}

/** Faults that one check lists at most. */
export const MAX_FAULTS = 20;

/** Free pages that one transaction gives back, so that a hook never waits long for its turn. */
const STEP_PAGES = 512;

/** The version of SQLite in this program: `3.53.2`. */
export function sqliteVersion(): string {
  const db = connect(":memory:");
  try {
    return String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
  } finally {
    db.close();
  }
}

/**
 * The faults in the pages of a database, a line each. Faults of the search index are left out: `memory_index.ts` makes it
 * anew.
 *
 * @param depth `full` also compares indexes with their tables, which takes several times as long.
 */
export function integrityFaults(db: DatabaseSync, depth: "quick" | "full"): string[] {
  const pragma = depth === "quick" ? "quick_check" : "integrity_check";
  const check = (of: string | number) =>
    db.prepare(`PRAGMA ${pragma}(${of})`).all()
      .flatMap((row) => String(Object.values(row)[0]).split("\n"))
      .filter((line) => line !== "ok" && !TITLE.test(line) && !isIndexFault(line));
  try {
    return check(MAX_FAULTS).slice(0, MAX_FAULTS);
  } catch (thrown) {
    if (!isIndexDamageOf(db, thrown)) throw thrown;
    // A search index that SQLite cannot open ends the whole check, so each table is checked alone.
    return plainTables(db).flatMap(check).slice(0, MAX_FAULTS);
  }
}

/** The title above the faults of pages. */
const TITLE = /^\*\*\* in database \w+ \*\*\*$/;

function isIndexFault(text: string): boolean {
  return /^fts5: |inverted index for FTS5 table/.test(text);
}

function plainTables(db: DatabaseSync): string[] {
  return db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND sql NOT LIKE 'CREATE VIRTUAL%'`,
  ).all().map((row) => `"${row["name"]}"`);
}

/** Tables with a number that flipped bits have made too large to be read. */
export function numberFaults(db: DatabaseSync): string[] {
  return ordinaryTables(db).flatMap((table) => {
    const numbers = db.prepare("SELECT name FROM pragma_table_info(?) WHERE type = 'INTEGER'")
      .all(table).map(({ name }) => quotedName(String(name)));
    if (numbers.length === 0) return [];
    const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const found = db.prepare(
      `SELECT count(*) AS n
         FROM ${quotedName(table)} NOT INDEXED
        WHERE ${numbers.map((name) => `${name} NOT BETWEEN ${least} AND ${most}`).join(" OR ")}`,
    ).get()!;
    return found["n"] === 0 ? [] : [`rows of ${table} with a number that cannot be: ${found["n"]}`];
  });
}

/** Rows that refer to rows that are not there, in words; empty when there are none. */
export function foreignKeyFaults(db: DatabaseSync): string[] {
  return db.prepare("PRAGMA foreign_key_check").all().slice(0, MAX_FAULTS)
    .map((row) =>
      `row ${row["rowid"]} of ${row["table"]} refers to a missing row of ${row["parent"]}`
    );
}

/** Sizes and row counts. Counting reads every table once. */
export function measureDatabase(db: DatabaseSync): DatabaseSize {
  const names = db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name`,
  ).all().map((row) => String(row["name"]));
  return {
    pageBytes: pragmaNumber(db, "page_size"),
    pages: pragmaNumber(db, "page_count"),
    freePages: pragmaNumber(db, "freelist_count"),
    tables: names.map((name) => ({
      name,
      rows: Number(
        db.prepare(`SELECT count(*) AS n FROM ${quotedName(name)}`).get()?.["n"],
      ),
    })),
  };
}

/**
 * Gives free pages back to the file system.
 *
 * `VACUUM` attaches a second database, which the runtime forbids to a program without every permission; a database
 * that was made with `auto_vacuum` can do without.
 *
 * @returns False when neither is possible here.
 */
export function compactDatabase(db: DatabaseSync): boolean {
  try {
    db.exec("VACUUM");
  } catch (thrown) {
    if (!/too many attached databases/.test(String(thrown))) throw thrown;
    if (!spaceUse(db).canShrink) return false;
    while (spaceUse(db).freeBytes > 0) releasePages(db, STEP_PAGES);
  }
  checkpoint(db, "TRUNCATE");
  return true;
}

/** Makes a database that nobody uses work with a write-ahead log; other tools leave copies that do not. */
export function keepLog(path: string): void {
  const db = connect(path);
  try {
    db.exec("PRAGMA journal_mode = WAL");
  } finally {
    db.close();
  }
}

/**
 * Makes sure that nobody is writing, and moves the log into the database file, so that the file can be put elsewhere.
 *
 * @returns False when another process is at work.
 */
export function settleDatabase(path: string, options: { readonly busyTimeoutMs: number }): boolean {
  const db = connect(path, { timeout: options.busyTimeoutMs });
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("ROLLBACK");
    return !checkpoint(db, "TRUNCATE").busy;
  } catch (thrown) {
    if (/locked|busy/i.test(String(thrown))) return false;
    throw thrown;
  } finally {
    db.close();
  }
}

function pragmaNumber(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

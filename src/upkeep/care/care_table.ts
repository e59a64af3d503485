/** What SQLite says of a whole database: its faults, its size, its schema; and how it gives room back. */
import type { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy } from "../../base/errors.ts";
import { checkpoint } from "../../db/database.ts";
import { isIndexDamageOf } from "../../memory/store.ts";
import { ordinaryTables, quotedName } from "./table_copy_table.ts";
import { connect } from "../../db/connect.ts";
import { migrate } from "../../db/migrate.ts";

/** Faults that one check lists at most. */
export const MAX_FAULTS = 20;

/** Free pages that one transaction gives back, in about 30 ms: a hook never waits long. */
const STEP_PAGES = 512;

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

/** The size of a database, the pages of it that hold nothing, and the rows of each table: every table is read once. */
export function measureDatabase(db: DatabaseSync) {
  const size = db.prepare(
    `SELECT page_size AS pageBytes, page_count AS pages, freelist_count AS freePages
       FROM pragma_page_size, pragma_page_count, pragma_freelist_count`,
  ).get() as { readonly pageBytes: number; readonly pages: number; readonly freePages: number };
  const names = db.prepare(
    `SELECT name
       FROM sqlite_schema
      WHERE type = 'table'
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY name`,
  ).all().map(({ name }) => String(name));
  const countOf = (name: string) =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${quotedName(name)}`).get()!["n"]);
  return { ...size, tables: names.map((name) => ({ name, rows: countOf(name) })) };
}

/**
 * Gives free pages back to the file system. `VACUUM` would attach a second database, which the runtime forbids to a
 * program without every permission.
 *
 * @returns False for a database that was not made with `auto_vacuum`: its free pages stay.
 */
export function compactDatabase(db: DatabaseSync): boolean {
  if (!spaceUse(db).canShrink) return false;
  while (spaceUse(db).freeBytes > 0) releasePages(db);
  checkpoint(db, "TRUNCATE");
  return true;
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

/** How much room a database takes, in bytes. */
export interface SpaceUse {
  /** The database file once everything of the write-ahead log is in it. */
  readonly fileBytes: number;
  /** Bytes of these in free pages, which later writes fill before the file grows. */
  readonly freeBytes: number;
  /** False for a database that was not made with `auto_vacuum`: its free pages stay in the file. */
  readonly canShrink: boolean;
}

/** Reads the page counts of a database; nothing of its content. */
export function spaceUse(db: DatabaseSync): SpaceUse {
  const row = db.prepare(
    `SELECT page_count * page_size AS fileBytes, freelist_count * page_size AS freeBytes, auto_vacuum
       FROM pragma_page_count, pragma_page_size, pragma_freelist_count, pragma_auto_vacuum`,
  ).get()!;
  return {
    fileBytes: Number(row["fileBytes"]),
    freeBytes: Number(row["freeBytes"]),
    canShrink: row["auto_vacuum"] !== 0,
  };
}

/** Gives back some free pages in one short transaction; the next checkpoint shortens the file. */
export function releasePages(db: DatabaseSync): void {
  // Each row that is read frees one page.
  db.prepare(`PRAGMA incremental_vacuum(${STEP_PAGES})`).all();
}

/** Runs `work` with another time to wait for locks, in milliseconds, and sets the former one back. */
export function withBusyTimeout<Result>(
  db: DatabaseSync,
  timeoutMs: number,
  work: () => Result,
): Result {
  const former = Number(db.prepare("PRAGMA busy_timeout").get()?.["timeout"] ?? 0);
  db.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
  try {
    return work();
  } finally {
    db.exec(`PRAGMA busy_timeout = ${former}`);
  }
}

/** A table, an index or a trigger, and the statement that makes it. */
interface Part {
  readonly type: "table" | "index" | "trigger";
  readonly name: string;
  readonly sql: string;
}

/** A part that a database lacks, or has otherwise than this program makes it. */
export interface SchemaDifference extends Part {
  readonly isGone: boolean;
}

/** The parts of a database that are missing or differ. */
export function schemaDifferences(db: DatabaseSync): SchemaDifference[] {
  using fresh = connect(":memory:");
  migrate(fresh, ":memory:");
  const keyOf = ({ type, name }: Part) => `${type} ${name}`;
  const present = new Map(partsOf(db).map((part) => [keyOf(part), part.sql]));
  return partsOf(fresh)
    .filter((part) => present.get(keyOf(part)) !== part.sql)
    .map((part) => ({ ...part, isGone: !present.has(keyOf(part)) }));
}

/** In the order in which they were made: a table comes before its indexes. */
function partsOf(db: DatabaseSync): Part[] {
  return db.prepare(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
  )
    .all() as unknown as Part[];
}

/** The same, a sentence each. */
export function schemaFaults(found: readonly SchemaDifference[]): string[] {
  return found.map(({ type, name, isGone }) =>
    `the ${type} ${name} ${isGone ? "is missing" : "is not as this program makes it"}`
  );
}

/** Whether it belongs to the search index, which is made anew as a whole. */
export function isOfSearchIndex({ name, sql }: Part): boolean {
  return name.startsWith("memory_index") || /\bINTO memory_index\b/.test(sql);
}

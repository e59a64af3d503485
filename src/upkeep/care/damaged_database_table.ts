/** Opens a damaged database as far as SQLite can read it, and copies its tables into the one that takes its place. */
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../migrations/mod.ts";
import {
  APPLICATION_ID,
  SCHEMA_VERSION,
  schemaVersion,
  transaction,
} from "../../db/transaction.ts";
import { copyReadable, orDamaged, ordinaryTables } from "./table_copy_table.ts";
import { schemaDifferences } from "./care_table.ts";
import { withoutTriggers } from "./settle_rows_table.ts";
import { openSync } from "../../system/files.ts";
import { connect } from "../../db/connect.ts";

/** https://sqlite.org/fileformat2.html, §1.3: the fields of a header that describe its own file. */
const HEADER_BYTES = 100;
const FREE_PAGES_AT = [32, 40] as const;
const PAGES_VALID_AT = [92, 96] as const;

/** A damaged database that can be read in part. */
export interface DamagedDatabase {
  readonly db: DatabaseSync;
  /** Of its schema. */
  readonly version: number;
}

/**
 * Opens a copy of a damaged database that nobody else has open. The database may be cut short, its header overwritten, its
 * definitions of tables damaged. The copy may be changed.
 *
 * @param model A sound database of this program: its header takes the place of one that is lost.
 * @returns Null where SQLite can read nothing of it.
 */
export function openDamaged(copy: string, model: string): DamagedDatabase | null {
  for (const isLastTry of [false, true]) {
    const db = openLeniently(copy);
    try {
      if (db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!["n"] !== 0) {
        const version = versionOf(db);
        correctDefinitions(db, version);
        db.close();
        return { db: openLeniently(copy), version };
      }
    } catch {
      // Without a header that it knows SQLite takes no file for a database.
    }
    if (db.isOpen) db.close();
    if (!isLastTry) giveHeader(copy, model);
  }
  return null;
}

/** With `writable_schema` SQLite opens a file that was cut short, and ignores definitions that it cannot read. */
function openLeniently(path: string): DatabaseSync {
  const db = connect(path);
  if ("enableDefensive" in db) {
    (db as DatabaseSync & { enableDefensive(isOn: boolean): void }).enableDefensive(false);
  }
  try {
    db.exec("PRAGMA writable_schema = ON");
  } catch {
    // It needs another header first.
  }
  return db;
}

/** The schema version, judged by the tables: damage may have changed the number that the file states. */
function versionOf(db: DatabaseSync): number {
  const told = schemaVersion(db);
  const isKnown = told > 0 && told <= SCHEMA_VERSION;
  return isKnown && schemaDifferences(db).length > 0 ? told : SCHEMA_VERSION;
}

/** Replaces definitions that differ by this program's: SQLite finds the rows by the page that stands beside them. */
function correctDefinitions(db: DatabaseSync, version: number): void {
  using model = connect(":memory:");
  try {
    makeTables(model, version);
    const change = db.prepare(
      "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2 AND sql IS NOT ?1",
    );
    const parts = model.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql IS NOT NULL",
    ).all();
    for (const { name, sql } of parts) orDamaged(() => change.run(sql!, name!), () => null);
  } catch {
    // The table of definitions cannot be written, so they are used as they are.
  }
}

function giveHeader(path: string, model: string): void {
  const header = new Uint8Array(HEADER_BYTES);
  {
    using file = openSync(model);
    file.readSync(header);
  }
  // With zeros here SQLite takes the page count from the length of the file, and no page as free.
  header.fill(0, ...FREE_PAGES_AT);
  header.fill(0, ...PAGES_VALID_AT);
  using file = openSync(path, { write: true });
  file.writeSync(header);
}

/** Makes an empty database (0600) with the schema of a version, in the place of what is there. */
export function makeEmpty(path: string, version: number): void {
  openSync(path, { write: true, create: true, truncate: true, mode: 0o600 }).close();
  using db = connect(path);
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = OFF");
  transaction(db, () => {
    makeTables(db, version);
    db.exec(`PRAGMA user_version = ${version}`);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

function makeTables(db: DatabaseSync, version: number): void {
  for (const step of MIGRATIONS) if (step.version <= version) db.exec(step.sql);
}

/** The highest numbers that were given to rows, by table; none where that cannot be read. */
export function givenNumbers(db: DatabaseSync): ReadonlyMap<string, number> {
  const rows = orDamaged(
    () => db.prepare("SELECT name, seq FROM sqlite_sequence").all(),
    () => [],
  );
  return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]));
}

/** Tables that refuse every write while another database takes the place of theirs. */
const FENCED_TABLES = ["sessions", "hook_executions", "pending_queue", "observations"];

/** How many rows of one table came back. */
export interface MendedTable {
  readonly table: string;
  readonly read: number;
  /** Taken from the backup. */
  readonly filled: number;
  /** At least so many are gone. */
  readonly gone: number;
  /** True when every row could be read. */
  readonly isWhole: boolean;
}

/** Copies what can be read of every table into an empty database that nobody else has open. */
export function copyTables(from: DatabaseSync, draft: string): MendedTable[] {
  using to = connect(draft);
  to.exec("PRAGMA foreign_keys = OFF");
  return withoutTriggers(to, () =>
    ordinaryTables(to).map((table) => {
      const copied = transaction(to, () => copyReadable(from, to, { table, keepsNumbers: true }));
      return {
        table,
        read: copied.rows,
        filled: 0,
        gone: copied.lost,
        isWhole: copied.isWhole,
      };
    }));
}

/** Keeps others from writing to a database. */
export interface HeldWrites {
  /** Lets nobody write any more, for good: another database takes its place. */
  end(): void;
  release(): void;
}

/** Holds the writes to a damaged database while it is read. One that is too damaged to be written to needs no holding. */
export function holdWrites(
  database: string,
  { busyTimeoutMs }: { readonly busyTimeoutMs: number },
): HeldWrites {
  let db: DatabaseSync | null = null;
  try {
    db = connect(database, { timeout: busyTimeoutMs });
    db.exec("BEGIN IMMEDIATE");
  } catch {
    // Nobody can write to it.
  }
  return {
    end: () => {
      try {
        if (db !== null) failWrites(db);
        db?.exec("COMMIT");
      } catch {
        // Nobody can write to it.
      }
    },
    release: () => db?.close(),
  };
}

/** Lets the next write of a process fail that has the database open; it keeps the record in the spool. */
function failWrites(db: DatabaseSync): void {
  for (const table of FENCED_TABLES) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      db.exec(
        `CREATE TRIGGER IF NOT EXISTS replaced_${table}_${change} BEFORE ${change} ON ${table}
         BEGIN SELECT RAISE(ABORT, 'the database is being replaced'); END`,
      );
    }
  }
}

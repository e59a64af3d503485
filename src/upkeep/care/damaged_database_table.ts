/** Opens a damaged database as far as SQLite can read it, and makes the one that takes its place. */
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../migrations/mod.ts";
import { quietly } from "../../base/errors.ts";
import {
  APPLICATION_ID,
  SCHEMA_VERSION,
  schemaVersion,
  transaction,
} from "../../db/transaction.ts";
import { orDamaged, ordinaryTables } from "../../db/table_copy.ts";
import { schemaDifferences } from "../../db/migrate.ts";
import { openSync } from "../../system/files.ts";
import { connect } from "../../db/connect.ts";

/** https://sqlite.org/fileformat2.html, §1.3: the fields of a header that describe its own file. */
const HEADER_BYTES = 100;
const FREE_PAGES_AT = [32, 40] as const;
const PAGES_VALID_AT = [92, 96] as const;

/**
 * Opens a copy of a damaged database that nobody else has open, and makes an empty database of its schema. The damaged one
 * may be cut short, its header overwritten, its definitions of tables damaged; the copy is changed where that helps.
 *
 * @param draft Where the empty database is made; its header takes the place of one that is lost.
 * @returns Null where SQLite can read nothing of it.
 */
export function openDamaged(copy: string, draft: string): DatabaseSync | null {
  makeEmpty(draft, SCHEMA_VERSION);
  for (const lacksHeader of [false, true]) {
    if (lacksHeader) giveHeader(copy, draft);
    using db = openLeniently(copy);
    // Without a header that it knows SQLite takes no file for a database.
    const version = orDamaged(() => versionOf(db), () => null);
    if (version === null) continue;
    if (version < SCHEMA_VERSION) makeEmpty(draft, version);
    // Where the table of definitions cannot be written, they are used as they are.
    quietly(() => correctDefinitions(db, draft));
    db.close();
    return openLeniently(copy);
  }
  return null;
}

/** With `writable_schema` SQLite opens a file that was cut short, and ignores definitions that it cannot read. */
function openLeniently(path: string): DatabaseSync {
  const db = connect(path, { defensive: false } as object);
  // A file that needs another header first refuses it.
  quietly(() => db.exec("PRAGMA writable_schema = ON"));
  return db;
}

/**
 * The schema version, judged by the tables: damage may have changed the number that the file states.
 *
 * @returns Null where there is no table.
 */
function versionOf(db: DatabaseSync): number | null {
  if (db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!["n"] === 0) return null;
  const told = schemaVersion(db);
  const isKnown = told > 0 && told <= SCHEMA_VERSION;
  return isKnown && schemaDifferences(db).length > 0 ? told : SCHEMA_VERSION;
}

/** Replaces definitions that differ by this program's: SQLite finds the rows by the page that stands beside them. */
function correctDefinitions(db: DatabaseSync, draft: string): void {
  using model = connect(draft);
  const parts = model.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND sql IS NOT NULL",
  ).all();
  const change = db.prepare(
    "UPDATE sqlite_schema SET sql = ?1 WHERE type = 'table' AND name = ?2 AND sql IS NOT ?1",
  );
  for (const { name, sql } of parts) orDamaged(() => change.run(sql!, name!), () => null);
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
function makeEmpty(path: string, version: number): void {
  openSync(path, { write: true, create: true, truncate: true, mode: 0o600 }).close();
  using db = connect(path);
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF");
  transaction(db, () => {
    for (const step of MIGRATIONS) if (step.version <= version) db.exec(step.sql);
    db.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Keeps others from writing to a database while it is read, until it is closed; null where nobody can write to it. */
export function holdWrites(database: string, busyTimeoutMs: number): DatabaseSync | null {
  const db = quietly(() => connect(database, { timeout: busyTimeoutMs })) ?? null;
  try {
    db?.exec("BEGIN IMMEDIATE");
    return db;
  } catch {
    db?.close();
    return null;
  }
}

/**
 * Lets every later write to a database that is held fail, since another one takes its place: a process that has it open
 * keeps its records in the spool.
 */
export function endWrites(held: DatabaseSync): void {
  for (const table of ordinaryTables(held)) {
    for (const change of ["INSERT", "UPDATE", "DELETE"]) {
      held.exec(
        `CREATE TRIGGER IF NOT EXISTS replaced_${table}_${change} BEFORE ${change} ON ${table}
         BEGIN SELECT RAISE(ABORT, 'the database is being replaced'); END`,
      );
    }
  }
  held.exec("COMMIT");
}

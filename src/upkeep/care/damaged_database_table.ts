/** Opens a damaged database as far as SQLite can read it, makes its empty successor, and ends writes to the old one. */
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

/** The fields of a header that describe its own file, see https://sqlite.org/fileformat2.html, §1.3. */
const HEADER_BYTES = 100;
const FREE_PAGES_AT = [32, 40] as const;
const PAGES_VALID_AT = [92, 96] as const;

/**
 * Opens a private copy of a damaged database, and makes an empty database with the same schema. The copy may be cut
 * short, with a lost header or damaged table definitions; this function corrects the copy where that helps.
 *
 * @param draft The path of the empty database; its header replaces a lost one.
 * @returns Null if SQLite can read nothing of the copy.
 */
export function openDamaged(copy: string, draft: string): DatabaseSync | null {
  makeEmpty(draft, SCHEMA_VERSION);
  for (const lacksHeader of [false, true]) {
    if (lacksHeader) giveHeader(copy, draft);
    using db = openLeniently(copy);
    // SQLite opens no file whose header it does not know.
    const version = orDamaged(() => versionOf(db), () => null);
    if (version === null) continue;
    if (version < SCHEMA_VERSION) makeEmpty(draft, version);
    // If the table of definitions cannot be written, its definitions stay as they are.
    quietly(() => correctDefinitions(db, draft));
    db.close();
    return openLeniently(copy);
  }
  return null;
}

/** Opens a database with `writable_schema`: SQLite then accepts a cut file and ignores unreadable definitions. */
function openLeniently(path: string): DatabaseSync {
  const db = connect(path, { defensive: false } as object);
  // A file with a lost header refuses this.
  quietly(() => db.exec("PRAGMA writable_schema = ON"));
  return db;
}

/**
 * Finds the schema version by the tables, since damage may have changed the number in the file.
 *
 * @returns Null if there is no table.
 */
function versionOf(db: DatabaseSync): number | null {
  if (db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()!["n"] === 0) return null;
  const stated = schemaVersion(db);
  const isKnown = stated > 0 && stated <= SCHEMA_VERSION;
  return isKnown && schemaDifferences(db).length > 0 ? stated : SCHEMA_VERSION;
}

/** Replaces differing table definitions by this program's; SQLite finds the rows by the page number in the same row. */
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
  // With zeros here SQLite takes the page count from the file's length, and treats no page as free.
  header.fill(0, ...FREE_PAGES_AT);
  header.fill(0, ...PAGES_VALID_AT);
  using file = openSync(path, { write: true });
  file.writeSync(header);
}

/** Makes an empty database (0600) with the schema of a version; overwrites a file at the path. */
function makeEmpty(path: string, version: number): void {
  openSync(path, { write: true, create: true, truncate: true, mode: 0o600 }).close();
  using db = connect(path);
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF");
  transaction(db, () => {
    for (const step of MIGRATIONS) if (step.version <= version) db.exec(step.sql);
    db.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/** Locks a database against writes until the returned connection is closed; null if nobody can write to it anyway. */
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
 * Makes every later write to a locked database fail, since another database takes its place. A process that still has
 * it open then keeps its records in the spool.
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

/** Runs transactions, and reads the schema version of a database. */
import type { DatabaseSync } from "node:sqlite";

/** The `PRAGMA user_version` that this program reads and writes; equal to the number of migrations. */
export const SCHEMA_VERSION = 30;

/** The `PRAGMA application_id` of a conclaude database: "conc" in ASCII. */
export const APPLICATION_ID = 0x636f6e63;

/** A database that a newer program has migrated. It is read and written by that program only. */
export class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
  constructor(version: number) {
    const known = `this program knows ${SCHEMA_VERSION}: a newer conclaude has been here`;
    super(`the database has schema version ${version}, ${known}`);
  }
}

/** A database that needs a migration which takes too long here. */
export class SchemaBehindError extends Error {
  override readonly name = "SchemaBehindError";
  constructor(version: number) {
    const next = `a drain or a command brings it up to ${SCHEMA_VERSION}`;
    super(`the database has schema version ${version}; ${next}`);
  }
}

export class ForeignDatabaseError extends Error {
  override readonly name = "ForeignDatabaseError";
  constructor(version: number) {
    const newer = `, or of a much newer conclaude (schema version ${version})`;
    super(`the file is a database of another program${version > SCHEMA_VERSION ? newer : ""}`);
  }
}

/** Runs `work` in one write transaction; rolls back and rethrows when it throws. */
export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  return within(db, { begin: "BEGIN IMMEDIATE", end: "COMMIT", undo: "ROLLBACK" }, work);
}

/** Runs `work` inside of a transaction; undoes all of it when it throws, and rethrows. */
export function allOrNothing<Result>(db: DatabaseSync, work: () => Result): Result {
  const end = "RELEASE all_or_nothing";
  const undo = `ROLLBACK TO all_or_nothing; ${end}`;
  return within(db, { begin: "SAVEPOINT all_or_nothing", end, undo }, work);
}

/** Runs `work` in one read transaction, so that it sees one state of the database. */
export function reading<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec("BEGIN");
  try {
    return work();
  } finally {
    if (db.isTransaction) db.exec("COMMIT");
  }
}

function within<Result>(
  db: DatabaseSync,
  { begin, end, undo }: Readonly<Record<"begin" | "end" | "undo", string>>,
  work: () => Result,
): Result {
  db.exec(begin);
  try {
    const result = work();
    db.exec(end);
    return result;
  } catch (thrown) {
    // A full disk or an I/O error has rolled back already; a second ROLLBACK would hide the cause.
    if (db.isTransaction) db.exec(undo);
    throw thrown;
  }
}

/** Returns a function whose result changes when another connection has written. */
export function dataVersionReader(db: DatabaseSync): () => number {
  const statement = db.prepare("PRAGMA data_version");
  return () => Number(statement.get()!["data_version"]);
}

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/** Brings the schema of a database up to date; before it drops anything, it copies the database. */
import { DatabaseSync } from "node:sqlite";
import { type Migration, MIGRATIONS } from "../../migrations/mod.ts";
import { isDatabaseBusy, messageOf } from "../base/errors.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { VERSION } from "../base/version.ts";
import { openSync, readDirSync, removeSync, renameSync } from "../system/files.ts";
import { waitMs } from "../system/processes.ts";
import { copyDatabase } from "./connect.ts";
import { noteEmptyBeginning } from "./notes.ts";
import { drainLockPath, takeLock } from "./process_lock.ts";
import { writeMeta } from "./statement.ts";
import {
  APPLICATION_ID,
  ForeignDatabaseError,
  NewerSchemaError,
  SCHEMA_VERSION,
  SchemaBehindError,
  schemaVersion,
  transaction,
} from "./transaction.ts";

/** How often the switch to the write-ahead log is tried again while others hold the file, and the pause between. */
const WAL_ATTEMPTS = 300;
const WAL_PAUSE_MS = 20;

/** What the runtime appends to SQLite's message: the whole text of the migration. */
const STATEMENT = / in \S.* at offset \d+$/;

export class MigrationError extends Error {
  override readonly name = "MigrationError";
  constructor({ version, name }: Migration, cause: unknown) {
    super(`migration ${version} (${name}) fails: ${messageOf(cause).replace(STATEMENT, "")}`, {
      cause,
    });
  }
}

/** How long a command waits for another process that copies, in milliseconds. */
const COPY_WAIT_MS = 600_000;

/**
 * Copies the database before a migration that drops anything, to `conclaude.db.schema-22` until the next such
 * migration. The copy appears whole, or not at all; older copies are removed. Only one process copies; the others wait,
 * and find the database migrated.
 * @param options `onCopy`: called before the copy begins, with the size of the database in bytes.
 * @throws {SchemaBehindError} The database is larger than `maxCopyBytes`, or another process copies it for too long.
 * @throws {Error} What SQLite or the file system says. The database is unchanged.
 */
export async function copyBeforeDrop(
  db: DatabaseSync,
  path: string,
  { maxCopyBytes = Infinity, onCopy }: {
    readonly maxCopyBytes?: number;
    readonly onCopy?: (bytes: number) => void;
  },
): Promise<void> {
  const version = schemaVersion(db);
  const drops = MIGRATIONS.some((step) => step.drops && step.version > version);
  if (path === ":memory:" || version === 0 || !drops) return;
  const size = "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
  const bytes = Number(db.prepare(size).get()!["bytes"]);
  if (bytes > maxCopyBytes) throw new SchemaBehindError(version);
  const lockMs = maxCopyBytes === Infinity ? COPY_WAIT_MS : 0;
  using lock = takeLock(drainLockPath(path), { waitMs: lockMs });
  if (lock === null) throw new SchemaBehindError(version);
  try {
    // Another process may have migrated the database in the meantime.
    if (schemaVersion(db) !== version) return;
    const copies = `${path}.schema-`;
    const draft = `${copies}${version}.draft`;
    for (const { name } of readDirSync(parentOf(path))) {
      const other = joinPath(parentOf(path), name);
      if (other.startsWith(copies)) removeSync(other);
    }
    onCopy?.(bytes);
    openSync(draft, { write: true, create: true, truncate: true, mode: 0o600 }).close();
    await copyDatabase(db, draft);
    renameSync(draft, copies + version);
  } catch (thrown) {
    const what = "the database is copied before anything is dropped, which fails";
    throw new Error(`${what}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * Brings the schema up to this program's in one transaction. Where many processes try, one does the work.
 * @param options `wasEmpty`: the file existed already and was empty.
 * @returns The names of the applied migrations, oldest first; none when there was nothing to do.
 * @throws {NewerSchemaError | ForeignDatabaseError | MigrationError} Nothing was changed.
 */
export function migrate(db: DatabaseSync, path: string, { wasEmpty = false } = {}) {
  assertOurs(db);
  // This mode must be set before the first table is made.
  db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  if (path !== ":memory:") enterWal(db);
  return transaction(db, () => {
    const from = schemaVersion(db);
    if (from > SCHEMA_VERSION) throw new NewerSchemaError(from);
    const steps = applySteps(db, from);
    if (steps.length > 0) {
      db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      writeMeta(db, "migrated_by", VERSION);
      writeMeta(db, "migrated_at_ms", String(Date.now()));
      if (from === 0 && wasEmpty) noteEmptyBeginning(db, path, Date.now());
    }
    return { from, to: SCHEMA_VERSION, applied: steps.map((step) => step.name) };
  });
}

/** Applies every migration after a version, in the caller's transaction. @throws {MigrationError} */
export function applySteps(db: DatabaseSync, from: number): readonly Migration[] {
  const steps = MIGRATIONS.filter(({ version }) => version > from);
  for (const step of steps) {
    try {
      db.exec(step.sql);
    } catch (thrown) {
      throw new MigrationError(step, thrown);
    }
  }
  return steps;
}

/** Checks whose database it is, in one statement, so that no other process can migrate in between. */
function assertOurs(db: DatabaseSync): void {
  const row = db.prepare(
    `SELECT application_id AS application, (SELECT count(*) FROM sqlite_schema) AS tables
       FROM pragma_application_id`,
  ).get();
  if (row!["application"] === APPLICATION_ID || row!["tables"] === 0) return;
  throw new ForeignDatabaseError(schemaVersion(db));
}

/** Switches to the write-ahead log. The switch needs the file alone for a moment, and ignores SQLite's busy timeout. */
function enterWal(db: DatabaseSync): void {
  for (let attempt = 1;; attempt++) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (thrown) {
      if (attempt >= WAL_ATTEMPTS || !isDatabaseBusy(thrown)) throw thrown;
      waitMs(WAL_PAUSE_MS);
    }
  }
}

/** The names of tables that SQLite makes by itself, such as those of a virtual table. */
const MADE_BY_SQLITE = /^(?:sqlite|memory_index)_/;

/** Tries the migrations in memory on a copy of the schema. @returns The error; null when there is none. */
export function migrationFault(db: DatabaseSync): MigrationError | null {
  using copy = new DatabaseSync(":memory:");
  try {
    for (const { name, sql } of partsOf(db)) if (!MADE_BY_SQLITE.test(name)) copy.exec(sql);
    applySteps(copy, schemaVersion(db));
    return null;
  } catch (thrown) {
    if (thrown instanceof MigrationError) return thrown;
    throw thrown;
  }
}

/** A table, an index or a trigger, and the statement that makes it. */
type SchemaPart = Readonly<{ type: "table" | "index" | "trigger"; name: string; sql: string }>;

/** Returns the parts of the schema that a database lacks or has in another form; `fault` says which is the case. */
export function schemaDifferences(
  db: DatabaseSync,
): readonly (SchemaPart & { readonly fault: string })[] {
  using fresh = new DatabaseSync(":memory:");
  migrate(fresh, ":memory:");
  const keyOf = ({ type, name }: SchemaPart) => `${type} ${name}`;
  const present = new Map(partsOf(db).map((part) => [keyOf(part), part.sql]));
  return partsOf(fresh).filter((part) => present.get(keyOf(part)) !== part.sql).map((part) => {
    const state = present.has(keyOf(part)) ? "is not as this program makes it" : "is missing";
    return { ...part, fault: `the ${keyOf(part)} ${state}` };
  });
}

/** Returns the parts of a schema in the order in which they were made: a table comes before its indexes. */
function partsOf(db: DatabaseSync): SchemaPart[] {
  return db.prepare(
    `SELECT type, name, sql
       FROM sqlite_schema
      WHERE sql IS NOT NULL
      ORDER BY rowid`,
  ).all() as unknown as SchemaPart[];
}

/** Tells what kind of file lies at a database path, and opens databases for reading. */
import { DatabaseSync } from "node:sqlite";
import { isDatabaseBusy, messageOf, quietly } from "../base/errors.ts";
import { hasLog } from "./database.ts";
import { APPLICATION_ID, SCHEMA_VERSION, schemaVersion } from "./transaction.ts";
import { isFile, isNotFound, openBeside, statSync } from "../system/files.ts";
import { kindAt } from "../system/on_disk.ts";

/** What lies at a database's path. Only `ours` and `older` may be written to. */
export type DatabaseFile =
  | { readonly kind: "missing" }
  /** A file of no bytes, which SQLite takes for a new database. */
  | { readonly kind: "empty" }
  | { readonly kind: "folder" }
  /** A device, a pipe, a socket. */
  | { readonly kind: "special" }
  /** The system or another process does not let it be read. */
  | { readonly kind: "unreadable"; readonly why: string }
  /** Content that is not a SQLite database. */
  | { readonly kind: "garbage" }
  /** A SQLite database whose pages contradict each other. */
  | { readonly kind: "damaged"; readonly why: string }
  /** Another program's database. */
  | { readonly kind: "foreign" }
  /** Migrated by a newer conclaude. */
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "older"; readonly version: number }
  | { readonly kind: "ours"; readonly version: number };

export type WritableDatabase = Extract<DatabaseFile, { readonly kind: "ours" | "older" }>;

/** Tells whether a file is a database of this program's schema or an older one. */
export function mayBeWritten(file: DatabaseFile): file is WritableDatabase {
  return file.kind === "ours" || file.kind === "older";
}

/** https://sqlite.org/fileformat2.html, §1.3 */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const SCHEMA_COOKIE_AT = 40;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** How long a look waits for another process, in milliseconds. */
const LOOK_BUSY_MS = 500;

/**
 * Tells what lies at a path, and leaves it as it is: a file that is not ours is not even opened as a database, unless
 * its write-ahead log has to be read with it.
 */
export function identifyDatabase(path: string): DatabaseFile {
  let header: Uint8Array;
  try {
    const info = statSync(path);
    if (info.isDirectory) return { kind: "folder" };
    if (!info.isFile) return { kind: "special" };
    if (info.size === 0) {
      return hasLog(path)
        ? { kind: "damaged", why: "the file is empty, but its write-ahead log is not" }
        : { kind: "empty" };
    }
    header = readHeader(path);
  } catch (thrown) {
    return isNotFound(thrown)
      ? { kind: "missing" }
      : { kind: "unreadable", why: messageOf(thrown) };
  }
  if (new TextDecoder().decode(header.subarray(0, MAGIC.length)) !== MAGIC) {
    return { kind: "garbage" };
  }
  if (header.length < HEADER_BYTES) {
    return { kind: "damaged", why: `the file ends after ${header.length} bytes` };
  }
  return hasLog(path) ? askDatabase(path) : readIdentity(header);
}

/** Opens an `ours` or `older` database for reading; closing it leaves no files. @throws {Error} What SQLite says. */
export function openToLook(path: string): DatabaseSync {
  // A read-only connection would leave an empty `-wal` and `-shm` behind where there are none; the last read-write
  // connection removes them when it closes.
  const db = new DatabaseSync(path, { timeout: LOOK_BUSY_MS, readOnly: hasLog(path) });
  try {
    db.exec("PRAGMA query_only = ON");
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** Tells whether a pipe or the like has the name of the log or its index: SQLite would remove it. */
export function hasOddCompanion(path: string): boolean {
  return ["-wal", "-shm"].some((ending) => kindAt(path + ending) === "other");
}

/** Opens a database as {@linkcode openToLook}; null when it is neither `ours` nor `older`, or cannot be read. */
export function openIfOurs(path: string): DatabaseSync | null {
  if (hasOddCompanion(path) || !mayBeWritten(identifyDatabase(path))) return null;
  return quietly(() => openToLook(path)) ?? null;
}

/** Tells whether another process holds the write lock; without a log none does. @throws {Error} What SQLite says. */
export function isLocked(path: string): boolean {
  if (!isFile(`${path}-wal`)) return false;
  // This reader closes last. If the writer closed last, SQLite would move the log into the database.
  using reader = new DatabaseSync(path, { timeout: LOOK_BUSY_MS, readOnly: true });
  reader.prepare("PRAGMA schema_version").get();
  using writer = new DatabaseSync(path, { timeout: LOOK_BUSY_MS });
  try {
    writer.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (thrown) {
    if (isDatabaseBusy(thrown)) return true;
    throw thrown;
  }
}

function readHeader(path: string): Uint8Array {
  using opened = openBeside(path);
  const bytes = new Uint8Array(HEADER_BYTES);
  return bytes.subarray(0, opened.file.readSync(bytes) ?? 0);
}

/** Asks SQLite, since the write-ahead log may hold newer values than the header of the file. */
function askDatabase(path: string): DatabaseFile {
  try {
    using db = new DatabaseSync(path, { timeout: LOOK_BUSY_MS, readOnly: true });
    const id = Number(db.prepare("PRAGMA application_id").get()?.["application_id"]);
    const tables = Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"]);
    return nameIdentity({ id, version: schemaVersion(db), isBlank: tables === 0 });
  } catch (thrown) {
    const why = messageOf(thrown);
    return /malformed|not a database|corrupt/i.test(why)
      ? { kind: "damaged", why }
      : { kind: "unreadable", why };
  }
}

function readIdentity(header: Uint8Array): DatabaseFile {
  const view = new DataView(header.buffer, header.byteOffset);
  return nameIdentity({
    id: view.getInt32(APPLICATION_ID_AT),
    version: view.getInt32(USER_VERSION_AT),
    // The cookie is raised with every change of the schema.
    isBlank: view.getInt32(SCHEMA_COOKIE_AT) === 0,
  });
}

function nameIdentity(
  { id, version, isBlank }: Readonly<{ id: number; version: number; isBlank: boolean }>,
): DatabaseFile {
  if (id !== APPLICATION_ID && !isBlank) return { kind: "foreign" };
  if (version > SCHEMA_VERSION) return { kind: "newer", version };
  return { kind: version < SCHEMA_VERSION ? "older" : "ours", version };
}

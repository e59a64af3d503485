/** Opens the database for writing, and keeps its write-ahead log short. */
import { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { parentOf, resolvePath } from "../base/paths.ts";
import {
  APPLICATION_ID,
  ForeignDatabaseError,
  NewerSchemaError,
  SCHEMA_VERSION,
} from "./transaction.ts";
import {
  type FileInfo,
  isNotFound,
  lstatSync,
  makePrivateFile,
  noteHolder,
  readLinkSync,
  statSync,
} from "../system/files.ts";
import { userId } from "../system/environment.ts";

/** A longer chain of links is left to SQLite, which refuses it. */
const MAX_LINKS = 8;

/** How often a file that seems truncated is checked again, and the pause between. */
const TRUNCATED_ROUNDS = 40;
const TRUNCATED_PAUSE_MS = 25;

export interface OpenOptions {
  /** How long a statement waits for another process's lock, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Refuses a file that is a link or belongs to another user: for a folder that others can write to. */
  readonly ownOnly?: boolean;
  /** A larger database is not migrated here: a migration that drops anything copies the database first. */
  readonly maxCopyBytes?: number;
  /** Called before such a copy begins, with the size of the database in bytes. */
  readonly onCopy?: (bytes: number) => void;
}

/**
 * Opens the database for writing, makes it when it is missing (folder 0700, file 0600), and migrates an older schema.
 * Nobody has to close it: a commit in the write-ahead log survives the death of the process.
 * @param path Absolute path, or `:memory:`.
 * @throws {NewerSchemaError | SchemaBehindError | ForeignDatabaseError} The file is left untouched.
 * @throws {Error} SQLite or the system refuses.
 */
export async function openDatabase(path: string, options: OpenOptions): Promise<DatabaseSync> {
  const wasEmpty = path !== ":memory:" && createPrivateFile(path, options.ownOnly ?? false);
  const db = new DatabaseSync(path, { timeout: options.busyTimeoutMs });
  noteHolder(path, db);
  try {
    db.exec(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = ON",
    );
    const { version, isOurs } = identityOf(db);
    if (!isOurs && version !== 0) throw new ForeignDatabaseError(version);
    if (version > SCHEMA_VERSION) throw new NewerSchemaError(version);
    if (version < SCHEMA_VERSION) {
      const { copyBeforeDrop, migrate } = await import("./migrate.ts");
      await copyBeforeDrop(db, path, options);
      migrate(db, path, { wasEmpty });
    }
    return db;
  } catch (thrown) {
    quietly(() => db.close());
    throw thrown;
  }
}

/**
 * Moves the write-ahead log into the database file. @param mode TRUNCATE waits for readers and empties it.
 * @returns `busy`: whether another process prevented it from moving everything.
 */
export function checkpoint(db: DatabaseSync, mode: "PASSIVE" | "FULL" | "RESTART" | "TRUNCATE") {
  const row = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get() ?? {};
  return {
    busy: Number(row["busy"]) !== 0,
    walPages: Number(row["log"]),
    movedPages: Number(row["checkpointed"]),
  };
}

/** In bytes. Every hook reads the whole log, since no process stays to keep its index; a longer log is too slow. */
const MAX_LOG_BYTES = 300_000;

/** Tells whether the write-ahead log is so long that hooks are slow. */
export function isLogLong(path: string): boolean {
  return logBytes(path) > MAX_LOG_BYTES;
}

/** Returns the schema version of a database, 0 in a new file, and whether it is this program's. */
function identityOf(db: DatabaseSync): { readonly version: number; readonly isOurs: boolean } {
  const row = db.prepare(
    `SELECT user_version AS version, application_id AS application
       FROM pragma_user_version, pragma_application_id`,
  ).get();
  return { version: Number(row!["version"]), isOurs: row!["application"] === APPLICATION_ID };
}

/** The size of the header, which every database has. */
const SMALLEST_BYTES = 100;

/**
 * Makes the file with mode 0600. SQLite would use the umask; it gives `-wal` and `-shm` the permissions of the file.
 * @returns Whether there is a file already that has no bytes.
 */
function createPrivateFile(path: string, ownOnly: boolean, links = 0): boolean {
  try {
    const info = lstatSync(path);
    if (ownOnly && !isOwnFile(info)) {
      throw new Error("the file in the shared temporary folder is not this user's own");
    }
    if (info.size === 0 && staysTruncated(path)) {
      // SQLite would take the file for a new database, and throw away the log with all that is in it.
      throw new Error(
        "the database file is empty, but its write-ahead log is not: it was truncated",
      );
    }
    if (info.isSymlink && links < MAX_LINKS) {
      const target = resolvePath(readLinkSync(path), { folder: parentOf(path) });
      return createPrivateFile(target, ownOnly, links + 1);
    }
    if (info.isFile && info.size > 0 && info.size < SMALLEST_BYTES) {
      // SQLite would take this file, too, for a new database, and write over it.
      throw new Error("file is not a database");
    }
    return info.size === 0;
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
  }
  makePrivateFile(path);
  return false;
}

/** Tells whether this user owns a file, and it is no link: anybody can put one into a folder that others write to. */
export function isOwnFile(info: FileInfo): boolean {
  return !info.isSymlink && info.uid === userId();
}

/** Tells whether an empty file keeps its write-ahead log; a file that another process is making looks so briefly. */
function staysTruncated(path: string): boolean {
  for (let round = 0; round < TRUNCATED_ROUNDS; round++) {
    if (!hasLog(path) || lstatSync(path).size > 0) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRUNCATED_PAUSE_MS);
  }
  return true;
}

/** Tells whether a database has a write-ahead log with anything in it. */
export function hasLog(path: string): boolean {
  return logBytes(path) > 0;
}

function logBytes(path: string): number {
  return quietly(() => statSync(`${path}-wal`).size) ?? 0;
}

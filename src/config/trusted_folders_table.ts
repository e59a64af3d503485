/** Reads and writes the list of folders that a person trusts although others may write there. */
import type { DatabaseSync } from "node:sqlite";
import { statSync } from "../system/files.ts";

/** How long a read waits for another process, in milliseconds. */
const LOOK_BUSY_MS = 500;

/** A folder whose files count although others could have written them. */
export interface TrustedFolder {
  /** Absolute, all links followed. */
  readonly path: string;
  readonly addedAtMs: number;
}

/** Reads the trusted folders from a database that is not open yet; none when it cannot be read. */
export function trustedFolders(database: string): string[] {
  try {
    if (!statSync(database).isFile) return [];
    // `node:sqlite` is loaded only here, since few files are ever distrusted.
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    // A read-only connection would leave empty files beside a database without a log.
    using db = new DatabaseSync(database, {
      timeout: LOOK_BUSY_MS,
      readOnly: isThere(`${database}-wal`),
    });
    return listTrusted(db).map(({ path }) => path);
  } catch {
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path).size > 0;
  } catch {
    return false;
  }
}

/** Returns the folders that a person trusts, by path. @throws {Error} What SQLite says. */
export function listTrusted(db: DatabaseSync): TrustedFolder[] {
  return db.prepare(
    `SELECT path, added_at_ms AS addedAtMs
       FROM trusted_folders
      ORDER BY path`,
  ).all() as unknown as TrustedFolder[];
}

/** Adds a folder. @returns Whether it was not trusted before. */
export function addTrusted(db: DatabaseSync, { path, addedAtMs }: TrustedFolder): boolean {
  const { changes } = db.prepare(
    `INSERT INTO trusted_folders (path, added_at_ms)
     VALUES (?, ?)
     ON CONFLICT (path) DO NOTHING`,
  ).run(path, addedAtMs);
  return changes > 0;
}

/** Removes a folder. @returns Whether it was trusted before. */
export function removeTrusted(db: DatabaseSync, path: string): boolean {
  return db.prepare("DELETE FROM trusted_folders WHERE path = ?").run(path).changes > 0;
}

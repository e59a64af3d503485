/** Copies a database before a migration that drops anything, and keeps the copy until the next such migration. */
import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../migrations/mod.ts";
import { messageOf } from "../base/errors.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { openSync, readDirSync, removeSync, renameSync } from "../system/files.ts";
import { copyDatabase } from "./connect.ts";
import { drainLockPath, takeLock } from "./process_lock.ts";
import { SchemaBehindError, schemaVersion } from "./transaction.ts";

/** How long a command waits for another process that copies, in milliseconds. */
const WAIT_MS = 600_000;

/** Returns the name of the copy: `conclaude.db.schema-22`. */
export function schemaCopyPath(database: string, version: number): string {
  return `${database}.schema-${version}`;
}

/**
 * Copies the database before a migration that drops anything. The copy appears whole, or not at all; older copies are
 * removed. Only one process copies; the others wait, and find the database migrated.
 *
 * @param options `onCopy`: called before the copy begins, with the size of the database in bytes.
 *
 * @throws {SchemaBehindError} The database is larger than `maxBytes`, or another process copies it for too long.
 * @throws {Error} What SQLite or the file system says. The database is unchanged.
 */
export async function copyBeforeDrop(
  db: DatabaseSync,
  path: string,
  { maxBytes, onCopy }: {
    readonly maxBytes: number;
    readonly onCopy?: ((bytes: number) => void) | undefined;
  },
): Promise<void> {
  const version = schemaVersion(db);
  const drops = MIGRATIONS.some((step) => step.drops && step.version > version);
  if (path === ":memory:" || version === 0 || !drops) return;
  const bytes = sizeOf(db);
  if (bytes > maxBytes) throw new SchemaBehindError(path, version);
  using lock = takeLock(drainLockPath(path), { waitMs: maxBytes === Infinity ? WAIT_MS : 0 });
  if (lock === null) throw new SchemaBehindError(path, version);
  try {
    // Another process may have migrated the database in the meantime.
    if (schemaVersion(db) !== version) return;
    const copy = schemaCopyPath(path, version);
    const draft = `${copy}.draft`;
    removeOthers(path);
    onCopy?.(bytes);
    openSync(draft, { write: true, create: true, truncate: true, mode: 0o600 }).close();
    await copyDatabase(db, draft);
    renameSync(draft, copy);
  } catch (thrown) {
    const what = "the database is copied before anything is dropped, which fails";
    throw new Error(`${what}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Removes the copies of earlier migrations, and the draft that a killed process has left. */
function removeOthers(database: string): void {
  const folder = parentOf(database);
  const beginning = schemaCopyPath(database, 0).slice(folder.length + 1, -1);
  for (const { name } of readDirSync(folder)) {
    if (name.startsWith(beginning)) removeSync(joinPath(folder, name));
  }
}

/** Returns the size of a database in bytes, with what the write-ahead log holds. */
function sizeOf(db: DatabaseSync): number {
  const row = db.prepare(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  ).get();
  return Number(row!["bytes"]);
}

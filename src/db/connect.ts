/** Opens a database without checking or making its schema. The caller must close it. */
import { backup, DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";

/** Opens a file, or `:memory:`. By default no statement waits for another process. @throws {Error} What SQLite says. */
export function connect(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new DatabaseSync(path, options);
}

/** A copy takes all pages in one step, so that a busy writer cannot make it begin again and again. */
const ALL_PAGES = 2 ** 30;

/** Copies a database as it is, its log included. @param target Missing, or empty: then its permissions stay. */
export async function copyDatabase(db: DatabaseSync, target: string): Promise<void> {
  await backup(db, target, { rate: ALL_PAGES });
}

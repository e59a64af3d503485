/** A database whose tables were made in a file that was there and had no bytes: something may have cut it to nothing. */
import type { DatabaseSync } from "node:sqlite";
import { drainLockPath } from "./process_lock.ts";
import { statSync } from "../system/files.ts";

const KEY = "begun_in_empty_file";

/** That a database began in an empty file. */
export interface EmptyBeginning {
  readonly atMs: number;
  /** Whether captures had been worked in beside it before. */
  readonly wasUsed: boolean;
}

/** Notes it, in the transaction that makes the tables. */
export function noteEmptyBeginning(db: DatabaseSync, path: string, atMs: number): void {
  const told: EmptyBeginning = { atMs, wasUsed: isThere(drainLockPath(path)) };
  db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(
    KEY,
    JSON.stringify(told),
  );
}

/** What was noted; null where the file was made with the database. */
export function emptyBeginning(db: DatabaseSync): EmptyBeginning | null {
  const row = db.prepare("SELECT value FROM meta WHERE key = ?").get(KEY);
  return row === undefined ? null : JSON.parse(String(row["value"]));
}

function isThere(path: string): boolean {
  try {
    return statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Records that a database was created in a file that existed already and was empty. */
import type { DatabaseSync } from "node:sqlite";
import { isFile } from "../system/files.ts";
import { drainLockPath } from "./process_lock.ts";
import { readMeta, writeMeta } from "./statement.ts";

const EMPTY_BEGINNING = "begun_in_empty_file";

/** Says that a database was made in a file that existed without content. */
interface EmptyBeginning {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Whether a drain had run for this path before, so that an older database is lost. */
  readonly wasUsed: boolean;
}

export function noteEmptyBeginning(db: DatabaseSync, path: string, atMs: number): void {
  const noted: EmptyBeginning = { atMs, wasUsed: isFile(drainLockPath(path)) };
  writeMeta(db, EMPTY_BEGINNING, JSON.stringify(noted));
}

/** Returns the note about an empty file; null when the program itself made the file. */
export function emptyBeginning(db: DatabaseSync): EmptyBeginning | null {
  const noted = readMeta(db, EMPTY_BEGINNING);
  return noted === null ? null : JSON.parse(noted);
}

/** Notes in the database: that it was created in an empty file, and which copies of it a person has made. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { isFile } from "../system/files.ts";
import { kindAt } from "../system/on_disk.ts";
import { drainLockPath } from "./process_lock.ts";
import { readMeta, writeMeta } from "./statement.ts";

const EMPTY_BEGINNING = "begun_in_empty_file";
const WRITTEN = "written_copies";

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
  return JSON.parse(readMeta(db, EMPTY_BEGINNING) ?? "null");
}

/** A file into which a person has copied or exported the database, and when, in epoch milliseconds. */
type WrittenCopy = Readonly<{ path: string; atMs: number }>;

/** Remembers a file, so that forgetting can name it. Where this cannot be written, nothing can be forgotten either. */
export function noteCopy(db: DatabaseSync, copy: WrittenCopy): void {
  const others = writtenCopies(db).filter(({ path }) => path !== copy.path);
  quietly(() => writeMeta(db, WRITTEN, JSON.stringify([...others, copy])));
}

/** Returns the remembered files that still exist. */
export function writtenCopies(db: DatabaseSync): WrittenCopy[] {
  const noted: WrittenCopy[] = JSON.parse(readMeta(db, WRITTEN) ?? "[]");
  return noted.filter(({ path }) => kindAt(path) === "file");
}

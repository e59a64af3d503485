/** Remembers the files into which a person has copied the database or exported it, so that forgetting can name them. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { readMeta, writeMeta } from "./statement.ts";
import { kindAt } from "../system/on_disk.ts";

const WRITTEN = "written_copies";

/** A file and the moment when it was written, in epoch milliseconds. */
interface WrittenCopy {
  readonly path: string;
  readonly atMs: number;
}

/** Remembers a file. A failed write is ignored: such a database cannot be forgotten in either. */
export function noteCopy(db: DatabaseSync, copy: WrittenCopy): void {
  const others = writtenCopies(db).filter(({ path }) => path !== copy.path);
  quietly(() => writeMeta(db, WRITTEN, JSON.stringify([...others, copy])));
}

/** Returns the remembered files that still exist. */
export function writtenCopies(db: DatabaseSync): WrittenCopy[] {
  const noted: WrittenCopy[] = JSON.parse(readMeta(db, WRITTEN) ?? "[]");
  return noted.filter(({ path }) => kindAt(path) === "file");
}

/**
 * Keeps records in files while the database cannot take them, and drains them into it later. Each record is a private
 * file, named by its id, so that names sort by time.
 */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { digestOf } from "../base/fnv.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { type EntryKind, kindOf, readJsonFile } from "../system/on_disk.ts";
import { readDirSync } from "../system/files.ts";
import {
  isPrivateFolder,
  makePrivateFolder,
  readFile,
  removeQuietly,
  renameQuietly,
  writeWhole,
} from "../system/write_file.ts";
import { type Appliers, type HookRecord, saveRecords } from "./captures.ts";

/** The layout of a spool file. A program leaves records of a newer layout alone. */
export const SPOOL_FORMAT = 3;

export interface SpooledRecord {
  readonly format: number;
  /** Absolute path of the record's database. */
  readonly database: string;
  readonly record: HookRecord;
}

/** Returns the ending of the names of all files for one database. */
export function spoolSuffix(database: string): string {
  return `.${digestOf(database).slice(0, 8)}.json`;
}

/** Writes a record into the first folder that can be written. @throws {AggregateError} When none can be. */
export function spoolRecord(
  record: HookRecord,
  target: { readonly database: string; readonly folders: readonly string[] },
): string {
  const entry: SpooledRecord = { format: SPOOL_FORMAT, database: target.database, record };
  const text = JSON.stringify(entry);
  const errors: unknown[] = [];
  for (const folder of target.folders) {
    try {
      makePrivateFolder(parentOf(folder));
      makePrivateFolder(folder);
      const path = joinPath(folder, record.id + spoolSuffix(target.database));
      writeWhole(path, text, { mode: 0o600 });
      return path;
    } catch (thrown) {
      errors.push(thrown);
    }
  }
  throw new AggregateError(errors, "no folder could take the record");
}

/** Tells whether a spool folder and the folder above it are this user's own: another user's is not trusted. */
export function isOwnSpool(folder: string): boolean {
  return quietly(() => isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder)) === true;
}

/**
 * Lists a spool folder; one that cannot be read holds nothing. The kinds tell pipes and links apart: reading a pipe would
 * wait, a link may lead anywhere.
 */
export function spoolEntries(
  folder: string,
): { readonly name: string; readonly path: string; readonly kind: EntryKind }[] {
  const entries = quietly(() => [...readDirSync(folder)]) ?? [];
  return entries.map((entry) => {
    const { name } = entry;
    return { name, path: joinPath(folder, name), kind: kindOf(entry) };
  });
}

/** Returns the database that a record is meant for; null when it does not say. */
export function databaseOfRecord(path: string): string | null {
  const { database } = Object(readJsonFile(path)) as Partial<SpooledRecord>;
  return typeof database === "string" ? database : null;
}

const BATCH_RECORDS = 50;

/** The ending of the names of files that were set aside. */
const DAMAGED_SUFFIX = ".damaged";

export interface DrainReport {
  readonly saved: number;
  /** Records that the database had already: an earlier drain was stopped before it removed their files. */
  readonly known: number;
  /** Files that were set aside because they hold no record that can be saved. */
  readonly damaged: readonly string[];
  /** Files that still wait because the time ran out. */
  readonly left: number;
}

/** The functions with which other rooms change and write records. */
export interface RecordWriters extends Appliers {
  /** Removes from records what was forgotten while they waited. */
  readonly withoutForgotten: (
    db: DatabaseSync,
    records: readonly HookRecord[],
  ) => readonly HookRecord[];
}

/** The database of a drain, and the spool folders with its records. */
export interface DrainTarget {
  readonly database: string;
  readonly folders: readonly string[];
  /** When to stop, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
}

/**
 * Returns the spool files of one database in all folders, the oldest first.
 * @param options `withDamaged`: also lists the files that were set aside as damaged.
 */
export function spooledFiles(
  { database, folders }: Pick<DrainTarget, "database" | "folders">,
  { withDamaged = false } = {},
): string[] {
  const suffix = spoolSuffix(database);
  return folders.filter(isOwnSpool).flatMap((folder) => {
    const files = spoolEntries(folder).filter(({ kind }) => kind === "file");
    return files.filter(({ name }) => withDamaged ? name.includes(suffix) : name.endsWith(suffix));
  }).sort((a, b) => a.name < b.name ? -1 : 1).map(({ path }) => path);
}

/**
 * Moves waiting records into the database, the oldest first, each exactly once: a file is removed only after the
 * commit, and the database ignores an id that it has.
 * @throws {Error} What SQLite says when it cannot write; the records stay in the spool.
 */
export function saveSpooled(
  db: DatabaseSync,
  target: DrainTarget,
  writers: RecordWriters,
): DrainReport {
  const files = spooledFiles(target);
  const report = { saved: 0, known: 0, damaged: [] as string[] };
  let done = 0;
  while (done < files.length && performance.now() < (target.untilMs ?? Infinity)) {
    const batch: SpoolFile[] = [];
    for (const path of files.slice(done, done + BATCH_RECORDS)) {
      const record = readSpooled(path);
      // Only the newer program that wrote a record can save it.
      if (record === "gone" || record === "newer") continue;
      if (record === "damaged") report.damaged.push(setAside(path));
      else batch.push({ path, record });
    }
    done += BATCH_RECORDS;
    saveBatch(db, batch, { report, writers });
  }
  return { ...report, left: Math.max(0, files.length - done) };
}

type SpoolFile = Readonly<{ path: string; record: HookRecord }>;

function saveBatch(
  db: DatabaseSync,
  batch: readonly SpoolFile[],
  options: {
    readonly report: { saved: number; known: number; readonly damaged: string[] };
    readonly writers: RecordWriters;
  },
): void {
  const { report, writers } = options;
  try {
    const records = batch.map(({ record }) => record);
    const saved = saveRecords(db, () => writers.withoutForgotten(db, records), writers);
    for (const { path } of batch) removeQuietly(path);
    report.saved += saved;
    report.known += batch.length - saved;
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    if (batch.length === 1) report.damaged.push(setAside(batch[0]!.path));
    // The tables refuse one record of the batch: saving them one by one finds it.
    else for (const entry of batch) saveBatch(db, [entry], options);
  }
}

/** Tells whether SQLite refuses the record (a constraint, a type), rather than any write (locked, full, damaged). */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof TypeError ||
    /constraint|datatype mismatch|cannot store/i.test(String(thrown));
}

function readSpooled(path: string): HookRecord | "gone" | "newer" | "damaged" {
  try {
    const file = readFile(path);
    if (file === null) return "gone";
    const entry = JSON.parse(new TextDecoder().decode(file.bytes)) as SpooledRecord;
    if (entry.format > SPOOL_FORMAT) return "newer";
    return entry.format >= 1 && path.endsWith(spoolSuffix(entry.database)) &&
        typeof entry.record.id === "string"
      ? entry.record
      : "damaged";
  } catch {
    return "damaged";
  }
}

function setAside(path: string): string {
  const aside = path + DAMAGED_SUFFIX;
  renameQuietly(path, aside);
  return aside;
}

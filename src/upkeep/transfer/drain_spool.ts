/** Moves the records that wait in the spool into the database. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../../base/paths.ts";
import { fileNamesIn, isMissing } from "../../system/on_disk.ts";
import {
  isPrivateFolder,
  readFile,
  removeQuietly,
  renameQuietly,
} from "../../system/write_file.ts";
import { type Appliers, type HookRecord, saveRecords } from "../../db/captures.ts";
import { withoutForgotten } from "../forget/forgotten_names_table.ts";
import { applyChanges } from "../../policy/store.ts";
import { applySessionChanges } from "../../work/store.ts";
import { SPOOL_FORMAT, type SpooledRecord, spoolSuffix, suffixesOf } from "../../db/spool.ts";

/** Records that go into the database in one transaction. */
const BATCH_RECORDS = 50;

/** Ends the names of files that were set aside. */
const DAMAGED_SUFFIX = ".damaged";

const APPLIERS: Appliers = { changes: applyChanges, told: applySessionChanges };

/** What a drain of the spool did. */
export interface DrainReport {
  readonly saved: number;
  /** Records that the database had already: an earlier drain was stopped before it removed their files. */
  readonly known: number;
  /** Files that were set aside because they hold no record that can be saved. */
  readonly damaged: readonly string[];
  /** Files that still wait because the time was over. */
  readonly left: number;
}

/** Which spool goes into which database. */
export interface DrainTarget {
  readonly database: string;
  readonly folders: readonly string[];
  /** When to stop, in milliseconds since the process started (`performance.now()`). */
  readonly untilMs?: number;
}

/** Whether a spool folder and the folder above it are this user's alone: another user's is not trusted. */
export function isOwnSpool(folder: string): boolean {
  try {
    return isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder);
  } catch {
    // There is no such folder.
    return false;
  }
}

/**
 * The spool files of one database in all folders, the oldest first.
 *
 * @param options `withDamaged`: also those that were set aside as damaged.
 */
export function spooledFiles(
  { database, folders }: Pick<DrainTarget, "database" | "folders">,
  { withDamaged = false } = {},
): string[] {
  return folders.filter(isOwnSpool).flatMap((folder) => {
    const names = readableNames(folder);
    const suffixes = suffixesOf(database, { folder, names });
    return names.filter((name) =>
      suffixes.some((suffix) => withDamaged ? name.includes(suffix) : name.endsWith(suffix))
    ).map((name) => ({ name, path: joinPath(folder, name) }));
  }).sort((a, b) => a.name < b.name ? -1 : 1).map(({ path }) => path);
}

function readableNames(folder: string): string[] {
  try {
    return fileNamesIn(folder);
  } catch {
    // It is gone by now, or cannot be read: nothing waits there.
    return [];
  }
}

/**
 * Moves waiting records into the database, the oldest first, each exactly once: a file is removed only after the commit,
 * and the database ignores an id that it has.
 *
 * @throws {Error} What SQLite says when it cannot write; the records stay in the spool.
 */
export function drainSpool(db: DatabaseSync, target: DrainTarget): DrainReport {
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
    saveBatch(db, batch, report);
  }
  return { ...report, left: Math.max(0, files.length - done) };
}

/**
 * Takes in what waits in the spool, before a verb reads the database.
 *
 * @returns How many records the database could not take; 0 where there is no database yet.
 */
export function takeInSpool(db: DatabaseSync, target: DrainTarget): number {
  if (isMissing(target.database)) return 0;
  try {
    return drainSpool(db, target).left;
  } catch {
    return spooledFiles(target).length;
  }
}

interface SpoolFile {
  readonly path: string;
  readonly record: HookRecord;
}

function saveBatch(
  db: DatabaseSync,
  batch: readonly SpoolFile[],
  report: { saved: number; known: number; readonly damaged: string[] },
): void {
  try {
    const records = batch.map(({ record }) => record);
    // A record may have been forgotten while it waited.
    const saved = saveRecords(db, () => withoutForgotten(db, records), APPLIERS);
    for (const { path } of batch) removeQuietly(path);
    report.saved += saved;
    report.known += batch.length - saved;
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    if (batch.length === 1) report.damaged.push(setAside(batch[0]!.path));
    // The tables refuse one record of the batch: saving them one by one finds it.
    else for (const entry of batch) saveBatch(db, [entry], report);
  }
}

/** Whether SQLite refuses the record (a constraint, a type), rather than any write (locked, full, damaged). */
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

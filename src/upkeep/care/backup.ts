/** Backups: the daily ones, those that a person makes, and how a database is copied. */
import { isUserError, messageOf, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { spoolSuffix } from "../../db/spool.ts";
import { integrityFaults } from "./care_table.ts";
import { copyDatabase } from "../../db/connect.ts";
import { openToLook } from "../../db/database_identity.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { fileStamp } from "../../base/time.ts";
import { nameDraft, openDraft, removeDraft, removeDrafts } from "./draft.ts";
import { requireOurs } from "./require_ours.ts";
import { freeName } from "./set_aside.ts";
import { isThere, namesIn, writeAdvice } from "./whole_file.ts";
import { OS } from "../../system/environment.ts";
import { lstatSync, mkdirSync, removeSync, statSync } from "../../system/files.ts";

const BACKUP_ENDING = ".db";

/** The name of a backup where nobody names a file. */
const DEFAULT_NAME = /^conclaude-[\dTZ-]+(?:\.\d+)?\.db$/;

const ON_WINDOWS = OS === "windows";

/**
 * Where a backup goes when nobody names a file: `~/.conclaude/backups/conclaude-2026-11-20T22-42-28Z.db`, or `….2.db`
 * and so on for further ones of the same second.
 */
export function defaultBackupPath(dataFolder: string, nowMs: number): string {
  const name = `conclaude-${fileStamp(nowMs)}`;
  return freeName(joinPath(backupFolder(dataFolder), name), BACKUP_ENDING);
}

/** A backup and the moment when it was made. */
export interface Backup {
  readonly path: string;
  readonly atMs: number;
}

/** Daily backups carry the mark of their database; a person gave any other name. */
const DAILY = /^daily-([\da-f]{8})-\d{4}-\d\d-\d\d\.db$/;

/** The backups in the data folder that may be of a database, the newest first. */
export function backupsOf(
  { dataFolder }: { readonly dataFolder: string },
  database: string,
): Backup[] {
  const folder = backupFolder(dataFolder);
  return namesIn(folder)
    .filter((name) => name.endsWith(BACKUP_ENDING))
    .filter((name) => [undefined, markOf(dataFolder, database)].includes(DAILY.exec(name)?.[1]))
    .map((name) => ({ path: joinPath(folder, name), atMs: changedMs(joinPath(folder, name)) }))
    .sort((one, other) =>
      other.atMs - one.atMs ||
      nameOf(other.path).localeCompare(nameOf(one.path), "en", { numeric: true })
    );
}

/** Eight digits for one of the databases that share a data folder; they stay when the folder is moved. */
function markOf(dataFolder: string, database: string): string {
  const isInside = parentOf(database) === dataFolder;
  return spoolSuffix(isInside ? baseName(database) : database).slice(1, 9);
}

function nameOf(path: string): string {
  return path.slice(0, -BACKUP_ENDING.length);
}

function changedMs(path: string): number {
  try {
    return statSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}

/** The command that lists backups: in the backup folder, else beside the file that a person named. */
export function listBackups(dataFolder: string, named: string): string {
  const folder = backupFolder(dataFolder);
  const hasBackups = namesIn(folder).some((name) => name.endsWith(BACKUP_ENDING));
  return `ls -lt ${quoteWord(hasBackups ? folder : parentOf(named))}`;
}

function backupFolder(dataFolder: string): string {
  return joinPath(dataFolder, "backups");
}

/**
 * Makes the backup of the day where there is none yet, and removes the oldest daily ones.
 *
 * @param options `keep`: how many daily backups stay; 0 makes none. @returns Its path; null where there was nothing to do.
 * @throws {UserError | Error} When the database is damaged, or there is no room; the backups stay as they are then.
 */
export async function backUpDaily(
  database: string,
  { dataFolder, keep, nowMs }: {
    readonly dataFolder: string;
    readonly keep: number;
    readonly nowMs: number;
  },
): Promise<string | null> {
  const mark = markOf(dataFolder, database);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const path = joinPath(backupFolder(dataFolder), `daily-${mark}-${day}${BACKUP_ENDING}`);
  if (keep === 0 || isThere(path)) return null;
  // `memory forget` holds this lock: no backup copies what is about to be forgotten.
  const lock = takeLock(drainLockPath(database), { waitMs: 0 });
  if (lock === null) return null;
  try {
    mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
    removeDrafts(path, (name) => DAILY.test(name));
    await copyVerified(database, path, { otherwise: "conclaude doctor" });
  } finally {
    lock.release();
  }
  const daily = backupsOf({ dataFolder }, database)
    .filter((backup) => DAILY.test(baseName(backup.path)));
  for (const old of daily.slice(keep)) removeSync(old.path);
  return path;
}

/** SQLite cannot make the file that it needs beside a database to read it. Then nobody else writes either: `cp` will do. */
const READ_ONLY = /read-only file system|os error 30\b|unable to open database/i;
/** A folder that can be written to where the home cannot. */
const ELSEWHERE = "/tmp/";

/**
 * Copies the database into a private file while hooks go on writing, checks the copy, and only then gives it its name.
 * Drafts of backups that were stopped are removed.
 *
 * @throws {UserError} When the file is there already, or the database is not one that can be copied.
 */
export async function backUp(database: string, file: string): Promise<{ readonly bytes: number }> {
  requireOurs("Cannot back up", database);
  if (isThere(file)) {
    throw new UserError(`Cannot write "${file}"`, {
      why: `${whyTaken(file)}; nothing was changed`,
      next: "conclaude db backup",
    });
  }
  try {
    mkdirSync(parentOf(file), { recursive: true, mode: 0o700 });
    removeDrafts(file, (name) => DEFAULT_NAME.test(name));
    return { bytes: await copyVerified(database, file, { otherwise: "conclaude doctor" }) };
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    throw new UserError(`Cannot write "${file}"`, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: READ_ONLY.test(messageOf(thrown))
        ? `cp ${quoteWord(database)}* ${ELSEWHERE}`
        : writeAdvice(file, thrown),
      cause: thrown,
    });
  }
}

/**
 * Copies a database, its log included, to a path that is free; the copy appears there whole and checked, or not at all.
 *
 * @param options `otherwise`: the way out when the original is damaged.
 * @returns Its size in bytes.
 * @throws {UserError} When the copy is not sound: the original is damaged then.
 */
export async function copyVerified(
  from: string,
  to: string,
  options: { readonly otherwise: string },
): Promise<number> {
  const { draft, file } = openDraft(to);
  using held = file;
  try {
    // A lock there would keep SQLite from writing as well.
    if (ON_WINDOWS) held.close();
    const source = openToLook(from);
    try {
      await copyDatabase(source, draft);
    } finally {
      source.close();
    }
    const fault = faultIn(draft);
    if (fault !== undefined) throw unsound(from, fault, options.otherwise);
    const { size } = statSync(draft);
    nameDraft(draft, to);
    return size;
  } catch (thrown) {
    throw /malformed|not a database/.test(String(thrown))
      ? unsound(from, messageOf(thrown), options.otherwise)
      : thrown;
  } finally {
    removeDraft(draft);
  }
}

function whyTaken(file: string): string {
  try {
    return lstatSync(file).isDirectory ? "it is a folder" : "the file is there already";
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The first fault of a database. */
function faultIn(path: string): string | undefined {
  using db = openToLook(path);
  return integrityFaults(db, "full")[0];
}

function unsound(path: string, fault: string, next: string): UserError {
  return new UserError(`Cannot use "${path}"`, {
    why: `it is damaged: ${fault}; nothing was changed`,
    next,
  });
}

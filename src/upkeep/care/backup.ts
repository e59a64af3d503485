/** Makes daily backups and those that a person asks for, lists them, and copies databases. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf, quietly, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { spoolSuffix } from "../../db/spool.ts";
import { emptyBeginning } from "../../db/notes.ts";
import type { Locations } from "../../system/environment.ts";
import { integrityFaults } from "./care_table.ts";
import { connect, copyDatabase } from "../../db/connect.ts";
import { openToLook } from "../../db/database_identity.ts";
import { drainLockPath, takeLock } from "../../db/process_lock.ts";
import { daysMs, fileStamp } from "../../base/time.ts";
import {
  cannotWrite,
  freeName,
  makeDraft,
  nameDraft,
  removeDraft,
  removeLeftDrafts,
} from "./database_files.ts";
import { requireOurs } from "./require_ours.ts";
import { allNamesIn, isThere } from "../../system/on_disk.ts";
import { isNotFound, lstatSync, mkdirSync, removeSync, statSync } from "../../system/files.ts";

const ENDING = ".db";

/** The name of a backup for which a person named no file. */
const DEFAULT_NAME = /^conclaude-[\dTZ-]+(?:\.\d+)?\.db$/;

/** The name of a daily backup; the group is the mark of its database. */
const DAILY = /^daily-([\da-f]{8})-\d{4}-\d\d-\d\d\.db$/;

export type Backup = Readonly<{ path: string; atMs: number }>;

function backupFolder(dataFolder: string): string {
  return joinPath(dataFolder, "backups");
}

/** Returns a free path for a backup without a given name: `~/.conclaude/backups/conclaude-2026-11-20T22-42-28Z.db`. */
export function defaultBackupPath(dataFolder: string, nowMs: number): string {
  return freeName(joinPath(backupFolder(dataFolder), `conclaude-${fileStamp(nowMs)}`), ENDING);
}

/** Lists the backups in the data folder that may belong to a database, the newest first. */
export function backupsOf(
  { dataFolder }: { readonly dataFolder: string },
  database: string,
): Backup[] {
  const folder = backupFolder(dataFolder);
  const marks = [undefined, markOf(dataFolder, database)];
  const orderOf = ({ path }: Backup) => path.slice(0, -ENDING.length);
  return allNamesIn(folder)
    .filter((name) => name.endsWith(ENDING) && marks.includes(DAILY.exec(name)?.[1]))
    .map((name) => joinPath(folder, name))
    .map((path) => ({ path, atMs: quietly(() => statSync(path).mtime?.getTime()) ?? 0 }))
    .sort((one, other) =>
      other.atMs - one.atMs ||
      orderOf(other).localeCompare(orderOf(one), "en", { numeric: true })
    );
}

/** Returns eight hexadecimal digits that mark a database in its data folder; a move of the folder keeps them. */
function markOf(dataFolder: string, database: string): string {
  const isInside = parentOf(database) === dataFolder;
  return spoolSuffix(isInside ? baseName(database) : database).slice(1, 9);
}

/** How many days a notice says that a database began anew. */
const NOTICE_DAYS = 14;

export type BeganAnew = NonNullable<ReturnType<typeof beganAnew>>;

/**
 * Describes a database that hooks began anew because something had emptied its file. `next` is the command that
 * restores a backup, or lists the folder. Returns null if nothing was lost, or if it happened long ago.
 */
export function beganAnew(
  db: DatabaseSync,
  { locations, database, nowMs }: {
    readonly locations: Locations;
    readonly database: string;
    readonly nowMs: number;
  },
) {
  const begun = emptyBeginning(db);
  if (begun === null || begun.atMs < nowMs - daysMs(NOTICE_DAYS)) return null;
  const { atMs, wasUsed } = begun;
  const backup = ownBackups(locations, database).find((one) => isOfBefore(one, atMs));
  if (!wasUsed && backup === undefined) return null;
  const [rest, next] = backup === undefined
    ? ["", `ls -l ${quoteWord(parentOf(database))}`]
    : [", but for what the newest backup holds", `conclaude db restore ${quoteWord(backup.path)}`];
  const text = `${database} began anew at ${new Date(atMs).toISOString()}: its file was empty, ` +
    `and it was not before, so something had cut it to nothing; what it held is gone${rest}`;
  return { text, next, atMs };
}

/** Whether a backup's content is older than a database that began anew at a time; the file's date may mislead. */
function isOfBefore({ path }: Backup, begunMs: number): boolean {
  const isOther = () => {
    using db = openToLook(path);
    return emptyBeginning(db)?.atMs !== begunMs;
  };
  return quietly(isOther) ?? false;
}

/** Returns the backups of the default database; none for a database that a person named. */
export function ownBackups(locations: Locations, database: string): Backup[] {
  return database === locations.database ? backupsOf(locations, database) : [];
}

/** Returns the command that lists the backup folder, or the folder of the named file if there are no backups. */
export function listBackups(dataFolder: string, named: string): string {
  const folder = backupFolder(dataFolder);
  const hasBackups = allNamesIn(folder).some((name) => name.endsWith(ENDING));
  return `ls -lt ${quoteWord(hasBackups ? folder : parentOf(named))}`;
}

/**
 * Makes the backup of the day if it is missing, and removes the oldest daily ones beyond `keep`; 0 makes none. After
 * something emptied the database, the newest backup from before stays until a person removes it.
 * @throws {UserError | Error} When the database is damaged, or there is no room; the older backups stay.
 */
export async function backUpDaily(
  database: string,
  { dataFolder, keep, nowMs }: Readonly<{ dataFolder: string; keep: number; nowMs: number }>,
): Promise<string | null> {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const name = `daily-${markOf(dataFolder, database)}-${day}${ENDING}`;
  const path = joinPath(backupFolder(dataFolder), name);
  if (keep === 0 || isThere(path)) return null;
  // `memory forget` holds this lock, so that no backup copies rows that it is removing.
  using lock = takeLock(drainLockPath(database), { waitMs: 0 });
  if (lock === null) return null;
  await copyPrivately(database, path, DAILY);
  const daily = backupsOf({ dataFolder }, database)
    .filter((backup) => DAILY.test(baseName(backup.path)));
  using db = openToLook(path);
  const begun = emptyBeginning(db);
  const before = begun && daily.find((one) => isOfBefore(one, begun.atMs));
  for (const old of daily.slice(keep)) if (old !== before) removeSync(old.path);
  return path;
}

/** Errors of a database beside which SQLite cannot make files; nobody else can write to it either, so `cp` works. */
const READ_ONLY = /read-only file system|os error 30\b|unable to open database/i;

/** Copies the database into a private, checked file while hooks go on writing. @throws {UserError} When it cannot. */
export async function backUp(database: string, file: string): Promise<{ readonly bytes: number }> {
  requireOurs("Cannot back up", database);
  let obstacle: unknown = new Error("something is there already");
  try {
    lstatSync(file);
  } catch (thrown) {
    obstacle = isNotFound(thrown) ? null : thrown;
  }
  if (obstacle !== null) throw cannotWrite(file, obstacle, "conclaude db backup");
  try {
    return { bytes: await copyPrivately(database, file, DEFAULT_NAME) };
  } catch (thrown) {
    if (isUserError(thrown)) throw thrown;
    const isReadOnly = READ_ONLY.test(messageOf(thrown));
    throw cannotWrite(file, thrown, isReadOnly ? `cp ${quoteWord(database)}* /tmp/` : undefined);
  }
}

/** Makes a backup's folder, removes left drafts of backups whose names match `alike`, and copies the database. */
async function copyPrivately(database: string, file: string, alike: RegExp): Promise<number> {
  mkdirSync(parentOf(file), { recursive: true, mode: 0o700 });
  removeLeftDrafts(file, (name) => alike.test(name));
  return await copyVerified(database, file, { otherwise: "conclaude doctor" });
}

/**
 * Copies a database with its log to a free path. The copy appears there whole and checked, or not at all.
 * @param options `otherwise`: the way out if the original is damaged. `place`: gives the checked copy its name.
 * @returns The copy's size in bytes.
 */
export async function copyVerified(
  from: string,
  to: string,
  { otherwise, place = (draft) => nameDraft(draft, to) }: {
    readonly otherwise: string;
    readonly place?: (draft: string) => void;
  },
): Promise<number> {
  const unsound = (fault: string) =>
    new UserError(`Cannot use "${from}"`, {
      why: `it is damaged: ${fault}; nothing was changed`,
      next: otherwise,
    });
  const draft = makeDraft(to);
  try {
    {
      using source = openToLook(from);
      await copyDatabase(source, draft);
      using copy = connect(draft);
      // A database that another tool copied may use no write-ahead log.
      copy.exec("PRAGMA journal_mode = WAL");
      const [fault] = integrityFaults(copy, "full");
      if (fault !== undefined) throw unsound(fault);
    }
    const { size } = statSync(draft);
    place(draft);
    return size;
  } catch (thrown) {
    throw /malformed|not a database/.test(String(thrown)) ? unsound(messageOf(thrown)) : thrown;
  } finally {
    removeDraft(draft);
  }
}

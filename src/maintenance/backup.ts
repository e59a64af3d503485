import { isUserError, messageOf, UserError } from "../errors.ts";
import { joinPath, parentOf } from "../paths.ts";
import { quoteWord } from "../settings/hooks.ts";
import { copyDatabase, integrityFaults } from "../store/care.ts";
import { openToLook } from "../store/identity.ts";
import { fileStamp } from "../time.ts";
import { nameDraft, openDraft, removeDraft, removeDrafts } from "./draft.ts";
import { requireOurs } from "./require_ours.ts";
import { freeName } from "./set_aside.ts";
import { isThere } from "./whole_file.ts";
import { writeAdvice } from "./write_advice.ts";

const BACKUP_ENDING = ".db";

/** The name of a backup that nobody gave another. */
const DEFAULT_NAME = /^conclaude-[\dTZ-]+(?:\.\d+)?\.db$/;

const ON_WINDOWS = Deno.build.os === "windows";

/**
 * Where a backup goes when nobody names a file: `~/.conclaude/backups/conclaude-2026-11-20T22-42-28Z.db`, or `….2.db`
 * and so on for further ones of the same second.
 */
export function defaultBackupPath(dataFolder: string, nowMs: number): string {
  const name = `conclaude-${fileStamp(nowMs)}`;
  return freeName(joinPath(backupFolder(dataFolder), name), BACKUP_ENDING);
}

/** The newest backup of those that nobody gave another place; null when there is none. */
export function newestBackup(dataFolder: string): string | null {
  try {
    const names = Array.from(Deno.readDirSync(backupFolder(dataFolder)), ({ name }) => name)
      .filter((name) => name.endsWith(BACKUP_ENDING))
      .map((name) => name.slice(0, -BACKUP_ENDING.length))
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const last = names.at(-1);
    return last === undefined ? null : joinPath(backupFolder(dataFolder), last + BACKUP_ENDING);
  } catch {
    return null;
  }
}

/** The command that shows which backups there are: where they lie by default, else beside the one that was named. */
export function listBackups(dataFolder: string, named: string): string {
  const newest = newestBackup(dataFolder);
  return `ls -lt ${quoteWord(newest === null ? parentOf(named) : parentOf(newest))}`;
}

function backupFolder(dataFolder: string): string {
  return joinPath(dataFolder, "backups");
}

/** SQLite makes a file beside a database to read it: where it cannot, nobody else writes either, and the files are whole. */
const READ_ONLY = /read-only file system|os error 30\b|unable to open database/i;
/** A folder that can be written to where the home cannot. */
const ELSEWHERE = "/tmp/";

/**
 * Copies the database into a private file while hooks go on writing, checks the copy, and only then gives it its name. What
 * a backup that was ended had begun to write under the name, or under one that nobody gave it, is removed.
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
    Deno.mkdirSync(parentOf(file), { recursive: true, mode: 0o700 });
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
    const { size } = Deno.statSync(draft);
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
    return Deno.lstatSync(file).isDirectory ? "it is a folder" : "the file is there already";
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** The first contradiction between the pages of a database. */
function faultIn(path: string): string | undefined {
  const db = openToLook(path);
  try {
    return integrityFaults(db, "full")[0];
  } finally {
    db.close();
  }
}

function unsound(path: string, fault: string, next: string): UserError {
  return new UserError(`Cannot use "${path}"`, {
    why: `it is damaged: ${fault}; nothing was changed`,
    next,
  });
}

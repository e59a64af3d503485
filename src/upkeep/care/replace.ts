/** Puts a backup or a new database in the place of the present one, which is set aside. */
import { messageOf, UserError } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { isSameFile } from "../../system/process/executable.ts";
import { keepLog, settleDatabase } from "./care_table.ts";
import { openDatabase } from "../../db/database.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import type { DatabaseFile } from "../../db/database_identity.ts";
import { copyVerified, listBackups } from "./backup.ts";
import { requireOurs, requireReplaceable } from "./require_ours.ts";
import { type AsideReason, removeDatabase, setAside } from "./set_aside.ts";
import { isAlreadyExists, linkSync, mkdirSync, renameSync } from "../../system/files.ts";

/** Another process may take so long to finish its write. */
const SETTLE_BUSY_MS = 3000;

/** A database that a hook makes in the same moment is set aside too, so many times. */
const MAX_ROUNDS = 5;

/** What became of the database that was there. */
export interface Replaced {
  /** Where it lies now; null when there was none. */
  readonly aside: string | null;
  /** The schema version of the new one. */
  readonly schemaVersion: number;
}

/**
 * Puts a copy of a backup in the place of the database, which is set aside with its log. The backup stays.
 *
 * @throws {UserError} When the backup is not ours, damaged or newer, or the present file belongs to somebody else.
 * The present database is where it was then.
 */
export async function restoreDatabase(
  database: string,
  options: { readonly file: string; readonly dataFolder: string; readonly nowMs: number },
): Promise<Replaced> {
  const otherwise = listBackups(options.dataFolder, options.file);
  const schemaVersion = requireOurs("Cannot restore", options.file, { instead: otherwise });
  const present = requireReplaceable("Cannot replace", database);
  if (present.kind !== "missing" && isSameFile(options.file, database)) {
    throw new UserError(`Cannot restore "${options.file}"`, {
      why: "it is the database itself",
      next: otherwise,
    });
  }
  mkdirSync(parentOf(database), { recursive: true, mode: 0o700 });
  const copy = `${database}.restored-${crypto.randomUUID().slice(0, 8)}`;
  try {
    await copyVerified(options.file, copy, { otherwise });
    keepLog(copy);
    const aside = makeRoom(database, present, { reason: "before-restore", nowMs: options.nowMs });
    install(copy, database, { reason: "before-restore", nowMs: options.nowMs });
    return { aside, schemaVersion };
  } finally {
    removeDatabase(copy);
  }
}

/**
 * Sets the database aside, whatever state it is in, and makes a new one.
 *
 * @throws {UserError} When the file belongs to somebody else, or a process is writing to it. Nothing is changed then.
 */
export async function resetDatabase(
  database: string,
  options: { readonly nowMs: number; readonly busyTimeoutMs: number },
): Promise<Replaced> {
  const present = requireReplaceable("Cannot reset", database);
  const aside = makeRoom(database, present, { reason: "before-reset", nowMs: options.nowMs });
  try {
    (await openDatabase(database, { busyTimeoutMs: options.busyTimeoutMs })).close();
  } catch (thrown) {
    throw new UserError(`Cannot make a new database at "${database}"`, {
      why: messageOf(thrown) + (aside === null ? "" : `; the former one is "${aside}"`),
      next: "conclaude doctor",
      cause: thrown,
    });
  }
  return { aside, schemaVersion: SCHEMA_VERSION };
}

/** Sets the present file aside once nobody writes to it. */
function makeRoom(
  database: string,
  present: DatabaseFile,
  options: { readonly reason: AsideReason; readonly nowMs: number },
): string | null {
  if (present.kind === "missing") return null;
  const canSettle = present.kind === "ours" || present.kind === "older";
  if (canSettle && !settles(database)) {
    throw new UserError(`Cannot set "${database}" aside`, {
      why: "another process is using it, perhaps a session of Claude Code; nothing was changed",
      next: `fuser -v ${quoteWord(database)}`,
    });
  }
  return setAside(database, options);
}

/** A database that SQLite cannot work with is not being written to either. */
function settles(database: string): boolean {
  try {
    return settleDatabase(database, { busyTimeoutMs: SETTLE_BUSY_MS });
  } catch {
    return true;
  }
}

/** Puts a file in a database's place. A hard link never replaces a file, so a database that a hook has made meanwhile is set aside. */
export function install(
  copy: string,
  database: string,
  options: { readonly reason: AsideReason; readonly nowMs: number },
): void {
  for (let round = 1;; round++) {
    try {
      linkSync(copy, database);
      return;
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) break;
      if (round === MAX_ROUNDS) throw thrown;
      setAside(database, options);
    }
  }
  // A file system without hard links.
  renameSync(copy, database);
}

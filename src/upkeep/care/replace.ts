/** Puts a backup or a new database in the place of the present one, which is set aside. */
import { messageOf, UserError } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { isSameFile } from "../../system/process/executable.ts";
import { settleDatabase } from "./care_table.ts";
import { connect } from "../../db/connect.ts";
import { openDatabase } from "../../db/database.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import type { DatabaseFile } from "../../db/database_identity.ts";
import { copyVerified, listBackups } from "./backup.ts";
import { requireOurs, requireReplaceable } from "./require_ours.ts";
import { type Aside, removeDatabase, setAside } from "./set_aside.ts";
import { isAlreadyExists, linkSync, mkdirSync, renameSync } from "../../system/files.ts";

/** Another process may take so long to finish its write. */
const SETTLE_BUSY_MS = 3000;

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
  { file, dataFolder, nowMs }: {
    readonly file: string;
    readonly dataFolder: string;
    readonly nowMs: number;
  },
): Promise<Replaced> {
  const otherwise = listBackups(dataFolder, file);
  const schemaVersion = requireOurs("Cannot restore", file, { instead: otherwise });
  const present = requireReplaceable("Cannot replace", database);
  if (present.kind !== "missing" && isSameFile(file, database)) {
    throw new UserError(`Cannot restore "${file}"`, {
      why: "it is the database itself",
      next: otherwise,
    });
  }
  mkdirSync(parentOf(database), { recursive: true, mode: 0o700 });
  const copy = `${database}.restored-${crypto.randomUUID().slice(0, 8)}`;
  try {
    await copyVerified(file, copy, { otherwise });
    {
      // Other tools leave copies that work without a write-ahead log.
      using db = connect(copy);
      db.exec("PRAGMA journal_mode = WAL");
    }
    const aside = makeRoom(database, present, { reason: "before-restore", nowMs });
    install(copy, database, { reason: "before-restore", nowMs });
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
  { nowMs, busyTimeoutMs }: { readonly nowMs: number; readonly busyTimeoutMs: number },
): Promise<Replaced> {
  const present = requireReplaceable("Cannot reset", database);
  const aside = makeRoom(database, present, { reason: "before-reset", nowMs });
  try {
    (await openDatabase(database, { busyTimeoutMs })).close();
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
function makeRoom(database: string, { kind }: DatabaseFile, options: Aside): string | null {
  if (kind === "missing") return null;
  if ((kind === "ours" || kind === "older") && !settleDatabase(database, SETTLE_BUSY_MS)) {
    throw new UserError(`Cannot set "${database}" aside`, {
      why: "another process is using it, perhaps a session of Claude Code; nothing was changed",
      next: `fuser -v ${quoteWord(database)}`,
    });
  }
  return setAside(database, options);
}

/** Puts a file in a database's place. A hard link replaces no file: a database that a hook has made meanwhile is set aside. */
export function install(copy: string, database: string, options: Aside): void {
  try {
    linkSync(copy, database);
  } catch (thrown) {
    // A file system without hard links.
    if (!isAlreadyExists(thrown)) return renameSync(copy, database);
    setAside(database, options);
    install(copy, database, options);
  }
}

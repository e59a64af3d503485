/** Replaces the present database by a backup or a new database, and sets the present one aside. */
import { UserError } from "../../base/errors.ts";
import { parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { openDatabase } from "../../db/database.ts";
import { type DatabaseFile, mayBeWritten } from "../../db/database_identity.ts";
import { SCHEMA_VERSION } from "../../db/transaction.ts";
import { mkdirSync } from "../../system/files.ts";
import { isSameFile } from "../../system/process/executable.ts";
import { copyVerified, listBackups } from "./backup.ts";
import { settleDatabase } from "./care_table.ts";
import { type Aside, placeDraft, setAside } from "./database_files.ts";
import { requireOurs, requireReplaceable } from "./require_ours.ts";

/** How long another process may take to finish its write, in milliseconds. */
const SETTLE_BUSY_MS = 3000;

/**
 * Sets the database and its log aside, and puts a copy of a backup in its place. @throws {UserError} When the backup is
 * not ours, damaged or newer, or the present file belongs to somebody else; the present database then stays.
 */
export async function restoreDatabase(
  database: string,
  { file, dataFolder, nowMs }: Readonly<{ file: string; dataFolder: string; nowMs: number }>,
) {
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
  const options = { reason: "before-restore", nowMs } as const;
  let aside: string | null = null;
  const place = (draft: string) => {
    aside = makeRoom(database, present, options);
    placeDraft(draft, database, options);
  };
  await copyVerified(file, database, { otherwise, place });
  return { aside, schemaVersion };
}

/** Sets the database aside in any state, and makes a new one. @throws {UserError} When it is foreign or written to. */
export async function resetDatabase(
  database: string,
  { nowMs, busyTimeoutMs }: { readonly nowMs: number; readonly busyTimeoutMs: number },
) {
  const present = requireReplaceable("Cannot reset", database);
  const aside = makeRoom(database, present, { reason: "before-reset", nowMs });
  (await openDatabase(database, { busyTimeoutMs })).close();
  return { aside, schemaVersion: SCHEMA_VERSION };
}

/** Waits until nobody writes to the present file, and sets it aside. */
function makeRoom(database: string, present: DatabaseFile, options: Aside): string | null {
  if (present.kind === "missing") return null;
  if (mayBeWritten(present) && !settleDatabase(database, SETTLE_BUSY_MS)) {
    throw new UserError(`Cannot set "${database}" aside`, {
      why: "another process is using it, perhaps a session of Claude Code; nothing was changed",
      next: `fuser -v ${quoteWord(database)}`,
    });
  }
  return setAside(database, options);
}

/** The files of a database, and how they are copied, removed and set aside together. */
import { messageOf, UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { fileStamp } from "../../base/time.ts";
import { isThere, targetOf } from "./whole_file.ts";
import { removeQuietly } from "../../system/write_file.ts";
import { chmodSync, copyFileSync, renameSync } from "../../system/files.ts";

/** The endings of a database's files: the database, its log, the index of the log. */
export const DATABASE_FILES: readonly string[] = ["", "-wal", "-shm"];

/** Whether a path is one of a database's files. Either may be a link or missing. */
export function isFileOf(database: string, path: string): boolean {
  return DATABASE_FILES.some((ending) =>
    path === database + ending || targetOf(path) === targetOf(database) + ending
  );
}

/** Removes a temporary database with every file that SQLite makes beside it, as far as they are there. */
export function removeDatabase(path: string): void {
  for (const ending of [...DATABASE_FILES, "-journal"]) removeQuietly(path + ending);
}

/** Copies the files of a database that nobody writes to, its log included; this user can write to the copies. */
export function copyDatabaseFiles(from: string, to: string): void {
  for (const ending of ["", "-wal"]) {
    if (ending !== "" && !isThere(from + ending)) continue;
    copyFileSync(from + ending, to + ending);
    chmodSync(to + ending, 0o600);
  }
}

/** Why and when a file is set aside: parts of its new name. */
export interface Aside {
  readonly reason: "damaged" | "before-reset" | "before-restore";
  readonly nowMs: number;
}

/**
 * Gives a database and its companions another name in the same folder, such as
 * `conclaude.db.damaged-2026-11-20T22-42-28Z`. Nothing is deleted, and it can be opened under the new name.
 *
 * @returns The new path.
 * @throws {UserError} When it cannot be renamed.
 */
export function setAside(path: string, { reason, nowMs }: Aside): string {
  const aside = freeName(`${path}.${reason}-${fileStamp(nowMs)}`);
  try {
    // The database first: a hook that comes in between makes a new one, and an emptied log beside it does no harm.
    for (const ending of DATABASE_FILES) {
      if (isThere(path + ending)) renameSync(path + ending, aside + ending);
    }
  } catch (thrown) {
    throw new UserError(`Cannot set "${path}" aside`, {
      why: messageOf(thrown),
      next: `mv ${quoteWord(path)} ${quoteWord(aside)}`,
      cause: thrown,
    });
  }
  return aside;
}

/** A free path: `wanted` and the ending, with `.2`, `.3` and so on between them where a file has that name. */
export function freeName(wanted: string, ending = ""): string {
  for (let count = 1;; count++) {
    const name = (count === 1 ? wanted : `${wanted}.${count}`) + ending;
    if (!isThere(name)) return name;
  }
}

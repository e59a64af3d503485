/** The files of a database, and drafts: how files are written beside their place, and take it when they are whole. */
import { messageOf, quietly, UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { fileStamp } from "../../base/time.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  chmodSync,
  copyFileSync,
  isAlreadyExists,
  linkSync,
  lstatSync,
  openSync,
  realOr,
  renameSync,
} from "../../system/files.ts";
import { removeQuietly } from "../../system/write_file.ts";
import { allNamesIn, isThere } from "../../system/on_disk.ts";

/** The endings of a database's files: the database, its log, the index of the log. */
export const DATABASE_FILES: readonly string[] = ["", "-wal", "-shm"];

/** Whether a path is one of a database's files. Either may be a link or missing. */
export function isFileOf(database: string, path: string): boolean {
  return DATABASE_FILES.some((ending) =>
    path === database + ending || realOr(path) === realOr(database) + ending
  );
}

/** Removes a database with every file that SQLite makes beside it, as far as they are there. */
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

/** What stands behind a file's name while it is written, to its end. */
const DRAFT_ENDING = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** A draft that nobody has written to for longer was left by a program that was stopped. */
const LEFT_MS = 3_600_000;

/** The drafts that this process writes. */
const OPEN = new Set<string>();

/** Makes an empty draft of a file (0600) in the same folder. */
export function makeDraft(path: string): string {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  openSync(draft, { write: true, createNew: true, mode: 0o600 }).close();
  OPEN.add(draft);
  return draft;
}

/**
 * Removes the drafts of a file that a stopped program left behind.
 *
 * @param isAlike Whether the drafts of another file in the folder, by its name, are removed as well.
 */
export function removeLeftDrafts(path: string, isAlike = (_name: string) => false): void {
  const [folder, base] = [parentOf(path), baseName(path)];
  for (const name of allNamesIn(folder)) {
    const of = name.replace(DRAFT_ENDING, "");
    if (of === name || of !== base && !isAlike(of)) continue;
    const draft = joinPath(folder, name);
    const changedMs = quietly(() => lstatSync(draft).mtime?.getTime()) ?? Infinity;
    if (changedMs < Date.now() - LEFT_MS) removeDatabase(draft);
  }
}

/** Removes a draft, and what SQLite made beside it where it is a database. */
export function removeDraft(draft: string): void {
  OPEN.delete(draft);
  removeDatabase(draft);
}

/** Gives a draft its name. @throws {Error} When it cannot be renamed. */
export function nameDraft(draft: string, path: string): void {
  renameSync(draft, path);
  OPEN.delete(draft);
}

/** Removes all drafts of this process, which ends. */
export function removeOpenDrafts(): void {
  OPEN.forEach(removeDraft);
}

/** The most databases, made by hooks meanwhile, that are set aside before a draft takes the place. */
const TRIED = 20;

/**
 * Gives a draft the name of a database that was set aside. A hard link replaces no file: a database that a hook has made
 * meanwhile is set aside, too.
 *
 * @throws {UserError | Error} When hooks are faster each time, or the file cannot be renamed.
 */
export function placeDraft(draft: string, database: string, options: Aside): void {
  for (let round = 0; round < TRIED; round++) {
    try {
      return linkSync(draft, database);
    } catch (thrown) {
      // A file system without hard links.
      if (!isAlreadyExists(thrown)) return nameDraft(draft, database);
      setAside(database, options);
    }
  }
  throw new UserError(`Cannot write "${database}"`, {
    why: "other processes make a new database there each time it is set aside",
    next: `ls -lt ${quoteWord(parentOf(database))}`,
  });
}

/** The command that shows, or mends, why a file could not be written: about the folder that it is to lie in. */
export function writeAdvice(path: string, thrown: unknown): string {
  const folder = parentOf(path);
  if (!isThere(folder)) return `mkdir -p ${quoteWord(folder)}`;
  const isFull = /no space|os error 28|disk is full|quota/i.test(messageOf(thrown));
  return `${isFull ? "df -h" : "ls -ld"} ${quoteWord(folder)}`;
}

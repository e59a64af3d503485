/** Removes, copies and renames a database's files, and writes drafts that take a file's name when they are whole. */
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

/** The endings of a database's files: the database, its log, the log's index. */
export const DATABASE_FILES: readonly string[] = ["", "-wal", "-shm"];

/** Whether a path is one of a database's files. Both paths may be links, and both files may be missing. */
export function isFileOf(database: string, path: string): boolean {
  return DATABASE_FILES.some((ending) =>
    path === database + ending || realOr(path) === realOr(database) + ending
  );
}

/** Removes a database and the files that SQLite makes beside it; some may be missing. */
export function removeDatabase(path: string): void {
  for (const ending of [...DATABASE_FILES, "-journal"]) removeQuietly(path + ending);
}

/** Copies a database and its log while nobody writes to them; makes the copies writable for this user alone. */
export function copyDatabaseFiles(from: string, to: string): void {
  for (const ending of ["", "-wal"]) {
    if (ending !== "" && !isThere(from + ending)) continue;
    copyFileSync(from + ending, to + ending);
    chmodSync(to + ending, 0o600);
  }
}

/** The reason and the time for which a file is set aside; both are parts of its new name. */
export interface Aside {
  readonly reason: "damaged" | "before-reset" | "before-restore";
  readonly nowMs: number;
}

/**
 * Renames a database and its companions in their folder, to `conclaude.db.damaged-2026-11-20T22-42-28Z` and the like,
 * where SQLite can open it. @returns The new path. @throws {UserError} When a file cannot be renamed.
 */
export function setAside(path: string, { reason, nowMs }: Aside): string {
  const aside = freeName(`${path}.${reason}-${fileStamp(nowMs)}`);
  try {
    // The database comes first: a hook in between makes a new one, which the old, emptied log does not harm.
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

/** Returns a free path: `wanted` and the ending, with `.2`, `.3` and so on between them if the name is taken. */
export function freeName(wanted: string, ending = ""): string {
  for (let count = 1;; count++) {
    const name = (count === 1 ? wanted : `${wanted}.${count}`) + ending;
    if (!isThere(name)) return name;
  }
}

/** The ending of a draft's name, after the name of the file. */
const DRAFT_ENDING = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** The age in milliseconds from which a draft counts as left behind by a stopped program. */
const LEFT_BEHIND_MS = 3_600_000;

const OPEN_DRAFTS = new Set<string>();

/** Makes an empty draft of a file (0600) in the same folder. */
export function makeDraft(path: string): string {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  openSync(draft, { write: true, createNew: true, mode: 0o600 }).close();
  OPEN_DRAFTS.add(draft);
  return draft;
}

/** Removes the drafts that a stopped program left behind, of a file and of those beside it whose names are alike. */
export function removeLeftDrafts(path: string, isAlike = (_name: string) => false): void {
  const [folder, base] = [parentOf(path), baseName(path)];
  for (const name of allNamesIn(folder)) {
    const original = name.replace(DRAFT_ENDING, "");
    if (original === name || original !== base && !isAlike(original)) continue;
    const draft = joinPath(folder, name);
    const changedMs = quietly(() => lstatSync(draft).mtime?.getTime()) ?? Infinity;
    if (changedMs < Date.now() - LEFT_BEHIND_MS) removeDatabase(draft);
  }
}

export function removeDraft(draft: string): void {
  OPEN_DRAFTS.delete(draft);
  removeDatabase(draft);
}

export function nameDraft(draft: string, path: string): void {
  renameSync(draft, path);
  OPEN_DRAFTS.delete(draft);
}

export function removeOpenDrafts(): void {
  OPEN_DRAFTS.forEach(removeDraft);
}

/** How often a draft tries to take a name, since a hook may make a new database each time. */
const MAX_TRIES = 20;

/**
 * Gives a draft the name of a database that was set aside. A hard link replaces no file, so a database that a hook made
 * meanwhile is set aside, too. @throws {UserError | Error} When hooks are faster in every round, or it cannot be named.
 */
export function placeDraft(draft: string, database: string, options: Aside): void {
  for (let round = 0; round < MAX_TRIES; round++) {
    try {
      return linkSync(draft, database);
    } catch (thrown) {
      // Other errors mean that the file system has no hard links.
      if (!isAlreadyExists(thrown)) return nameDraft(draft, database);
      setAside(database, options);
    }
  }
  throw new UserError(`Cannot write "${database}"`, {
    why: "other processes make a new database there each time it is set aside",
    next: `ls -lt ${quoteWord(parentOf(database))}`,
  });
}

/** Makes the error of a file that could not be written; its previous version stays. */
export function cannotWrite(
  path: string,
  cause: unknown,
  next = writeAdvice(path, cause),
): UserError {
  const why = `${messageOf(cause)}; nothing was changed`;
  return new UserError(`Cannot write "${path}"`, { why, next, cause });
}

/** Returns a command that explains or mends, at the file's folder, why a file could not be written. */
function writeAdvice(path: string, thrown: unknown): string {
  const folder = parentOf(path);
  if (!isThere(folder)) return `mkdir -p ${quoteWord(folder)}`;
  const isFull = /no space|os error 28|disk is full|quota/i.test(messageOf(thrown));
  return `${isFull ? "df -h" : "ls -ld"} ${quoteWord(folder)}`;
}

/** Writes files whole, and tells what lies at a path. */
import { messageOf } from "../../base/errors.ts";
import { baseName, parentOf, withParents } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  chmodSync,
  isNotFound,
  lstatSync,
  mkdirSync,
  openSync,
  readDirSync,
  realPathSync,
  removeSync,
  renameSync,
  statSync,
} from "../../system/files.ts";
import { OS } from "../../system/environment.ts";

/**
 * Writes a file so that others see the old one, or none, or the whole new one: a draft beside it, synced, then renamed.
 * A link stays a link; what it leads to is replaced, and keeps its mode. The folder is made when it is missing, mode
 * 0700.
 *
 * @throws {Error} What the file system says; the draft is gone then.
 */
export function writeWholeFile(
  path: string,
  text: string,
  options: { readonly mode: number },
): void {
  mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
  const target = targetOf(path);
  const draft = `${parentOf(target)}/.${baseName(target)}.${crypto.randomUUID()}.tmp`;
  try {
    writeSynced(draft, text, options.mode);
    const kept = isLink(path) ? modeOf(target) : null;
    if (kept !== null) chmodSync(draft, kept);
    renameSync(draft, target);
  } catch (thrown) {
    removeQuietly(draft);
    throw thrown;
  }
}

/** True when anything is at the path, a link that leads nowhere included. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    // Something may be there that this user cannot see.
    return !isNotFound(thrown);
  }
}

/** The names in a folder, in order; none where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return Array.from(readDirSync(folder), ({ name }) => name).sort();
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

/** Permission bits; null where there is no file, and on Windows. */
function modeOf(path: string): number | null {
  try {
    const { mode } = statSync(path);
    return mode === null || OS === "windows" ? null : mode & 0o777;
  } catch {
    return null;
  }
}

function writeSynced(path: string, text: string, mode: number): void {
  using file = openSync(path, { write: true, createNew: true, mode });
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
  file.syncSync();
}

/** Where a path leads through all links; as it is where nothing is there. */
export function targetOf(path: string): string {
  try {
    return realPathSync(path);
  } catch {
    return path;
  }
}

function removeQuietly(path: string): void {
  try {
    removeSync(path);
  } catch {
    // It was never made.
  }
}

/**
 * Where a path leads to when it is a link, or lies in one of this program's own folders that is: what is there may be
 * anybody's, and is only named. A file with a second name is such a file, too.
 *
 * @param folders This program's own; where a person has put the folders above them is the person's.
 * @returns The path behind all links; null when the file lies where its path says, and nowhere else.
 */
export function behindLink(path: string, folders: readonly string[] = []): string | null {
  const [, ...above] = withParents(path);
  const ways = [path, ...above.filter((folder) => folders.includes(folder))];
  return ways.some(isLink) || hasOtherName(path) ? targetOf(path) : null;
}

function hasOtherName(path: string): boolean {
  try {
    const { isFile, nlink } = lstatSync(path);
    return isFile && nlink !== null && nlink > 1;
  } catch {
    return false;
  }
}

const NO_ROOM = /no space|os error 28|disk is full|quota/i;

/** The command that shows, or mends, why a file could not be written: about the folder that it is to lie in. */
export function writeAdvice(path: string, thrown: unknown): string {
  const folder = parentOf(path);
  const command = !isThere(folder)
    ? "mkdir -p"
    : NO_ROOM.test(messageOf(thrown))
    ? "df -h"
    : "ls -ld";
  return `${command} ${quoteWord(folder)}`;
}

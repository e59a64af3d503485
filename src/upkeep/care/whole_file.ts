/** Writes files whole, and tells what lies at a path. */
import { messageOf } from "../../base/errors.ts";
import { parentOf, withParents } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import {
  chmodSync,
  isNotFound,
  lstatSync,
  mkdirSync,
  readDirSync,
  realPathSync,
  statSync,
} from "../../system/files.ts";
import { writeWhole } from "../../system/write_file.ts";
import { OS } from "../../system/environment.ts";

/**
 * Writes a file so that others see the old text or the whole new one. Where the path is a link, the file that it leads to
 * is replaced and keeps its mode. The folder is made when it is missing, mode 0700.
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
  writeWhole(target, text, {
    ...options,
    prepare(draft) {
      if (OS !== "windows" && target !== path && isLink(path)) {
        chmodSync(draft, statSync(target).mode! & 0o777);
      }
      return true;
    },
  });
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

/** Where a path leads through all links; as it is where nothing is there. */
export function targetOf(path: string): string {
  try {
    return realPathSync(path);
  } catch {
    return path;
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

/** Tells what lies at a path, and why a file cannot be written there. */
import { messageOf } from "../../base/errors.ts";
import { parentOf, withParents } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { isNotFound, lstatSync, readDirSync, realOr } from "../../system/files.ts";
import { linkAt } from "../../system/on_disk.ts";

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
  return ways.some((way) => linkAt(way) !== null) || hasOtherName(path) ? realOr(path) : null;
}

function hasOtherName(path: string): boolean {
  try {
    const { isFile, nlink } = lstatSync(path);
    return isFile && nlink !== null && nlink > 1;
  } catch {
    return false;
  }
}

/** The command that shows, or mends, why a file could not be written: about the folder that it is to lie in. */
export function writeAdvice(path: string, thrown: unknown): string {
  const folder = parentOf(path);
  if (!isThere(folder)) return `mkdir -p ${quoteWord(folder)}`;
  const isFull = /no space|os error 28|disk is full|quota/i.test(messageOf(thrown));
  return `${isFull ? "df -h" : "ls -ld"} ${quoteWord(folder)}`;
}

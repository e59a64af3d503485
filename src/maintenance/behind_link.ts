import { withParents } from "../paths.ts";
import { targetOf } from "./whole_file.ts";

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

function isLink(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSymlink;
  } catch {
    return false;
  }
}

function hasOtherName(path: string): boolean {
  try {
    const { isFile, nlink } = Deno.lstatSync(path);
    return isFile && nlink !== null && nlink > 1;
  } catch {
    return false;
  }
}

import { lstatSync } from "../../system/files.ts";

/**
 * The state of a file: size, when content and entry changed, number, rights, and how many names it has. Nobody can put
 * back when the entry changed. Empty for a missing file.
 */
export function stateOf(path: string): string {
  try {
    const { size, mtime, ctime, ino, mode, nlink } = lstatSync(path);
    return `${size} ${mtime?.getTime()} ${ino} ${mode} ${nlink} ${ctime?.getTime()}`;
  } catch {
    return "";
  }
}

/** Whether two states show the same content. A hard link changes the number of names and the entry's time alone. */
export function isSameState(before: string, after: string): boolean {
  if (before === after) return true;
  const [was, is] = [before, after].map((state) => state.split(" "));
  return was!.length === is!.length && was![4] !== is![4] &&
    was!.slice(0, 4).every((part, i) => part === is![i]);
}

/** The runtime tells in whole seconds when an entry changed. */
const CLOCK_MS = 1_000;

/** When the entry of a file changed last, epoch milliseconds, at the latest; 0 for a missing one. */
export function enteredAtMs(state: string): number {
  return Number(state.split(" ")[5] ?? 0) + CLOCK_MS;
}

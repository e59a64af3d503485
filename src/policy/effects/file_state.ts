import { lstatSync } from "../../system/files.ts";

/**
 * Returns the state of a file: size, time of its content, inode, rights, number of names, and time of its entry, which
 * nobody can set back. Empty for a missing file.
 */
export function stateOf(path: string): string {
  try {
    const { size, mtime, ctime, ino, mode, nlink } = lstatSync(path);
    return `${size} ${mtime?.getTime()} ${ino} ${mode} ${nlink} ${ctime?.getTime()}`;
  } catch {
    return "";
  }
}

/** Tells whether two states show the same content. A hard link only changes the name count and the entry's time. */
export function isSameState(before: string, after: string): boolean {
  if (before === after) return true;
  const [was, is] = [before, after].map((state) => state.split(" "));
  return was!.length === is!.length && was![4] !== is![4] &&
    was!.slice(0, 4).every((part, i) => part === is![i]);
}

/** The precision in which the runtime tells when an entry changed, in milliseconds. */
const CLOCK_MS = 1_000;

/** Returns the latest time at which the entry of a file may have changed, in epoch milliseconds. */
export function enteredAtMs(state: string): number {
  return Number(state.split(" ")[5] ?? 0) + CLOCK_MS;
}

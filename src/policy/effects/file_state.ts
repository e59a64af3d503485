import { lstatSync } from "../../system/files.ts";
import { readHead } from "../../system/on_disk.ts";
import type { Snapshot, WatchList } from "./types.ts";

/** Of how many files digests are kept at most. */
export const MAX_DIGESTS = 100;
/** Of a larger file no digest is kept, in bytes. */
const MAX_BYTES = 1_048_576;

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
export const CLOCK_MS = 1_000;

/** Returns the latest time at which the entry of a file may have changed, in epoch milliseconds. */
export function enteredAtMs(state: string): number {
  return Number(state.split(" ")[5] ?? 0) + CLOCK_MS;
}

/**
 * Rights and content, as one text each, of the files whose content git does not know: untracked files, and those with
 * changes in no commit. When git stashes such a file and brings it back, only the digest shows that it is the same.
 */
export async function digestsOf(
  { untracked = [] }: WatchList,
  { files, before }: Pick<Snapshot, "files"> & { readonly before: Snapshot | null },
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  const isChanged = ([path, state]: readonly [string, string]) =>
    files[path] !== undefined && !isSameState(state, files[path]);
  const changed = Object.entries(before?.files ?? {}).filter(isChanged).map(([path]) => path);
  const paths = new Set([...untracked, ...Object.keys(before?.digests ?? {}), ...changed]);
  for (const path of [...paths].slice(0, MAX_DIGESTS)) {
    const [size, , , mode] = (files[path] ?? "").split(" ");
    const known = before?.files[path] === files[path] ? before?.digests?.[path] : undefined;
    if (known !== undefined) digests[path] = known;
    else if (mode !== undefined && Number(size) <= MAX_BYTES) {
      const bytes = readHead(path, MAX_BYTES);
      if (bytes === null) continue;
      const digest = await crypto.subtle.digest("SHA-256", bytes.slice());
      digests[path] = `${mode} ${new Uint8Array(digest).toHex()}`;
    }
  }
  return digests;
}

import { lstatSync } from "../../system/files.ts";
import { CLOCK_MS, readHead } from "../../system/on_disk.ts";
import type { Snapshot, WatchList } from "./types.ts";

/** The most files of which digests are kept. */
export const MAX_DIGESTS = 100;
/** The largest file of which a digest is kept, in bytes. */
const MAX_BYTES = 1_048_576;

/**
 * Returns the state of a file: size, mtime, inode, mode, number of hard links, and ctime, which nobody can set back.
 * Empty for a missing file.
 */
export function stateOf(path: string): string {
  try {
    const { size, mtime, ctime, ino, mode, nlink } = lstatSync(path);
    return `${size} ${mtime?.getTime()} ${ino} ${mode} ${nlink} ${ctime?.getTime()}`;
  } catch {
    return "";
  }
}

/** Tells whether two states show the same content. A new hard link changes only the number of links and the ctime. */
export function isSameState(before: string, after: string): boolean {
  if (before === after) return true;
  const [was, is] = [before, after].map((state) => state.split(" "));
  return was!.length === is!.length && was![4] !== is![4] &&
    was!.slice(0, 4).every((part, i) => part === is![i]);
}

/** Returns the latest time at which a file may have changed, by its ctime, in epoch milliseconds. */
export function latestChangeMs(state: string): number {
  return Number(state.split(" ")[5] ?? 0) + CLOCK_MS;
}

/**
 * Returns mode and digest, as one text, of each file whose content git may not hold: untracked files, and those that
 * changed since an earlier look. When git stashes and restores such a file, only the digest shows that it is the same.
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

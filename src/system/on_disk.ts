/** Reads the state of paths. A path without permission counts as missing, except in `isMissing()` and `isThere()`. */
import { quietly } from "../base/errors.ts";

/** What a path can be; links are not followed. */
export type EntryKind = "file" | "folder" | "link" | "other";

/**
 * The size of a folder itself when it has some 40,000 entries, in bytes. The runtime reads a folder at once, two
 * million entries in ten seconds, and Claude Code lets a tool through when its hook does not answer within a minute.
 */
const MAX_FOLDER_BYTES = 4_000_000;

/** Tells whether anything is at a path; a link that leads nowhere counts. */
export function exists(path: string): boolean {
  return quietly(() => Deno.lstatSync(path)) !== undefined;
}

/** The precision of the ctime that the runtime gives, in milliseconds. */
export const CLOCK_MS = 1_000;

/**
 * Returns the latest time at which a file may have changed, in epoch milliseconds; null without one. A program can set
 * back the `mtime`, but not the `ctime`, of which only the second is known.
 */
export function changedBefore(path: string): number | null {
  const info = quietly(() => Deno.statSync(path));
  if (info === undefined) return null;
  const [written, changed] = [info.mtime, info.ctime].map((time) => time?.getTime() ?? 0);
  return written! >= changed! ? written! : changed! + CLOCK_MS;
}

/**
 * Returns the latest time at which a file may have been made, in epoch milliseconds; null without one. Where the file
 * system does not tell, a new hard link or a change of rights makes an old file look new.
 */
export function bornBefore(path: string): number | null {
  return quietly(() => Deno.statSync(path))?.birthtime?.getTime() ?? changedBefore(path);
}

/** Tells whether a path is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  return quietly(() => Deno.statSync(path).isDirectory) === true;
}

/** Returns what a path is, links not followed; null when nothing is there. */
export function kindAt(path: string): EntryKind | null {
  return quietly(() => kindOf(Deno.lstatSync(path))) ?? null;
}

export function kindOf(
  { isFile, isDirectory, isSymlink }: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">,
): EntryKind {
  return isSymlink ? "link" : isDirectory ? "folder" : isFile ? "file" : "other";
}

/** Returns an id of a file that has several hard links; null for a file with one, and for anything else. */
export function sharedFile(path: string): string | null {
  const { isFile, nlink, dev, ino } = quietly(() => Deno.lstatSync(path)) ?? {};
  return isFile && (nlink ?? 1) > 1 ? `${dev} ${ino}` : null;
}

/** Returns the size in bytes, links not followed; null where it cannot be read. */
export function sizeAt(path: string): number | null {
  return quietly(() => Deno.lstatSync(path).size) ?? null;
}

/** Returns the size in bytes of a file, or of the file that a link leads to; 0 where it cannot be read. */
export function fileSize(path: string): number {
  return quietly(() => Deno.statSync(path).size) ?? 0;
}

/** Returns the entries of a folder; none without permission, null when there are too many for a hook to read. */
export function entriesOf(path: string): Iterable<Deno.DirEntry> | null {
  const read = () => isTooLarge(path) ? null : Deno.readDirSync(path);
  const entries = quietly(read);
  return entries === undefined ? [] : entries;
}

/** Returns the entries of a folder; null where it cannot be read, or holds too many. */
export function listFolder(path: string): Deno.DirEntry[] | null {
  return quietly(() => isTooLarge(path) ? null : [...Deno.readDirSync(path)]) ?? null;
}

/** Tells whether a folder holds too many entries. @throws {Error} When nothing is there: one error is enough. */
function isTooLarge(folder: string): boolean {
  return Deno.statSync(folder).size > MAX_FOLDER_BYTES;
}

/** Tells whether a path is certainly missing; false when permissions hide it. */
export function isMissing(path: string): boolean {
  return failsToFind(() => Deno.statSync(path));
}

/** Tells whether anything is or may be at a path: a link to nothing counts, and a path that this user may not see. */
export function isThere(path: string): boolean {
  return !failsToFind(() => Deno.lstatSync(path));
}

function failsToFind(look: () => unknown): boolean {
  try {
    look();
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

/** Returns the names in a folder in order, however many; none where it cannot be read. */
export function allNamesIn(path: string): string[] {
  return (quietly(() => [...Deno.readDirSync(path)]) ?? []).map(({ name }) => name).sort();
}

/** Returns the names in a folder; null as for `listFolder()`. */
export function namesIn(path: string): string[] | null {
  return listFolder(path)?.map(({ name }) => name) ?? null;
}

/** Returns the text of a file; null where it is not a file, cannot be read, or is longer than `maxBytes`. */
export function readText(path: string, maxBytes = Infinity): string | null {
  return quietly(() => {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= maxBytes ? Deno.readTextFileSync(path) : null;
  }) ?? null;
}

/** Returns the JSON in a file, without a byte order mark; undefined where there is none. */
export function readJsonFile(path: string): unknown {
  const text = readText(path);
  return text === null ? undefined : quietly(() => JSON.parse(text.replace(/^\uFEFF/, "")));
}

/** Returns at most `maxBytes` of a file from an offset; null where it is not a file, or cannot be read. */
export function readHead(path: string, maxBytes: number, start = 0): Uint8Array | null {
  return quietly(() => {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return null;
    using file = Deno.openSync(path);
    file.seekSync(start, Deno.SeekMode.Start);
    const bytes = new Uint8Array(
      size > 0 ? Math.max(0, Math.min(maxBytes, size - start)) : maxBytes,
    );
    let read = 0;
    for (let count = 1; read < bytes.length && count > 0; read += count) {
      count = file.readSync(bytes.subarray(read)) ?? 0;
    }
    return bytes.subarray(0, read);
  }) ?? null;
}

/** Returns the target of a link, exactly as the link has it; null for anything else. */
export function linkAt(path: string): string | null {
  return quietly(() => Deno.readLinkSync(path)) ?? null;
}

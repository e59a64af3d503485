/** Reads the state of paths. No function here throws: a path without permission counts as missing. */

/** What a path can be; links are not followed. */
export type EntryKind = "file" | "folder" | "link" | "other";

/**
 * The size of a folder itself when it has some 40,000 entries, in bytes. The runtime reads a folder at once, two
 * million entries in ten seconds, and Claude Code lets a tool through when its hook does not answer within a minute.
 */
const MAX_FOLDER_BYTES = 4_000_000;

/** Tells whether anything is at a path; a link that leads nowhere counts. */
export function exists(path: string): boolean {
  return orElse(false, () => Boolean(Deno.lstatSync(path)));
}

/** Tells whether a path is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  return orElse(false, () => Deno.statSync(path).isDirectory);
}

/** Returns what a path is, links not followed; null when nothing is there. */
export function kindAt(path: string): EntryKind | null {
  return orElse(null, () => kindOf(Deno.lstatSync(path)));
}

/** Returns what an entry of a folder is. */
export function kindOf(
  { isFile, isDirectory, isSymlink }: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">,
): EntryKind {
  return isSymlink ? "link" : isDirectory ? "folder" : isFile ? "file" : "other";
}

/** Returns an id of a file that has several hard links; null for a file with one, and for anything else. */
export function sharedFile(path: string): string | null {
  return orElse(null, () => {
    const { isFile, nlink, dev, ino } = Deno.lstatSync(path);
    return isFile && (nlink ?? 1) > 1 ? `${dev} ${ino}` : null;
  });
}

/** Returns the size in bytes, links not followed; null where it cannot be read. */
export function sizeAt(path: string): number | null {
  return orElse(null, () => Deno.lstatSync(path).size);
}

/** Returns the size in bytes of a file, or of the file that a link leads to; 0 where it cannot be read. */
export function fileSize(path: string): number {
  return orElse(0, () => Deno.statSync(path).size);
}

/** Returns the entries of a folder; none without permission, null when there are too many for a hook to read. */
export function entriesOf(path: string): Iterable<Deno.DirEntry> | null {
  return orElse<Iterable<Deno.DirEntry> | null>(
    [],
    () => Deno.statSync(path).size > MAX_FOLDER_BYTES ? null : Deno.readDirSync(path),
  );
}

/** Returns the entries of a folder; null where it cannot be read, or holds too many. */
export function listFolder(path: string): Deno.DirEntry[] | null {
  return orElse(
    null,
    () => Deno.statSync(path).size > MAX_FOLDER_BYTES ? null : [...Deno.readDirSync(path)],
  );
}

/** Returns the names of the regular files in a folder, however many. @throws {Error} When it cannot be read. */
export function fileNamesIn(path: string): string[] {
  return Array.from(Deno.readDirSync(path)).filter(({ isFile }) => isFile).map(({ name }) => name);
}

/** Tells whether a path is certainly missing; false when permissions hide it. */
export function isMissing(path: string): boolean {
  try {
    Deno.statSync(path);
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

/** Tells whether anything is or may be at a path: a link to nothing counts, and a path that this user may not see. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    return !(thrown instanceof Deno.errors.NotFound);
  }
}

/** Returns the names in a folder in order, however many; none where it cannot be read. */
export function allNamesIn(path: string): string[] {
  return orElse<string[]>([], () => Array.from(Deno.readDirSync(path), ({ name }) => name).sort());
}

/** Returns the names in a folder; null as for `listFolder()`. */
export function namesIn(path: string): string[] | null {
  return listFolder(path)?.map(({ name }) => name) ?? null;
}

/** Returns the text of a file; null where it is not a file, cannot be read, or is longer than `maxBytes`. */
export function readText(path: string, maxBytes = Infinity): string | null {
  return orElse(null, () => {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= maxBytes ? Deno.readTextFileSync(path) : null;
  });
}

/** Returns the JSON in a file, without a byte order mark; undefined where there is none. */
export function readJsonFile(path: string): unknown {
  return orElse(undefined, () => {
    const text = readText(path);
    return text === null ? undefined : JSON.parse(text.replace(/^\uFEFF/, ""));
  });
}

/** Returns at most `maxBytes` of a file from an offset; null where it is not a file, or cannot be read. */
export function readHead(path: string, maxBytes: number, start = 0): Uint8Array | null {
  return orElse(null, () => {
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
  });
}

/** Returns the target of a link, exactly as the link has it; null for anything else. */
export function linkAt(path: string): string | null {
  return orElse(null, () => Deno.readLinkSync(path));
}

function orElse<Result>(otherwise: Result, look: () => Result): Result {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

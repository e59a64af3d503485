/** Replaces, makes and removes files and folders. Other programs see the old text or the new one, never half a text. */
import { quietly } from "../base/errors.ts";

/**
 * Writes a text beside a file, flushes it, and renames it into its place. @returns False when `prepare` returned false.
 * @param options `prepare`: called with the path of the draft right before the rename.
 */
export function writeWhole(
  path: string,
  text: string,
  options: { readonly mode: number; readonly prepare?: (draft: string) => boolean },
): boolean {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    writeDraft(draft, new TextEncoder().encode(text), options.mode);
    if (options.prepare?.(draft) === false) return false;
    Deno.renameSync(draft, path);
    return true;
  } finally {
    removeQuietly(draft);
  }
}

/** Writes a draft and closes it before it is renamed, since Windows does not rename an open file. */
function writeDraft(draft: string, bytes: Uint8Array, mode: number): void {
  using file = Deno.openSync(draft, { write: true, createNew: true, mode });
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
  file.syncSync();
}

/** Removes a file or an empty folder. Does nothing when that fails. */
export function removeQuietly(path: string): void {
  quietly(() => Deno.removeSync(path));
}

export function renameQuietly(from: string, to: string): void {
  quietly(() => Deno.renameSync(from, to));
}

/** Makes a folder, and those above it, with mode 0700. @throws {Error} When another user owns it. */
export function makePrivateFolder(folder: string): void {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivateFolder(folder)) {
    throw new Error(`the folder is not this user's own: ${folder}`);
  }
}

/** Tells whether a path is a folder of this user, or the user's link to one; on Windows every folder counts. */
export function isPrivateFolder(folder: string): boolean {
  const uid = Deno.uid();
  return Deno.statSync(folder).isDirectory && (uid === null || Deno.lstatSync(folder).uid === uid);
}

/** Reads a file that is to be replaced; null when there is none. @throws {Error} When it is not a regular file. */
export function readFile(
  path: string,
): { readonly bytes: Uint8Array; readonly mode: number | null } | null {
  try {
    const { isFile, mode } = Deno.statSync(path);
    if (!isFile) throw new Error("it is not a regular file");
    return { bytes: Deno.readFileSync(path), mode: mode === null ? null : mode & 0o777 };
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    throw thrown;
  }
}

/** Makes a folder, and those above it that are missing. @throws {Error} When it cannot be made. */
export function makeFolder(path: string, mode: number): void {
  Deno.mkdirSync(path, { recursive: true, mode });
}

/** Returns a folder's permission bits, 0 on systems without them; null where there is no folder, or a link to one. */
export function folderMode(path: string): number | null {
  const found = quietly(() => Deno.lstatSync(path));
  return found?.isDirectory ? (found.mode ?? 0) & 0o777 : null;
}

/** Gives a draft the mode of the file that it replaces, and its owner when root edits it. */
export function keepOwner(
  draft: string,
  { target, mode }: { readonly target: string; readonly mode: number },
): void {
  if (Deno.build.os === "windows") return;
  Deno.chmodSync(draft, mode);
  // Perhaps there is no file yet, or its owner cannot be kept.
  quietly(() => {
    const { uid, gid } = Deno.statSync(target);
    if (uid !== null && gid !== null && uid !== Deno.uid()) Deno.chownSync(draft, uid, gid);
  });
}

/** Writes files so that other programs see the old text or the new one and never half of it. */

/**
 * Puts a text in the place of a file: it is written beside it, flushed, and renamed. The folder has to be there.
 *
 * @param options `mode`: the file's permissions, whatever the umask. `prepare`: called with the path of the draft right
 * before the rename; where it returns false, nothing is replaced.
 * @returns False where `prepare` said so. @throws {Error} When it cannot be written.
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

/** The file is closed before it is renamed, since Windows does not rename an open file. */
function writeDraft(draft: string, bytes: Uint8Array, mode: number): void {
  using file = Deno.openSync(draft, { write: true, createNew: true, mode });
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
  file.syncSync();
}

/** Removes a file, or an empty folder; one that is gone or must stay is let be. */
export function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Gone already, never made, or on a disk that is read-only now.
  }
}

/**
 * Makes a folder, and those above it that are missing, with mode 0700.
 *
 * @throws {Error} When it cannot be made, or somebody else owns it (in a shared temporary folder).
 */
export function makePrivateFolder(folder: string): void {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivateFolder(folder)) {
    throw new Error(`the folder is not this user's own: ${folder}`);
  }
}

/** True for a folder, or a link to one, that this user made; on Windows ownership is not looked at. */
export function isPrivateFolder(folder: string): boolean {
  const uid = Deno.uid();
  return Deno.statSync(folder).isDirectory && (uid === null || Deno.lstatSync(folder).uid === uid);
}

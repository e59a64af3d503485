import { lstatSync } from "../../system/files.ts";
import { readHead } from "../../system/on_disk.ts";
import type { Snapshot } from "./types.ts";

/** Of a larger file no digest is kept, in bytes. */
const MAX_BYTES = 65_536;

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

/** Rights and content of files, as one text each; of those that did not change since `before`, what is known of them. */
export async function digestsOf(
  paths: readonly string[],
  { files, before }: Pick<Snapshot, "files"> & { readonly before: Snapshot | null },
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const path of paths) {
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

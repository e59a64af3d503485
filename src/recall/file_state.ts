/** What a file holds, and whether that has changed since something was observed of it. */
import { digestOf } from "../memory/fnv.ts";

/** A larger file is not read. */
const MAX_BYTES = 65_536;

/** The content of a file; null when it cannot be read, or is too large. */
export function contentOf(path: string): string | null {
  try {
    const { isFile, size } = Deno.statSync(path);
    return isFile && size <= MAX_BYTES ? Deno.readTextFileSync(path) : null;
  } catch {
    return null;
  }
}

/** Digest of the content that a file has now; null where {@linkcode contentOf} is. */
export function digestOfFile(path: string): string | null {
  const content = contentOf(path);
  return content === null ? null : digestOf(content);
}

/**
 * What has become of a file since something was observed of it; null when it has not changed, or cannot be read.
 *
 * A file that is older than the observation has not changed. A younger one is compared by its content, also where it is
 * younger by a moment only: a formatter that runs right after an edit changes the file as well.
 *
 * @param atMs When it was observed, epoch milliseconds.
 */
export function fileSince(path: string, digest: string, atMs: number): "changed" | "gone" | null {
  try {
    const { mtime, size } = Deno.statSync(path);
    if ((mtime?.getTime() ?? Infinity) <= atMs) return null;
    const isSame = size <= MAX_BYTES && digestOf(Deno.readTextFileSync(path)) === digest;
    return isSame ? null : "changed";
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? "gone" : null;
  }
}

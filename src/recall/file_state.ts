/** What a file was like when something was said of it, and what has become of it. */
import { digestOf } from "../memory/fnv.ts";

/** The content of a larger file is not looked at. */
const MAX_BYTES = 65_536;

/** The content of a file; null when it cannot be read, or is too large to be looked through. */
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
 * What has become of a file since something was observed of it; null when it is as it was, or nobody can tell.
 *
 * One that is older than the observation is as it was. One that is younger is told by its content, from the first moment
 * on: what a formatter makes of an edit right after it is not what was observed either, and a fix is observed when its
 * command passes, after any formatter.
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

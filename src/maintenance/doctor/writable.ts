import { messageOf } from "../../errors.ts";
import { joinPath, parentOf } from "../../paths.ts";

const OWNER_WRITE = 0o200;

/**
 * Why nothing can be made in a folder, found without making anything.
 *
 * @returns Null when nothing speaks against it; permissions that come from elsewhere (groups, lists) are not seen.
 */
export function whyUnwritable(folder: string): string | null {
  try {
    const info = Deno.statSync(folder);
    if (!info.isDirectory) return `${folder} is not a folder`;
    if (isOwnButClosed(folder)) return `${folder} is not writable`;
    // The system looks whether the file system takes changes before it looks for the file, and there is none.
    const nothing = joinPath(folder, `.conclaude-${crypto.randomUUID()}`);
    Deno.renameSync(nothing, `${nothing}-2`);
    return null;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    return /read-only|os error 30/i.test(messageOf(thrown))
      ? `${folder} lies on a read-only file system`
      : messageOf(thrown);
  }
}

/** Whether a file or folder is this user's own and its owner may not write to it; root may write everywhere. */
export function isOwnButClosed(path: string): boolean {
  try {
    const { uid, mode } = Deno.statSync(path);
    const isOwn = Deno.uid() !== null && Deno.uid() !== 0 && uid === Deno.uid();
    return isOwn && mode !== null && (mode & OWNER_WRITE) === 0;
  } catch {
    return false;
  }
}

/** The folder itself, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  for (let at = folder;;) {
    try {
      Deno.statSync(at);
      return at;
    } catch (thrown) {
      const above = parentOf(at);
      if (above === at || above === "." || !(thrown instanceof Deno.errors.NotFound)) return at;
      at = above;
    }
  }
}

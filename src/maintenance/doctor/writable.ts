import { messageOf } from "../../errors.ts";
import { joinPath, parentOf } from "../../paths.ts";
import { behindLink } from "../behind_link.ts";
import type { Finding } from "../check.ts";
import { DATABASE_FILES } from "../set_aside.ts";

const OWNER_WRITE = 0o200;
const WRITE_OF_OTHERS = 0o022;

/**
 * Why nothing can be made in a folder, found without making anything.
 *
 * @returns Null when nothing speaks against it; who belongs to a group that may write is not seen.
 */
export function whyUnwritable(folder: string): string | null {
  try {
    const info = Deno.statSync(folder);
    if (!info.isDirectory) return `${folder} is not a folder`;
    if (isOwnButClosed(folder)) return `${folder} is not writable`;
    if (isOthersAlone(folder, info)) return whyClosed(folder);
    // The system looks whether the file system takes changes before it looks for the file, and there is none.
    const nothing = joinPath(folder, `.conclaude-${crypto.randomUUID()}`);
    Deno.renameSync(nothing, `${nothing}-2`);
    return null;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    if (thrown instanceof Deno.errors.PermissionDenied) return whyClosed(folder);
    return /read-only|os error 30/i.test(messageOf(thrown))
      ? `${folder} lies on a read-only file system`
      : messageOf(thrown);
  }
}

/** Whose a folder is that this user may not look into or write to. */
export function whyClosed(folder: string): string {
  const owner = otherOwner(folder);
  return owner === null
    ? `${folder} is closed to this user`
    : `${folder} belongs to another user (number ${owner})`;
}

/** The number of the user that a file or folder belongs to; null when that is this user, or cannot be told. */
export function otherOwner(path: string): number | null {
  try {
    const { uid } = Deno.statSync(path);
    return uid === Deno.uid() ? null : uid;
  } catch {
    return null;
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

/** Whether a folder is another user's who lets neither a group nor everybody write to it; for root it never is. */
function isOthersAlone(folder: string, { mode }: Deno.FileInfo): boolean {
  return Deno.uid() !== 0 && otherOwner(folder) !== null && mode !== null &&
    (mode & WRITE_OF_OTHERS) === 0;
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

/** The file itself, its log and the index of that: SQLite gives the two the mode that the file had when they were made. */
export function filesOf(database: string): string[] {
  return DATABASE_FILES.map((ending) => database + ending);
}

/** Why a database, or a file of its log, cannot be written; null when it can. */
export function whyReadOnly(database: string): string | null {
  for (const path of filesOf(database)) {
    try {
      Deno.openSync(path, { write: true }).close();
    } catch (thrown) {
      if (path === database || !(thrown instanceof Deno.errors.NotFound)) return messageOf(thrown);
    }
  }
  return whyUnwritable(parentOf(database));
}

/**
 * Opens the files to their owner, where that is all that is missing. A folder was closed for a reason, and what lies
 * behind a link may have been.
 */
export function repairOfModes(database: string): Finding["repair"] {
  const closed = filesOf(database).filter(isOwnButClosed);
  if (closed.length === 0 || whyUnwritable(parentOf(database)) !== null) return undefined;
  if (closed.some((path) => behindLink(path) !== null)) return undefined;
  return () => {
    for (const path of closed) Deno.chmodSync(path, 0o600);
    return `set the mode of ${closed.join(", ")} to 0600`;
  };
}

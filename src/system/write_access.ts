/** Finds why this user cannot write to a folder, without making anything. */
import { messageOf, quietly } from "../base/errors.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import { userId } from "./environment.ts";
import { isNotFound, isPermissionDenied, renameSync, statSync } from "./files.ts";
import { isMissing } from "./on_disk.ts";

const OWNER_WRITE = 0o200;
const WRITE_OF_OTHERS = 0o022;

/**
 * Returns why this user cannot write to a folder, or to the nearest one above it that exists; null when no reason is
 * known. It does not look at the groups of a user.
 */
export function whyUnwritable(wanted: string): string | null {
  const folder = nearestFolder(wanted);
  const owner = otherOwner(folder);
  const closed = owner === null
    ? `${folder} is closed to this user`
    : `${folder} belongs to another user (number ${owner})`;
  try {
    const { isDirectory, mode } = statSync(folder);
    if (!isDirectory) return `${folder} is not a folder`;
    if (isOwnButClosed(folder)) return `${folder} is not writable`;
    if (owner !== null && userId() !== 0 && mode !== null && (mode & WRITE_OF_OTHERS) === 0) {
      return closed;
    }
    // Renaming a file that does not exist changes nothing, and fails with another error on a read-only file system.
    const nothing = joinPath(folder, `.conclaude-${crypto.randomUUID()}`);
    renameSync(nothing, `${nothing}-2`);
    return null;
  } catch (thrown) {
    if (isNotFound(thrown)) return null;
    if (isPermissionDenied(thrown)) return closed;
    return /read-only|os error 30/i.test(messageOf(thrown))
      ? `${folder} lies on a read-only file system`
      : messageOf(thrown);
  }
}

/** Returns the number of the user that owns a file or folder; null for this user, or when the system does not tell. */
export function otherOwner(path: string): number | null {
  const uid = quietly(() => statSync(path))?.uid ?? null;
  return uid === userId() ? null : uid;
}

/** Tells whether this user owns a file or folder and has no permission to write to it; root may write everywhere. */
export function isOwnButClosed(path: string): boolean {
  const { uid, mode } = quietly(() => statSync(path)) ?? {};
  return userId() !== 0 && uid != null && uid === userId() &&
    mode != null && (mode & OWNER_WRITE) === 0;
}

/** Returns the folder itself, or the nearest one above it that exists. */
export function nearestFolder(folder: string): string {
  const above = parentOf(folder);
  return !isMissing(folder) || above === folder || above === "." ? folder : nearestFolder(above);
}

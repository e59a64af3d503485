/** Drafts: files that are written under another name in the same folder, and renamed when they are whole. */
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { removeDatabase } from "./set_aside.ts";
import { isThere, namesIn } from "./whole_file.ts";
import { OS } from "../../system/environment.ts";
import { type FsFile, lstatSync, openSync, renameSync } from "../../system/files.ts";

/** What stands behind a file's name while it is written, to its end. */
const DRAFT_ENDING = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

const ON_WINDOWS = OS === "windows";

/** The drafts that this process writes. */
const OPEN = new Map<string, FsFile>();

/** A file that is not whole. */
export interface Draft {
  readonly draft: string;
  /** Empty, for writing. The lock goes when it is closed. */
  readonly file: FsFile;
}

/** Makes a draft of a file (0600), locked as long as it is open, where the file system knows locks. */
export function openDraft(path: string): Draft {
  for (;;) {
    const draft = `${path}.${crypto.randomUUID()}.tmp`;
    const file = openSync(draft, { write: true, createNew: true, mode: 0o600 });
    if (lock(file) !== "locked" || isThere(draft)) {
      OPEN.set(draft, file);
      return { draft, file };
    }
    // Before the lock, another program took the draft for one that was left behind, and removed it.
    file.close();
  }
}

/**
 * Removes the drafts of a file that no program writes any more. On Windows, where a lock does not protect them, they stay.
 *
 * @param isAlike Whether the drafts of another file in the folder, by its name, are removed as well.
 */
export function removeDrafts(path: string, isAlike: (name: string) => boolean = () => false): void {
  if (ON_WINDOWS) return;
  const [folder, base] = [parentOf(path), baseName(path)];
  for (const name of namesIn(folder)) {
    const of = name.replace(DRAFT_ENDING, "");
    if (of === name || of !== base && !isAlike(of)) continue;
    const draft = joinPath(folder, name);
    try {
      if (!lstatSync(draft).isFile) continue;
      if (isLeft(draft)) removeDraft(draft);
    } catch {
      // It is somebody else's, or has just gone.
    }
  }
}

/** Removes a draft, and what SQLite made beside it where it is a database. */
export function removeDraft(draft: string): void {
  OPEN.delete(draft);
  removeDatabase(draft);
}

/** Gives a draft its name. @throws {Error} When it cannot be renamed. */
export function nameDraft(draft: string, path: string): void {
  renameSync(draft, path);
  OPEN.delete(draft);
}

/** Removes all drafts of this process, which ends. */
export function removeOpenDrafts(): void {
  for (const [draft, file] of OPEN) {
    try {
      // Windows removes no open file.
      file.close();
    } catch {
      // It is closed already.
    }
    removeDraft(draft);
  }
}

/** Whether no program writes a draft any more. */
function isLeft(draft: string): boolean {
  using file = openSync(draft, { write: true });
  return file.tryLockSync(true);
}

function lock(file: FsFile): "locked" | "unlocked" {
  try {
    file.lockSync(true);
    return "locked";
  } catch {
    return "unlocked";
  }
}

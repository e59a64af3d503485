/** Drafts: files that are written under another name in the same folder, and renamed when they are whole. */
import { quietly } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { removeDatabase } from "./set_aside.ts";
import { namesIn } from "./whole_file.ts";
import { OS } from "../../system/environment.ts";
import { type FsFile, lstatSync, openSync, renameSync } from "../../system/files.ts";

/** What stands behind a file's name while it is written, to its end. */
const DRAFT_ENDING = /\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** The drafts that this process writes. */
const OPEN = new Map<string, FsFile>();

/** Makes a draft of a file (0600). It is locked until it is closed, where the file system knows locks. */
export function openDraft(path: string): { readonly draft: string; readonly file: FsFile } {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  const file = openSync(draft, { write: true, createNew: true, mode: 0o600 });
  quietly(() => file.lockSync(true));
  OPEN.set(draft, file);
  return { draft, file };
}

/**
 * Removes the drafts of a file that no program writes any more. On Windows, where a lock does not protect them, they stay.
 *
 * @param isAlike Whether the drafts of another file in the folder, by its name, are removed as well.
 */
export function removeDrafts(path: string, isAlike: (name: string) => boolean = () => false): void {
  if (OS === "windows") return;
  const [folder, base] = [parentOf(path), baseName(path)];
  for (const name of namesIn(folder)) {
    const of = name.replace(DRAFT_ENDING, "");
    if (of === name || of !== base && !isAlike(of)) continue;
    const draft = joinPath(folder, name);
    // One that is somebody else's cannot be opened, and one that has just gone needs nothing.
    quietly(() => {
      if (lstatSync(draft).isFile && isLeft(draft)) removeDraft(draft);
    });
  }
}

/** Whether no program writes a draft any more. */
function isLeft(draft: string): boolean {
  using file = openSync(draft, { write: true });
  return file.tryLockSync(true);
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
    // Windows removes no open file; it may be closed already.
    quietly(() => file.close());
    removeDraft(draft);
  }
}

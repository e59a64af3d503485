import { messageOf, UserError } from "../errors.ts";
import { joinPath, parentOf } from "../paths.ts";
import { copyDatabase, integrityFaults } from "../store/care.ts";
import { openToLook } from "../store/identity.ts";
import { fileStamp } from "../time.ts";
import { requireOurs } from "./require_ours.ts";
import { isThere } from "./whole_file.ts";

/** The ending of a copy that is not finished. */
const DRAFT_ENDING = ".part";

/** Where a backup goes when nobody names a file: `~/.conclaude/backups/conclaude-2026-11-20T22-42-28Z.db`. */
export function defaultBackupPath(dataFolder: string, nowMs: number): string {
  return joinPath(joinPath(dataFolder, "backups"), `conclaude-${fileStamp(nowMs)}.db`);
}

/**
 * Copies the database into a private file while hooks go on writing, checks the copy, and only then gives it its name.
 *
 * @throws {UserError} When the file is there already, or the database is not one that can be copied.
 */
export async function backUp(database: string, file: string): Promise<{ readonly bytes: number }> {
  requireOurs("Cannot back up", database);
  if (isThere(file)) {
    throw new UserError(`Cannot write "${file}"`, {
      why: "the file is there already",
      next: "name another one; nothing was changed",
    });
  }
  Deno.mkdirSync(parentOf(file), { recursive: true, mode: 0o700 });
  return { bytes: await copyVerified(database, file) };
}

/**
 * Copies a database, its log included, to a path that is free; the copy appears there whole and checked, or not at all.
 *
 * @returns Its size in bytes.
 * @throws {UserError} When the copy is not sound: the original is damaged then.
 */
export async function copyVerified(from: string, to: string): Promise<number> {
  const draft = `${to}.${crypto.randomUUID().slice(0, 8)}${DRAFT_ENDING}`;
  try {
    Deno.openSync(draft, { write: true, createNew: true, mode: 0o600 }).close();
    const source = openToLook(from);
    try {
      await copyDatabase(source, draft);
    } finally {
      source.close();
    }
    requireSound(draft, from);
    const { size } = Deno.statSync(draft);
    Deno.renameSync(draft, to);
    return size;
  } catch (thrown) {
    throw /malformed|not a database/.test(String(thrown))
      ? unsound(from, messageOf(thrown))
      : thrown;
  } finally {
    for (const ending of ["", "-wal", "-shm", "-journal"]) removeQuietly(draft + ending);
  }
}

/** @throws {UserError} When the pages of a database contradict each other. */
export function requireSound(path: string, named = path): void {
  const db = openToLook(path);
  try {
    const [fault] = integrityFaults(db, "full");
    if (fault === undefined) return;
    throw unsound(named, fault);
  } finally {
    db.close();
  }
}

function unsound(path: string, fault: string): UserError {
  return new UserError(`Cannot use "${path}"`, {
    why: `it is damaged: ${fault}`,
    next: "take an older backup, or run `conclaude doctor`; nothing was changed",
  });
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // It was renamed, or never made.
  }
}

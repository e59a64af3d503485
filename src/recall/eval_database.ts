/** The database in which a set of documents is measured: what it holds is gone with the process, however that ends. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../paths.ts";
import { isOwnFile, openDatabase } from "../store/database.ts";
import { takeLock } from "../store/process_lock.ts";

const PREFIX = "conclaude-eval-";
const FILE = "eval.db";
/** A folder that is younger may just be made by another process, in milliseconds. */
const YOUNG_MS = 60_000;

/**
 * Opens an empty database with this program's schema.
 *
 * Its files lose their names before anything is written into them, so that no signal can leave them behind; the open
 * connection goes on with them. Where an open file keeps its name (Windows) it is in memory.
 *
 * @throws {Error} What SQLite or the file system says.
 */
export async function openEvalDatabase(): Promise<DatabaseSync> {
  const options = { busyTimeoutMs: 1_000 };
  if (Deno.build.os === "windows") return await openDatabase(":memory:", options);
  const folder = Deno.makeTempDirSync({ prefix: PREFIX });
  try {
    return await openDatabase(joinPath(folder, FILE), options);
  } finally {
    Deno.removeSync(folder, { recursive: true });
    removeLeft(parentOf(folder));
  }
}

/** Removes what an older program left when it was ended, of this user, where no process works in it any more. */
function removeLeft(temporary: string): void {
  try {
    for (const { name } of Deno.readDirSync(temporary)) {
      if (name.startsWith(PREFIX)) removeIfLeft(joinPath(temporary, name));
    }
  } catch {
    // Who may not list the folder leaves it as it is.
  }
}

function removeIfLeft(folder: string): void {
  try {
    const info = Deno.lstatSync(folder);
    const isYoung = info.mtime === null || Date.now() - info.mtime.getTime() < YOUNG_MS;
    if (!info.isDirectory || !isOwnFile(info) || isYoung) return;
    const lock = takeLock(joinPath(folder, FILE), { waitMs: 0 });
    if (lock === null) return;
    lock.release();
    Deno.removeSync(folder, { recursive: true });
  } catch {
    // It stays for the next one.
  }
}

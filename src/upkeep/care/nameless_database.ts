/** Databases without a name: the system removes them with the process, however it ends. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../../base/paths.ts";
import { isOwnFile, openDatabase } from "../../db/database.ts";
import { copyDatabaseFiles } from "./set_aside.ts";
import { takeLock } from "../../db/process_lock.ts";
import { OS } from "../../system/environment.ts";
import { lstatSync, makeTempDirSync, readDirSync, removeSync } from "../../system/files.ts";

const PREFIX = "conclaude-nameless-";
const FILE = "nameless.db";
/** A folder that is younger may just be made by another process, in milliseconds. */
const YOUNG_MS = 60_000;

/**
 * Opens a database with this program's schema, empty or as another one is.
 *
 * Its files lose their names before anything is written into them, so no signal leaves them behind; the open connection
 * goes on with them. Windows keeps the names of open files: there an empty database is in memory.
 *
 * @param options `copyOf`: the path of a database that nobody writes to. @throws {Error} What SQLite or the file system
 *   says; on Windows, where it would be a copy.
 */
export async function openNamelessDatabase(
  { copyOf }: { readonly copyOf?: string } = {},
): Promise<DatabaseSync> {
  const options = { busyTimeoutMs: 1_000 };
  if (OS === "windows") {
    if (copyOf !== undefined) throw new Error("a copy would keep its name here");
    return await openDatabase(":memory:", options);
  }
  const folder = makeTempDirSync({ prefix: PREFIX });
  try {
    const path = joinPath(folder, FILE);
    if (copyOf !== undefined) copyDatabaseFiles(copyOf, path);
    return await openDatabase(path, options);
  } finally {
    removeSync(folder, { recursive: true });
    removeLeft(parentOf(folder));
  }
}

/** Removes folders that a killed process of this user left. */
function removeLeft(temporary: string): void {
  try {
    for (const { name } of readDirSync(temporary)) {
      if (name.startsWith(PREFIX)) removeIfLeft(joinPath(temporary, name));
    }
  } catch {
    // This user may not list the folder.
  }
}

function removeIfLeft(folder: string): void {
  try {
    const info = lstatSync(folder);
    const isYoung = info.mtime === null || Date.now() - info.mtime.getTime() < YOUNG_MS;
    if (!info.isDirectory || !isOwnFile(info) || isYoung) return;
    const lock = takeLock(joinPath(folder, FILE), { waitMs: 0 });
    if (lock === null) return;
    lock.release();
    removeSync(folder, { recursive: true });
  } catch {
    // The next process tries again.
  }
}

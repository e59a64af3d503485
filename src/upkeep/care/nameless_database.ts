/** Databases without a name: the system removes them with the process, however it ends. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath } from "../../base/paths.ts";
import { openDatabase } from "../../db/database.ts";
import { copyDatabaseFiles } from "./set_aside.ts";
import { OS } from "../../system/environment.ts";
import { makeTempDirSync, removeSync } from "../../system/files.ts";

/**
 * Opens a database with this program's schema, empty or as another one is.
 *
 * Its files lose their names before anything else is written into them; the open connection goes on with them. Windows
 * keeps the names of open files: there an empty database is in memory.
 *
 * @param options `copyOf`: the path of a database that nobody writes to.
 * @throws {Error} What SQLite or the file system says; on Windows, where it would be a copy.
 */
export async function openNamelessDatabase(
  { copyOf }: { readonly copyOf?: string } = {},
): Promise<DatabaseSync> {
  const options = { busyTimeoutMs: 1_000 };
  if (OS === "windows") {
    if (copyOf !== undefined) throw new Error("a copy would keep its name here");
    return await openDatabase(":memory:", options);
  }
  const folder = makeTempDirSync({ prefix: "conclaude-nameless-" });
  try {
    const path = joinPath(folder, "nameless.db");
    if (copyOf !== undefined) copyDatabaseFiles(copyOf, path);
    return await openDatabase(path, options);
  } finally {
    removeSync(folder, { recursive: true });
  }
}

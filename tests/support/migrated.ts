/** A database that is migrated once for a test file, and copied for each home. */
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../src/db/migrate.ts";
import { tempFolder } from "./folders.ts";

let migrated: Uint8Array | undefined;

/** The bytes of an empty database with this program's schema. */
export function migratedDatabase(): Uint8Array {
  return migrated ??= make();
}

function make(): Uint8Array {
  using folder = tempFolder();

  const path = `${folder.path}/conclaude.db`;
  const db = new DatabaseSync(path);
  migrate(db, path);
  db.close();
  return Deno.readFileSync(path);
}

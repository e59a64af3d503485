/** A database that is migrated once for a test file, and copied for each home. */
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../src/db/migrate.ts";

let migrated: Uint8Array | undefined;

/** The bytes of an empty database with this program's schema. */
export function migratedDatabase(): Uint8Array {
  return migrated ??= make();
}

function make(): Uint8Array {
  const folder = Deno.makeTempDirSync({ prefix: "conclaude-migrated-" });
  try {
    const path = `${folder}/conclaude.db`;
    const db = new DatabaseSync(path);
    migrate(db, path);
    db.close();
    return Deno.readFileSync(path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

import { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "./database.ts";
import { applySteps, MigrationError } from "./migrate.ts";

/**
 * What keeps the schema of a database from being brought up to this program's, found on a copy of its empty tables in
 * memory: the database is only read.
 *
 * @returns `null` when nothing does. What only its rows would show, or the disk, is not found.
 */
export function migrationFault(db: DatabaseSync): MigrationError | null {
  const copy = new DatabaseSync(":memory:");
  try {
    // The tables behind a virtual one come with it.
    const parts = db.prepare(
      `SELECT sql
         FROM sqlite_schema
        WHERE sql IS NOT NULL
          AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY rowid`,
    ).all();
    for (const { sql } of parts) copy.exec(String(sql));
    applySteps(copy, schemaVersion(db));
    return null;
  } catch (thrown) {
    if (thrown instanceof MigrationError) return thrown;
    throw thrown;
  } finally {
    copy.close();
  }
}

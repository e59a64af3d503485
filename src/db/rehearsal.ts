import { DatabaseSync } from "node:sqlite";
import { schemaVersion } from "./transaction.ts";
import { applySteps, MigrationError } from "./migrate.ts";

/**
 * Tries the migrations of a database on a copy of its empty tables in memory. The database is only read.
 *
 * @returns What keeps it from being migrated; null when nothing is found. Faults of rows or of the disk do not show.
 */
export function migrationFault(db: DatabaseSync): MigrationError | null {
  const copy = new DatabaseSync(":memory:");
  try {
    // A virtual table makes its own shadow tables.
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

/** What `doctor` says of a database that says of itself that it has an older schema. */
import type { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION } from "../../store/database.ts";
import { migrationFault } from "../../store/rehearsal.ts";
import { correctVersion, schemaDifferences } from "../../store/schema_care.ts";
import { fail, type Finding, ok } from "../check.ts";
import type { DatabasePlace } from "./place.ts";

/** So long the correction of the version waits for another process. */
const VERSION_BUSY_MS = 3_000;

/** The next hook migrates: whether it can is tried on a copy of the tables in memory. */
export function judgeMigration(
  { database, databaseChosenBy }: DatabasePlace,
  { version, db }: { readonly version: number; readonly db: DatabaseSync },
): Finding {
  const state =
    `${database} has schema version ${version}, and this program's is ${SCHEMA_VERSION}`;
  const fault = migrationFault(db);
  if (fault !== null && schemaDifferences(db).length === 0) {
    return fail(
      `${state}, but its tables are those of version ${SCHEMA_VERSION} already: something has changed the number; hooks ` +
        "keep their records in the spool, and nothing is lost",
      "conclaude doctor --fix",
      () => {
        correctVersion(database, { busyTimeoutMs: VERSION_BUSY_MS });
        return `set the schema version of the database to ${SCHEMA_VERSION}, as its tables are`;
      },
    );
  }
  return fault === null
    ? ok(`${state}: the next hook brings it up to date (chosen by ${databaseChosenBy})`)
    : fail(
      `${state}, but ${fault.message}; hooks keep their records in the spool, and \`db reset\` sets the database ` +
        "aside under a dated name",
      "conclaude db reset",
    );
}

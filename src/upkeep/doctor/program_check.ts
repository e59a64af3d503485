import { sqliteVersion } from "../care/care_table.ts";
import { VERSION } from "../../base/version.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import { isThere } from "../care/whole_file.ts";
import type { DoctorPlace } from "./place.ts";
import { RUNTIME_VERSION } from "../../system/environment.ts";
import { execPath } from "../../system/processes.ts";

/** The first SQLite without the fault, see https://sqlite.org/wal.html#walresetbug. */
const SAFE_SQLITE: readonly number[] = [3, 51, 3];

/** This program, its version and its runtime. */
export function lookAtExecutable({ programPath, fromSource }: DoctorPlace): Finding[] {
  const runtime = `Deno ${RUNTIME_VERSION}`;
  const how = fromSource
    ? `runs from source with ${runtime} (${execPath()})`
    : `built on ${runtime}`;
  return [ok(`${programPath}, version ${VERSION}, ${how}`)];
}

/** Whether this program's SQLite is safe for several writers. */
export function lookAtSqlite(
  { database }: Pick<DoctorPlace, "database">,
  version = sqliteVersion(),
): Finding[] {
  if (isAtLeast(version, SAFE_SQLITE)) return [ok(`version ${version}`)];
  return [warn(
    `SQLite ${version} can damage a database when one process empties the write-ahead log while another one writes ` +
      "(the WAL-reset fault, corrected in 3.51.3 and so in the newest conclaude): until then, make backups",
    isThere(database) ? "conclaude db backup" : "Install the newest conclaude",
  )];
}

/** Whether a version such as `3.53.2` is at least another one. */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  const at = least.findIndex((wanted, index) => (parts[index] ?? 0) !== wanted);
  return at === -1 || (parts[at] ?? 0) > least[at]!;
}

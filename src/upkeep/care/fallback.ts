/** Finds what hooks wrote into a database in the temporary folder while the home could not be used. */
import { count } from "../../base/counts.ts";
import { quietly } from "../../base/errors.ts";
import { fallbackDatabase, type Locations } from "../../system/environment.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { isOwnFile } from "../../db/database.ts";
import { exportRows } from "../transfer/export_table.ts";
import { identifyDatabase, openToLook } from "../../db/database_identity.ts";
import { forgottenRows } from "../forget/stay_away_table.ts";
import { findHere } from "../transfer/import_rows_table.ts";
import { daysMs } from "../../base/time.ts";
import { type Finding, warn } from "./check.ts";
import type { DoctorPlace } from "../doctor/place.ts";
import { DATABASE_FILES } from "./database_files.ts";
import { isThere } from "../../system/on_disk.ts";
import { lstatSync } from "../../system/files.ts";

/**
 * Counts the events in the fallback database that an import would bring over; null when there are none, and when the
 * file is not this user's own, since anybody can put one there. `events`: 0 for an older schema, whose rows are not
 * counted. `next`: the command that imports the rows, or migrates them first.
 */
export function leftBehind({ locations, database, retentionDays, nowMs }: {
  readonly locations: Locations;
  /** The database in use. */
  readonly database: string;
  /** Retention removes sessions that ended longer ago; 0 keeps all. */
  readonly retentionDays: number;
  readonly nowMs: number;
}) {
  // If a person names a database, hooks use no other one.
  if (locations.databaseFrom !== "default" || database === ":memory:") return null;
  const path = fallbackDatabase(locations);
  if (path === database || !isOwnDatabase(path)) return null;
  const { kind } = identifyDatabase(path);
  const base = `conclaude --db ${quoteWord(path)}`;
  // An older schema must be migrated before its rows can be counted.
  if (kind === "older") return { path, events: 0, captures: 0, next: `${base} db migrate` };
  if (kind !== "ours") return null;
  const usedKind = identifyDatabase(database).kind;
  // An import into any other kind of file is impossible.
  if (usedKind !== "missing" && usedKind !== "empty" && usedKind !== "ours") return null;
  using from = openToLook(path);
  using to = usedKind === "ours" ? openToLook(database) : null;
  const admit = to && forgottenRows(to);
  const missing = { execution: 0, capture: 0 };
  const sinceMs = retentionDays === 0 ? null : nowMs - daysMs(retentionDays);
  for (const { type, columns } of exportRows(from, { sessionId: null, sinceMs })) {
    // The check must be called for every row.
    const isForgotten = admit?.(type, columns) === null;
    const isHere = to !== null && findHere(to, type, columns) !== undefined;
    if (!isForgotten && !isHere && (type === "execution" || type === "capture")) missing[type]++;
  }
  const { execution: events, capture: captures } = missing;
  const next = `${base} export | conclaude import -`;
  return events === 0 ? null : { path, events, captures, next };
}

export function lookAtFallback(place: DoctorPlace): Finding[] {
  const found = leftBehind({ ...place, retentionDays: place.config.sessionRetentionDays });
  if (found === null) return [];
  const { path, events, captures, next } = found;
  const held = events === 0
    ? "is of an older conclaude; what it holds is counted when it is migrated"
    : `holds ${count(events, "event")} with ${
      count(captures, "capture")
    } that ${place.database} does not have`;
  return [warn(
    `${path} ${held}: hooks write there while the home cannot be used, and a restart may remove it`,
    next,
  )];
}

/** Whether a database and its log belong to this user: SQLite would read a log that somebody else put there. */
export function isOwnDatabase(path: string): boolean {
  const files = DATABASE_FILES.map((ending) => path + ending).filter(isThere);
  return isThere(path) && quietly(() => files.every((file) => isOwnFile(lstatSync(file)))) === true;
}

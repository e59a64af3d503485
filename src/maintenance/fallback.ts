/** What hooks wrote into the database of the temporary folder while the home could not be used. */
import type { DatabaseSync } from "node:sqlite";
import { joinPath, parentOf } from "../paths.ts";
import { type Locations } from "../environment.ts";
import { quoteWord } from "../settings/hooks.ts";
import { isOwnFile } from "../store/database.ts";
import { type ExportRow, exportRows } from "../store/export.ts";
import { identifyDatabase, openToLook } from "../store/identity.ts";
import { forgottenRows } from "../store/import_forgotten.ts";
import { findHere } from "../store/import_rows.ts";
import { daysMs } from "../time.ts";
import { DATABASE_FILES } from "./set_aside.ts";

/** Events that are there and not in the database that counts. */
export interface LeftBehind {
  /** The database of the temporary folder. */
  readonly path: string;
  readonly events: number;
  readonly captures: number;
  /** Whether an older program made it: its rows are counted when it has this program's tables. */
  readonly isOlder: boolean;
}

/** Where to look, and beside what. */
export interface BesideFallback {
  readonly locations: Locations;
  /** The database that counts. */
  readonly database: string;
  /** What ended longer ago would not stay, were it brought over; 0 where all does. */
  readonly retentionDays: number;
  readonly nowMs: number;
}

/**
 * The events of the other database that an import would bring over; null when there are none, and when it is not this
 * user's own: anybody can put a file there.
 *
 * @throws {Error} What SQLite says of either.
 */
export function leftBehind(place: BesideFallback): LeftBehind | null {
  const { locations, database, retentionDays, nowMs } = place;
  // Who names a database gets no other one, home or not.
  if (locations.databaseFrom !== "default" || database === ":memory:") return null;
  const path = fallbackDatabase(locations);
  if (path === database || !isOwnDatabase(path)) return null;
  const { kind } = identifyDatabase(path);
  if (kind === "older") return { path, events: 0, captures: 0, isOlder: true };
  if (kind !== "ours") return null;
  const sinceMs = retentionDays === 0 ? null : nowMs - daysMs(retentionDays);
  const from = openToLook(path);
  try {
    const counts = countMissing(from, database, sinceMs);
    return counts === null || counts.events === 0 ? null : { path, ...counts, isOlder: false };
  } finally {
    from.close();
  }
}

/** The command that brings them over; what is there already stays as it is. */
export function bringOver({ path, isOlder }: LeftBehind): string {
  return isOlder
    ? `conclaude --db ${quoteWord(path)} db migrate`
    : `conclaude --db ${quoteWord(path)} export | conclaude import -`;
}

/** Beside this user's own folder there, which is the last place of the spool. */
export function fallbackDatabase({ spoolFolders }: Pick<Locations, "spoolFolders">): string {
  return joinPath(parentOf(parentOf(spoolFolders.at(-1)!)), "conclaude.db");
}

/** Whether such a database is there and this user's own. The log beside it counts as well: SQLite would take in what somebody has put there. */
export function isOwnDatabase(path: string): boolean {
  try {
    return isOwnFile(Deno.lstatSync(path)) &&
      DATABASE_FILES.every((ending) => isOwnOrMissing(path + ending));
  } catch {
    return false;
  }
}

function isOwnOrMissing(path: string): boolean {
  try {
    return isOwnFile(Deno.lstatSync(path));
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

/** Null where the database that counts is not one to bring anything into. */
function countMissing(from: DatabaseSync, database: string, sinceMs: number | null) {
  const { kind } = identifyDatabase(database);
  if (kind === "missing" || kind === "empty") return countRows(from, sinceMs, () => true);
  if (kind !== "ours") return null;
  const to = openToLook(database);
  try {
    const admit = forgottenRows(to);
    return countRows(
      from,
      sinceMs,
      ({ type, columns }) =>
        findHere(to, type, columns) === undefined && admit(type, columns) !== null,
    );
  } finally {
    to.close();
  }
}

function countRows(
  db: DatabaseSync,
  sinceMs: number | null,
  isMissing: (row: ExportRow) => boolean,
) {
  const counts = { events: 0, captures: 0 };
  for (const row of exportRows(db, { sessionId: null, sinceMs })) {
    if (!isMissing(row)) continue;
    if (row.type === "execution") counts.events++;
    if (row.type === "capture") counts.captures++;
  }
  return counts;
}

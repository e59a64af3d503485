/**
 * The spool: records wait here while the database cannot take them. Each is a private file, named by its id, so that names
 * sort by time.
 */
import { baseName, joinPath, parentOf } from "../base/paths.ts";
import { isMissing, kindAt, readJsonFile } from "../system/on_disk.ts";
import { makePrivateFolder, writeWhole } from "../system/write_file.ts";
import type { HookRecord } from "./captures.ts";

/** The layout of a spool file. */
export const SPOOL_FORMAT = 3;

/**
 * The oldest layout that can hold a record, so that an older program leaves a record that it does not know. Format 2 added
 * requirements, and format 3 sub-agents and questions.
 */
function formatOf({ changes, told }: HookRecord): number {
  return told !== undefined ? SPOOL_FORMAT : changes !== undefined ? 2 : 1;
}

export interface SpooledRecord {
  readonly format: number;
  /** Absolute path of the record's database. */
  readonly database: string;
  readonly record: HookRecord;
}

/** Ends the names of all files for one database. */
export function spoolSuffix(database: string): string {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (let i = 0; i < database.length; i++) {
    hash = Math.imul(hash ^ database.charCodeAt(i), 0x01000193);
  }
  return `.${(hash >>> 0).toString(16).padStart(8, "0")}.json`;
}

/** Ends the name of a file for any database. */
const ANY_SUFFIX = /\.[\da-f]{8}\.json$/;

/**
 * The endings of the files for a database. In the spool beside the database they include those for a database of the same
 * name in a folder that is gone: a person may have moved both together.
 */
export function suffixesOf(
  database: string,
  { folder, names }: { readonly folder: string; readonly names: readonly string[] },
): string[] {
  const own = spoolSuffix(database);
  if (parentOf(folder) !== parentOf(database)) return [own];
  const firstOf = new Map<string, string>();
  for (const name of names) {
    const suffix = ANY_SUFFIX.exec(name)?.[0] ?? own;
    if (!firstOf.has(suffix)) firstOf.set(suffix, name);
  }
  firstOf.delete(own);
  const moved = [...firstOf].filter(([, name]) => wasMoved(joinPath(folder, name), database));
  return [own, ...moved.map(([suffix]) => suffix)];
}

/** Whether a record is for a database of this name in a folder that is gone. */
function wasMoved(path: string, database: string): boolean {
  if (kindAt(path) !== "file") return false;
  const meant: unknown = Reflect.get(Object(readJsonFile(path)), "database");
  return typeof meant === "string" && baseName(meant) === baseName(database) &&
    isMissing(parentOf(meant));
}

/** Writes a record into the first folder that can be written. @throws {AggregateError} When none can be. */
export function spoolRecord(
  record: HookRecord,
  target: { readonly database: string; readonly folders: readonly string[] },
): string {
  const entry: SpooledRecord = { format: formatOf(record), database: target.database, record };
  const text = JSON.stringify(entry);
  const errors: unknown[] = [];
  for (const folder of target.folders) {
    try {
      makePrivateFolder(parentOf(folder));
      makePrivateFolder(folder);
      const path = joinPath(folder, record.id + spoolSuffix(target.database));
      writeWhole(path, text, { mode: 0o600 });
      return path;
    } catch (thrown) {
      errors.push(thrown);
    }
  }
  throw new AggregateError(errors, "no folder could take the record");
}

import { count } from "../../base/counts.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { isPrivateFolder } from "../../system/write_file.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { drainSpool, spooledFiles } from "../transfer/drain_spool.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { isThere } from "../care/whole_file.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";
import { readDirSync, readLinkSync, readTextFileSync } from "../../system/files.ts";

/** Files that a command names at most. */
const MAX_NAMED = 5;

/** How the names of records end, also of those that were set aside. */
const RECORD_NAME = /\.json(?:\.damaged)?$/;

/** Records that wait because a database could not take them. */
export function lookAtSpool(place: DoctorPlace): Finding[] {
  const { database, locations } = place;
  const folders = locations.spoolFolders.filter(isThere);
  const entries = folders.filter(isTrustedSpool).flatMap(spoolEntries);
  const files = entries.filter(({ isFile }) => isFile).map(({ path }) => path);
  const own = database === ":memory:" ? [] : spooledFiles({ database, folders });
  const others = files.filter((path) => path.endsWith(".json") && !own.includes(path));
  const damaged = files.filter((path) => path.endsWith(".damaged"));
  const findings = [
    ...folders.filter((folder) => !isTrustedSpool(folder)).map((folder) =>
      fail(
        `${folder} is not this user's own folder, so no record is put there or taken from there`,
        `ls -ld ${quoteWord(parentOf(folder))} ${quoteWord(folder)}`,
      )
    ),
    ...own.length === 0 ? [] : [warn(
      `${records(own.length)} waiting for the database; the next hook that can write takes them in`,
      "conclaude doctor --fix",
      () => takeIn(place),
    )],
    ...[...Map.groupBy(others, databaseOf)].map(([other, those]) =>
      warn(
        `${records(those.length)} waiting for another database: ${other ?? "unknown"}`,
        other === null
          ? `ls -l ${quoteWord(those[0]!)}`
          : `conclaude --db ${quoteWord(other)} doctor --fix`,
      )
    ),
    ...damaged.length === 0 ? [] : [warn(
      `${records(damaged.length)} set aside because no database could take them`,
      `ls -l ${damaged.slice(0, MAX_NAMED).map(quoteWord).join(" ")}`,
    )],
    ...entries.filter(({ path, isFile }) => !isFile && RECORD_NAME.test(path)).map((entry) =>
      warn(
        `${entry.path} has the name of a record and is ${kindOf(entry)}, so it is left alone`,
        `ls -ld ${quoteWord(entry.path)}`,
      )
    ),
  ];
  return findings.length > 0 ? findings : [ok("no record is waiting")];
}

async function takeIn(place: DoctorPlace): Promise<string> {
  const { database, locations: { spoolFolders: folders } } = place;
  return await repairDatabase(place, (db) => {
    const { saved, known, damaged } = drainSpool(db, { database, folders });
    return [
      `wrote ${count(saved, "waiting record")} into the database`,
      ...known > 0 ? [`${known} were there already`] : [],
      ...damaged.length > 0 ? [`${damaged.length} could not be read`] : [],
    ].join("; ");
  });
}

/** What lies in a spool folder. Nobody reads a pipe, which would be waited for, or a link, which may lead anywhere. */
interface SpoolEntry {
  readonly path: string;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
}

/** The entries of a spool folder; none where it cannot be read. */
export function spoolEntries(folder: string): SpoolEntry[] {
  try {
    return Array.from(
      readDirSync(folder),
      ({ name, ...entry }) => ({ ...entry, path: joinPath(folder, name) }),
    );
  } catch {
    return [];
  }
}

function kindOf({ path, isSymlink, isDirectory }: SpoolEntry): string {
  return isSymlink
    ? `a link to ${readLinkSync(path)}`
    : isDirectory
    ? "a folder"
    : "a pipe or a device";
}

/** The database that a record is meant for; null when it does not say. */
function databaseOf(path: string): string | null {
  try {
    const { database } = JSON.parse(readTextFileSync(path)) as { readonly database?: unknown };
    return typeof database === "string" ? database : null;
  } catch {
    return null;
  }
}

/** Whether this user made the spool folder and the one above; another user may have made them where users share a folder. */
export function isTrustedSpool(folder: string): boolean {
  try {
    return isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder);
  } catch {
    return false;
  }
}

function records(n: number): string {
  return count(n, "record is", "records are");
}

import { messageOf } from "../../errors.ts";
import { joinPath, parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { isPrivateFolder } from "../../project/write_file.ts";
import { databasePermissions, linkableFindings, permissionFindings } from "../private_files.ts";
import { isThere } from "../whole_file.ts";
import { isNotOurs } from "./database.ts";
import type { DoctorPlace } from "./place.ts";
import { nearestFolder, otherOwner, whyClosed, whyUnwritable } from "./writable.ts";

/** The folder for database, log and spool. */
export function lookAtHome(place: DoctorPlace): Finding[] {
  const { locations } = place;
  const { home, dataFolder } = locations;
  if (home === null) {
    return [warn(
      `HOME is not set, so ${whereTo(place)}`,
      'export HOME="$(eval echo "~$(id -un)")"',
    )];
  }
  const wanted = joinPath(home, ".conclaude");
  if (dataFolder !== wanted) {
    return [fail(
      `${wanted} cannot be used (${whyUnusable(wanted)}), so ${whereTo(place)}`,
      wayToUse(home, wanted),
    )];
  }
  if (!isThere(dataFolder)) {
    const why = whyUnwritable(nearestFolder(dataFolder));
    return [
      why === null
        ? ok(`${dataFolder} is not there yet; the first hook makes it`)
        : fail(`${dataFolder} cannot be made: ${why}`, `ls -ld ${quoteWord(home)}`),
    ];
  }
  const why = whyUnwritable(dataFolder);
  if (why !== null) return [fail(why, wayToOwn(dataFolder) ?? `ls -ld ${quoteWord(dataFolder)}`)];
  const faults = permissionFindings([dataFolder], 0o700).filter(({ status }) => status !== "ok");
  return faults.length > 0 ? faults : [ok(`${dataFolder}, yours alone`)];
}

/** What goes where without the folder of the home; a database that somebody has named is none of that. */
function whereTo({ locations, database }: DoctorPlace): string {
  const { dataFolder, databaseFrom } = locations;
  const isFallback = databaseFrom === "fallback" && database === locations.database;
  return isFallback
    ? `events go to ${database}, log and spool to ${dataFolder}, and a restart may remove both`
    : `log and spool go to ${dataFolder}, which a restart may empty`;
}

/**
 * Database, log, spool and the user's configuration: nobody else may read them. What lies behind a link may be anybody's,
 * so it is named and left as it is; a configuration there only has to be safe from being written by others.
 */
export function lookAtPermissions(place: DoctorPlace): Finding[] {
  const { locations, database } = place;
  const { dataFolder, spoolFolders } = locations;
  const folders = [...new Set([dataFolder, ...spoolFolders.map(parentOf), ...spoolFolders])];
  const hasDatabase = database !== ":memory:" && !isNotOurs(place);
  const files = [
    ...spoolFolders.map((folder) => joinPath(parentOf(folder), "conclaude.log")),
    ...spoolFolders.map((folder) => joinPath(parentOf(folder), "conclaude.log.1")),
    ...spoolFolders.filter(isOwnFolder).flatMap(filesIn),
  ].filter(isRegularFile);
  const configurations = ["config.yaml", "config.yml"].map((name) => joinPath(dataFolder, name))
    .filter(isRegularFile);
  const ofDatabase = hasDatabase ? databasePermissions(database, { folders }) : [];
  const findings = [
    ...ofDatabase,
    ...permissionFindings(files, 0o600, { folders }),
    ...linkableFindings(configurations, { folders }),
    ...permissionFindings(spoolFolders.filter(isThere), 0o700, { folders }),
  ];
  const faults = findings.filter(({ status }) => status !== "ok");
  if (faults.length > 0) return faults;
  const isNone = files.length + configurations.length + ofDatabase.length === 0;
  return [ok(isNone ? "no files yet" : "files 0600, folders 0700")];
}

/** The spool of another user, in a folder that users share, is told of by the check of the spool. */
function isOwnFolder(folder: string): boolean {
  try {
    return isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder);
  } catch {
    return false;
  }
}

/** Out of the way with what is no folder; the rest is a matter of permissions. */
function wayToUse(home: string, wanted: string): string {
  if (!isThere(wanted)) return `ls -ld ${quoteWord(home)}`;
  if (!isFolder(wanted)) return `mv ${quoteWord(wanted)} ${quoteWord(`${wanted}.file`)}`;
  return wayToOwn(wanted) ?? `ls -ld ${quoteWord(home)} ${quoteWord(wanted)}`;
}

/** Left behind by a run with `sudo`, with all that is in it; null for this user's own. */
function wayToOwn(folder: string): string | null {
  const uid = Deno.uid();
  return uid === null || otherOwner(folder) === null
    ? null
    : `sudo chown -R ${uid} ${quoteWord(folder)}`;
}

function whyUnusable(folder: string): string {
  try {
    const { isDirectory } = Deno.statSync(folder);
    if (!isDirectory) return "it is not a folder";
    Deno.readDirSync(folder)[Symbol.iterator]().next();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.PermissionDenied) return whyClosed(folder);
    if (!(thrown instanceof Deno.errors.NotFound)) return messageOf(thrown);
  }
  return whyUnwritable(nearestFolder(folder)) ?? "it cannot be made";
}

/** What is no file itself, links included, is told of by the check of the spool. */
function filesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder))
      .flatMap(({ name, isFile }) => isFile ? [joinPath(folder, name)] : []);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch (thrown) {
    // A link that leads nowhere is none; what cannot be looked at may be one.
    return !(thrown instanceof Deno.errors.NotFound);
  }
}

function isRegularFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The folders and files that hooks write to: whether they can, whether anybody else can read them, whether there is room. */
import { statfsSync } from "node:fs";
import { messageOf, quietly } from "../../base/errors.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { databasePermissionFaults, permissionFaults } from "../care/private_files.ts";
import { isThere } from "../care/whole_file.ts";
import { isNotOurs } from "./database_checks.ts";
import type { DoctorPlace } from "./place.ts";
import { isTrustedSpool, spoolEntries } from "./spool_and_log.ts";
import { nearestFolder, otherOwner, whyClosed, whyUnwritable } from "./writable.ts";
import { userId } from "../../system/environment.ts";
import {
  isFile,
  isNotFound,
  isPermissionDenied,
  readDirSync,
  statSync,
} from "../../system/files.ts";

/** The folder for database, log and spool. */
export function lookAtHome(place: DoctorPlace): Finding[] {
  const { home, dataFolder } = place.locations;
  if (home === null) {
    const next = 'export HOME="$(eval echo "~$(id -un)")"';
    return [warn(`HOME is not set, so ${whereTo(place)}`, next)];
  }
  const wanted = joinPath(home, ".conclaude");
  if (dataFolder !== wanted) {
    return [fail(
      `${wanted} cannot be used (${whyUnusable(wanted)}), so ${whereTo(place)}`,
      isFile(wanted)
        ? `mv ${quoteWord(wanted)} ${quoteWord(`${wanted}.file`)}`
        : wayIn(wanted, isThere(wanted) ? wanted : home),
    )];
  }
  const why = whyUnwritable(nearestFolder(dataFolder));
  if (!isThere(dataFolder)) {
    return why === null
      ? [ok(`${dataFolder} is not there yet; the first hook makes it`)]
      : [fail(`${dataFolder} cannot be made: ${why}`, wayIn(dataFolder, home))];
  }
  if (why !== null) return [fail(why, wayIn(dataFolder))];
  const faults = permissionFaults([dataFolder], 0o700);
  return faults.length > 0 ? faults : [ok(`${dataFolder}, yours alone`)];
}

/** What hooks write where, without the folder of the home. A person may have named a database elsewhere. */
function whereTo({ locations, database }: DoctorPlace): string {
  const { dataFolder, databaseFrom } = locations;
  return databaseFrom === "fallback" && database === locations.database
    ? `events go to ${database}, log and spool to ${dataFolder}, and a restart may remove both`
    : `log and spool go to ${dataFolder}, which a restart may empty`;
}

/** A run with `sudo` leaves a folder of root's behind; of all else doctor shows who may do what. */
function wayIn(folder: string, shown = folder): string {
  const uid = userId();
  return uid === null || otherOwner(folder) === null
    ? `ls -ld ${quoteWord(shown)}`
    : `sudo chown -R ${uid} ${quoteWord(folder)}`;
}

function whyUnusable(folder: string): string {
  try {
    if (!statSync(folder).isDirectory) return "it is not a folder";
    readDirSync(folder)[Symbol.iterator]().next();
  } catch (thrown) {
    if (isPermissionDenied(thrown)) return whyClosed(folder);
    if (!isNotFound(thrown)) return messageOf(thrown);
  }
  return whyUnwritable(nearestFolder(folder)) ?? "it cannot be made";
}

/**
 * Whether nobody else can read database, log, spool and the user's configuration. A file behind a link may be anybody's:
 * doctor names it and leaves it, and a configuration there only has to be safe from being written by others.
 */
export function lookAtPermissions(place: DoctorPlace): Finding[] {
  const { dataFolder, spoolFolders } = place.locations;
  const above = spoolFolders.map(parentOf);
  const folders = [...new Set([dataFolder, ...above, ...spoolFolders])];
  const logs = above.flatMap((folder) =>
    ["conclaude.log", "conclaude.log.1"].map((name) => joinPath(folder, name))
  );
  const records = spoolFolders.filter(isTrustedSpool).flatMap(spoolEntries)
    .filter(({ kind }) => kind === "file").map(({ path }) => path);
  const configurations = ["config.yaml", "config.yml"].map((name) => joinPath(dataFolder, name));
  const isOurs = place.database !== ":memory:" && !isNotOurs(place);
  const faults = [
    ...isOurs ? databasePermissionFaults(place.database, { folders }) : [],
    ...permissionFaults([...logs, ...records], 0o600, { folders }),
    ...permissionFaults(configurations, 0o600, { folders, mayBeLinked: true }),
    ...permissionFaults(spoolFolders, 0o700, { folders }),
  ];
  return faults.length > 0 ? faults : [ok("files 0600, folders 0700, as far as they are there")];
}

const MEGABYTE = 1_000_000;
/** Below this a day of hooks may not find room. */
const LITTLE_BYTES = 200 * MEGABYTE;
/** Below this a single event may not. */
const NO_BYTES = 0.5 * MEGABYTE;

/** Whether there is room for what hooks write. */
export function lookAtDisk({ database }: DoctorPlace): Finding[] {
  if (database === ":memory:") return [];
  const folder = nearestFolder(parentOf(database));
  const free = freeBytes(folder);
  if (free === null) return [];
  const room = `${Math.round(free / MEGABYTE)} MB free for ${folder}`;
  if (free >= LITTLE_BYTES) return [ok(room)];
  const isFull = free < NO_BYTES;
  return [(isFull ? fail : warn)(
    `the disk is ${
      isFull ? "" : "nearly "
    }full: ${room}; \`conclaude retention run\` removes old sessions`,
    `df -h ${quoteWord(folder)}`,
  )];
}

/** Null where the system does not tell. */
function freeBytes(folder: string): number | null {
  const stat = quietly(() => statfsSync(folder));
  return stat === undefined || stat.blocks === 0 ? null : stat.bavail * stat.bsize;
}

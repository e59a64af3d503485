/** Checks the folders and files that hooks write to: whether hooks can, whether others can read them, free space. */
import { statfsSync } from "node:fs";
import { quietly } from "../../base/errors.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { databasePermissionFaults, permissionFaults } from "../care/private_files.ts";
import { isThere } from "../../system/on_disk.ts";
import { isNotOurs } from "./database_checks.ts";
import type { DoctorPlace } from "./place.ts";
import { isOwnSpool, spoolEntries } from "../../db/spool.ts";
import { nearestFolder, otherOwner, whyUnwritable } from "../../system/write_access.ts";
import { userId } from "../../system/environment.ts";

/** Checks the folder for database, log and spool. */
export function lookAtHome({ locations, database }: DoctorPlace): Finding[] {
  const { home, dataFolder, databaseFrom } = locations;
  // If a person named a database elsewhere, only log and spool are in the fallback folder.
  const whereTo = databaseFrom === "fallback" && database === locations.database
    ? `events go to ${database}, log and spool to ${dataFolder}, and a restart may remove both`
    : `log and spool go to ${dataFolder}, which a restart may empty`;
  if (home === null) {
    const next = 'export HOME="$(eval echo "~$(id -un)")"';
    return [warn(`HOME is not set, so ${whereTo}`, next)];
  }
  const wanted = joinPath(home, ".conclaude");
  const why = whyUnwritable(wanted);
  if (dataFolder !== wanted) {
    return [fail(`${why ?? `${wanted} cannot be used`}, so ${whereTo}`, wayIn(wanted))];
  }
  if (why !== null) return [fail(why, wayIn(wanted))];
  if (!isThere(wanted)) return [ok(`${wanted} is not there yet; the first hook makes it`)];
  const faults = permissionFaults([wanted], 0o700);
  return faults.length > 0 ? faults : [ok(`${wanted}, yours alone`)];
}

/** Returns the command that takes back another user's folder (a run with `sudo` leaves one), or that shows its mode. */
function wayIn(folder: string): string {
  const uid = userId();
  return uid === null || otherOwner(folder) === null
    ? `ls -ld ${quoteWord(nearestFolder(folder))}`
    : `sudo chown -R ${uid} ${quoteWord(folder)}`;
}

/**
 * Checks that nobody else can read database, log, spool and the user's configuration. A file behind a link may be
 * anybody's: doctor names it and leaves it, and demands of a configuration there only that others cannot write it.
 */
export function lookAtPermissions(place: DoctorPlace): Finding[] {
  const { dataFolder, spoolFolders } = place.locations;
  const above = spoolFolders.map(parentOf);
  const folders = [...new Set([dataFolder, ...above, ...spoolFolders])];
  const logs = above.flatMap((folder) =>
    ["conclaude.log", "conclaude.log.1"].map((name) => joinPath(folder, name))
  );
  const records = spoolFolders.filter(isOwnSpool).flatMap(spoolEntries)
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
/** With less free space, one day of hooks may fill the disk. */
const LITTLE_BYTES = 200 * MEGABYTE;
/** With less free space, a single event may fill the disk. */
const NO_BYTES = 0.5 * MEGABYTE;

/** Checks whether there is room for what hooks write; finds nothing if the system does not tell. */
export function lookAtDisk({ database }: DoctorPlace): Finding[] {
  if (database === ":memory:") return [];
  const folder = nearestFolder(parentOf(database));
  const { blocks, bavail, bsize } = quietly(() => statfsSync(folder)) ??
    { blocks: 0, bavail: 0, bsize: 0 };
  if (blocks === 0) return [];
  const free = bavail * bsize;
  const room = `${Math.round(free / MEGABYTE)} MB free for ${folder}`;
  if (free >= LITTLE_BYTES) return [ok(room)];
  const [make, state] = free < NO_BYTES ? [fail, "full"] as const : [warn, "nearly full"] as const;
  return [make(
    `the disk is ${state}: ${room}; \`conclaude retention run\` removes old sessions`,
    `df -h ${quoteWord(folder)}`,
  )];
}

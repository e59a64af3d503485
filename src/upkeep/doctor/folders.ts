/** Checks the folders and files of hooks: whether hooks can write, who else can read, free space, spool and log. */
import { statfsSync } from "node:fs";
import { quietly } from "../../base/errors.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { databasePermissionFaults, permissionFaults } from "../care/private_files.ts";
import { isThere, readText } from "../../system/on_disk.ts";
import { count } from "../../base/counts.ts";
import { daysMs } from "../../base/time.ts";
import { shortened } from "../../memory/text.ts";
import { readLinkSync } from "../../system/files.ts";
import { homeMark, isOfHome, logFiles } from "../../system/log.ts";
import { isNotOurs } from "./database_checks.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";
import { databaseOfRecord, isOwnSpool, spooledFiles, spoolEntries } from "../../db/spool.ts";
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
 * Checks that nobody else can read database, log, spool and the user's configuration. A file behind a link may
 * belong to anybody: doctor reports it and does not change it. Others may read a linked configuration, but not write it.
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

/** The most files that a command names. */
const MAX_NAMED = 5;

/** The endings of records' names; the second one is for records that were set aside. */
const RECORD_NAME = /\.json(?:\.damaged)?$/;

/** Reports records that wait because a database could not take them. */
export function lookAtSpool(place: DoctorPlace): Finding[] {
  const { database, locations } = place;
  const folders = locations.spoolFolders.filter(isThere);
  const entries = folders.filter(isOwnSpool).flatMap(spoolEntries);
  const files = entries.filter(({ kind }) => kind === "file").map(({ path }) => path);
  const own = database === ":memory:" ? [] : spooledFiles({ database, folders });
  const others = files.filter((path) => path.endsWith(".json") && !own.includes(path));
  const damaged = files.filter((path) => path.endsWith(".damaged"));
  const records = (n: number) => count(n, "record is", "records are");
  const findings = folders.filter((folder) => !isOwnSpool(folder)).map((folder) =>
    fail(
      `${folder} is not this user's own folder, so no record is put there or taken from there`,
      `ls -ld ${quoteWord(parentOf(folder))} ${quoteWord(folder)}`,
    )
  );
  if (own.length > 0) {
    findings.push(warn(
      `${records(own.length)} waiting for the database; the next hook that can write takes them in`,
      "conclaude doctor --fix",
      () => takeIn(place),
    ));
  }
  for (const [other, those] of Map.groupBy(others, databaseOfRecord)) {
    findings.push(warn(
      `${records(those.length)} waiting for another database: ${other ?? "unknown"}`,
      other === null
        ? `ls -l ${quoteWord(those[0]!)}`
        : `conclaude --db ${quoteWord(other)} doctor --fix`,
    ));
  }
  if (damaged.length > 0) {
    findings.push(warn(
      `${records(damaged.length)} set aside because no database could take them`,
      `ls -l ${damaged.slice(0, MAX_NAMED).map(quoteWord).join(" ")}`,
    ));
  }
  for (const { path, kind } of entries) {
    if (kind === "file" || !RECORD_NAME.test(path)) continue;
    const what = kind === "link"
      ? `a link to ${readLinkSync(path)}`
      : kind === "folder"
      ? "a folder"
      : "a pipe or a device";
    findings.push(warn(
      `${path} has the name of a record and is ${what}, so it is left alone`,
      `ls -ld ${quoteWord(path)}`,
    ));
  }
  return findings.length > 0 ? findings : [ok("no record is waiting")];
}

async function takeIn(place: DoctorPlace): Promise<string> {
  const { database, locations: { spoolFolders: folders } } = place;
  return await repairDatabase(place, (db) => {
    const { saved, known, damaged } = place.drainSpool(db, { database, folders });
    return `wrote ${count(saved, "waiting record")} into the database` +
      (known > 0 ? `; ${known} were there already` : "") +
      (damaged.length > 0 ? `; ${damaged.length} could not be read` : "");
  });
}

const LOG_LINE = /^(\S+Z) (warn|error) \[\d+\] (.*)$/;
const MAX_MESSAGE_CHARS = 300;

/** Reports errors and warnings of hooks in the last 24 hours; in a log that homes share, only this home's lines. */
export function lookAtLog({ locations: { home, spoolFolders }, nowMs }: DoctorPlace): Finding[] {
  const mark = homeMark(home);
  const lines = logFiles(spoolFolders).flatMap((file) =>
    (readText(file) ?? "").split("\n").flatMap((text) => {
      const [, time = "", level = "", marked = ""] = LOG_LINE.exec(text) ?? [];
      const atMs = Date.parse(time);
      const isMarked = marked.startsWith(mark);
      const counts = atMs >= nowMs - daysMs(1) && (isMarked || isOfHome(file, home));
      return counts
        ? [{ file, atMs, level, message: isMarked ? marked.slice(mark.length) : marked }]
        : [];
    })
  ).sort((a, b) => a.atMs - b.atMs);
  const last = lines.at(-1);
  if (last === undefined) return [ok("no error and no warning in the last 24 hours")];
  const errors = lines.filter(({ level }) => level === "error").length;
  const counts = `${count(errors, "error")} and ${count(lines.length - errors, "warning")}`;
  return [warn(
    `${counts} in the last 24 hours; the last, at ${new Date(last.atMs).toISOString()}: ` +
      shortened(last.message, MAX_MESSAGE_CHARS),
    `tail ${quoteWord(last.file)}`,
  )];
}

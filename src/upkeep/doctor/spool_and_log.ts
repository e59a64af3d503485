/** Checks what hooks left beside the database: records in the spool, and lines in the log. */
import { count } from "../../base/counts.ts";
import { parentOf } from "../../base/paths.ts";
import { daysMs } from "../../base/time.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { databaseOfRecord, isOwnSpool, spooledFiles, spoolEntries } from "../../db/spool.ts";
import { shortened } from "../../memory/text.ts";
import { readLinkSync } from "../../system/files.ts";
import { homeMark, isOfHome, logFiles } from "../../system/log.ts";
import { isThere, readText } from "../../system/on_disk.ts";
import { fail, type Finding, ok, warn } from "../care/check.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";

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
  for (const { path, kind } of entries.filter(({ path }) => RECORD_NAME.test(path))) {
    if (kind === "file") continue;
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

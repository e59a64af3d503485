import { count } from "../../counts.ts";
import { homeMark, isOfHome, logFiles } from "../../log/log.ts";
import type { Locations } from "../../environment.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { type Finding, ok, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

/** One line of the log. */
export interface LogLine {
  readonly file: string;
  readonly atMs: number;
  readonly level: "info" | "warn" | "error";
  readonly message: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The end of a log that is read. */
const TAIL_BYTES = 256 * 1024;
const LINE = /^(\S+Z) (info|warn|error) \[\d+\] (.*)$/;
const MAX_MESSAGE_CHARS = 300;

/** What hooks had to say in the last 24 hours. */
export function lookAtLog({ locations, nowMs }: DoctorPlace): Finding[] {
  const pipes = logFiles(locations.spoolFolders).filter(isPipe).map((file) =>
    warn(
      `${file} is a pipe, so nothing is written to it or read from it`,
      `ls -l ${quoteWord(file)}`,
    )
  );
  return [...pipes, ...lastLines({ locations, nowMs })];
}

function lastLines({ locations, nowMs }: Pick<DoctorPlace, "locations" | "nowMs">): Finding[] {
  const lines = recentLog(locations, nowMs).filter(({ level }) => level !== "info");
  const last = lines.toSorted((a, b) => a.atMs - b.atMs).at(-1);
  if (last === undefined) return [ok("no error and no warning in the last 24 hours")];
  const message = last.message.length > MAX_MESSAGE_CHARS
    ? `${last.message.slice(0, MAX_MESSAGE_CHARS)}…`
    : last.message;
  const errors = lines.filter(({ level }) => level === "error").length;
  const counts = `${count(errors, "error")} and ${count(lines.length - errors, "warning")}`;
  const at = new Date(last.atMs).toISOString();
  return [warn(
    `${counts} in the last 24 hours; the last, at ${at}: ${message}`,
    `tail ${quoteWord(last.file)}`,
  )];
}

/**
 * The lines of the last 24 hours of all logs, oldest first in each; of a large log only its end, of a shared one only
 * what is of this home.
 */
export function recentLog(locations: Locations, nowMs: number): LogLine[] {
  const mark = homeMark(locations.home);
  return logFiles(locations.spoolFolders).flatMap((file) =>
    tailOf(file).split("\n").flatMap((text): LogLine[] => {
      const [, time, level, told] = LINE.exec(text) ?? [];
      if (time === undefined || told === undefined) return [];
      const isMarked = told.startsWith(mark);
      if (!isMarked && !isOfHome(file, locations.home)) return [];
      const message = isMarked ? told.slice(mark.length) : told;
      const atMs = Date.parse(time);
      return atMs >= nowMs - DAY_MS
        ? [{ file, atMs, level: level as LogLine["level"], message }]
        : [];
    })
  );
}

function isPipe(path: string): boolean {
  try {
    return Deno.statSync(path).isFifo === true;
  } catch {
    return false;
  }
}

/** Of a pipe nothing: it would be waited for. */
function tailOf(path: string): string {
  if (isPipe(path)) return "";
  try {
    using file = Deno.openSync(path);
    const { size } = file.statSync();
    file.seekSync(Math.max(0, size - TAIL_BYTES), Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(size, TAIL_BYTES));
    let length = 0;
    for (let read = file.readSync(bytes); read; read = file.readSync(bytes.subarray(length))) {
      length += read;
    }
    return new TextDecoder().decode(bytes.subarray(0, length));
  } catch {
    return "";
  }
}

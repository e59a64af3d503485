import { count } from "../../base/counts.ts";
import { homeMark, isOfHome, logFiles } from "../../system/log.ts";
import { shortened } from "../../memory/text.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { daysMs } from "../../base/time.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";
import { openSync, SeekMode, statSync } from "../../system/files.ts";

interface LogLine {
  readonly file: string;
  readonly atMs: number;
  readonly level: string;
  readonly message: string;
}

/** Doctor reads so much of the end of a log. */
const TAIL_BYTES = 256 * 1024;
const LINE = /^(\S+Z) (warn|error) \[\d+\] (.*)$/;
const MAX_MESSAGE_CHARS = 300;

/** The errors and warnings of hooks in the last 24 hours. */
export function lookAtLog(place: DoctorPlace): Finding[] {
  const files = logFiles(place.locations.spoolFolders);
  const pipes = files.filter(isPipe);
  // Reading a pipe would wait for whoever writes to it.
  const lines = files.filter((file) => !pipes.includes(file))
    .flatMap((file) => recentLines(file, place))
    .sort((a, b) => a.atMs - b.atMs);
  return [
    ...pipes.map((file) =>
      warn(
        `${file} is a pipe, so nothing is written to it or read from it`,
        `ls -l ${quoteWord(file)}`,
      )
    ),
    lastWords(lines),
  ];
}

function lastWords(lines: readonly LogLine[]): Finding {
  const last = lines.at(-1);
  if (last === undefined) return ok("no error and no warning in the last 24 hours");
  const errors = lines.filter(({ level }) => level === "error").length;
  const counts = `${count(errors, "error")} and ${count(lines.length - errors, "warning")}`;
  return warn(
    `${counts} in the last 24 hours; the last, at ${new Date(last.atMs).toISOString()}: ` +
      shortened(last.message, MAX_MESSAGE_CHARS),
    `tail ${quoteWord(last.file)}`,
  );
}

/** Of a log that homes share, only the lines of this home. */
function recentLines(file: string, { locations: { home }, nowMs }: DoctorPlace): LogLine[] {
  const mark = homeMark(home);
  return tailOf(file).split("\n").flatMap((text): LogLine[] => {
    const [, time = "", level = "", told = ""] = LINE.exec(text) ?? [];
    const isMarked = told.startsWith(mark);
    const atMs = Date.parse(time);
    const counts = atMs >= nowMs - daysMs(1) && (isMarked || isOfHome(file, home));
    return counts
      ? [{ file, atMs, level, message: isMarked ? told.slice(mark.length) : told }]
      : [];
  });
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFifo === true;
  } catch {
    return false;
  }
}

function tailOf(path: string): string {
  try {
    using file = openSync(path);
    const { size } = file.statSync();
    file.seekSync(Math.max(0, size - TAIL_BYTES), SeekMode.Start);
    const bytes = new Uint8Array(Math.min(size, TAIL_BYTES));
    return new TextDecoder().decode(bytes.subarray(0, file.readSync(bytes) ?? 0));
  } catch {
    return "";
  }
}

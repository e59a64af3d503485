/** Finds the line of an output that tells what went wrong, by a table of patterns with an example for each. */
import { shortened } from "../text.ts";
import TABLE from "./output_lines.json" with { type: "json" };

/** Makes a pattern. It is searched in one line, or in a whole output (`m`). */
function patternOf(
  { pattern, ignoresCase }: { readonly pattern: string; readonly ignoresCase?: boolean },
  flags: "" | "m" = "",
): RegExp {
  return new RegExp(pattern, ignoresCase ? `${flags}i` : flags);
}

/** Match lines that tell what is wrong. The surest kind comes first. */
const TELLING: readonly RegExp[] = TABLE.telling.map((row) => patternOf(row));
/** Match the totals that test runs and builds print at the end. */
const TOTALS: readonly RegExp[] = TABLE.totals.map((row) => patternOf(row));
/** Match lines that report only that something is wrong, or how much, or that announce the error. */
const SAYS_LITTLE: readonly RegExp[] = TABLE.little.map((row) => patternOf(row));
/** Match lines that only a failed build, linter or test run prints. */
export const CHECK_FAILED: readonly RegExp[] = TABLE.checkFailed.map((row) => patternOf(row));
/** Match what programs print after a wrong call. The text of the group also stands in the command line. */
export const WRONG_CALLS: readonly RegExp[] = TABLE.wrongCall.map((row) => patternOf(row, "m"));
/** Match lines that a program prints when it has failed. */
export const PROGRAM_FAILED: readonly (readonly [program: RegExp, line: RegExp])[] = TABLE
  .programFailed.map((row) => [new RegExp(row.program), patternOf(row, "m")]);

/** Matches `error: |-` in the output of Node's test runner. The message stands on the next line. */
const YAML_BLOCK = /^([ \t]{0,20}error:) [|>][-+]?\r?\n[ \t]{0,40}/gm;
/** The name of a package, which a runner of several packages puts before each line: `[web] error: no such file`. */
const PACKAGE =
  /^\s*\[(?!(?:debug|error|fail|failed|fatal|info|notice|ok|warn|warning)\])[\w@:./-]{1,60}\] (?=\S)/i;
/** The line that Claude Code puts before the output of a command that it stopped. */
const TIMED_OUT = /^Command timed out after [^\n]{1,60}/;
const MAX_LINES = 400;
const LOOKED_AT_CHARS = 400;
const MAX_ERROR_CHARS = 160;

/**
 * Returns the line of an output that tells what went wrong. Without such a line, returns one that only reports a
 * failure, or the last line that is not blank. Returns null when there are no lines, or only totals.
 */
export function errorLine(output: string): string | null {
  const lines = linesOf(output);
  return timedOut(output) ?? tellingLine(lines) ?? firstMatch(lines) ??
    (lines.length === 0 ? null : shortOf(lines.at(-1)!));
}

/** Does the same as {@linkcode errorLine}, but returns null when no line tells what went wrong. */
export function tellingErrorLine(output: string): string | null {
  return timedOut(output) ?? tellingLine(linesOf(output));
}

function timedOut(output: string): string | null {
  return TIMED_OUT.exec(output)?.[0].trim() ?? null;
}

function linesOf(output: string): string[] {
  return output.replace(YAML_BLOCK, "$1 ").split("\n").slice(-MAX_LINES)
    .map((line) => line.replace(PACKAGE, ""))
    .filter((line) => line.trim() !== "" && !isTotal(line));
}

function tellingLine(lines: readonly string[]): string | null {
  return firstMatch(lines.filter((line) => !saysLittle(line)));
}

function firstMatch(lines: readonly string[]): string | null {
  for (const pattern of TELLING) {
    const line = lines.find((line) => pattern.test(line.slice(0, LOOKED_AT_CHARS)));
    if (line !== undefined) return shortOf(line);
  }
  return null;
}

function shortOf(line: string): string {
  return shortened(line.replace(/^E {2,}/, "").replace(/\s+/g, " ").trim(), MAX_ERROR_CHARS);
}

/** Matches times, addresses, line numbers, counts and temporary folders. The first alternative that matches counts. */
const VARYING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[\da-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s:,'")]+|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?!\w)|\b(?:lines?|pid|process) \d+|\b\d+(?:\.\d+)? ?(?:ms|[mµn]?s|secs?|seconds?|minutes?)\b|\b\d+ (?:passed|passing|failed|failing|errors?|warnings?|tests?)\b/gi;

/** Replaces everything in a line that differs from run to run by `#`. */
export function withoutVarying(line: string): string {
  return line.replace(VARYING, "#");
}

/** Tells whether a line holds only the totals of a test run or build. */
function isTotal(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return TOTALS.some((pattern) => pattern.test(head));
}

/** Tells whether a line reports only that something is wrong, or how much. Titles use it when there is no other. */
export function saysLittle(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return isTotal(head) || SAYS_LITTLE.some((pattern) => pattern.test(head));
}

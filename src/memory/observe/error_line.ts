/** The line of an output that says what went wrong. */
import { shortened } from "../text.ts";
import { isTotal, saysLittle } from "./summary_lines.ts";

/** Lines that say what is wrong, the surest kind first. */
const TELLING: readonly RegExp[] = [
  // Git says at the end only that a merge failed, and before that where.
  /^CONFLICT \([^)\n]+\): /,
  // pytest has a mark before it
  /^\s*(?:E {2,})?(?:\w+\.)*\w*(?:Error|Exception|Panic)\b.*:.+/,
  /^\s*(?:error|fatal|panic|E)\b\s*(?:\[[^\]]+\])?\s*:.+/i,
  /\b(?:error|fatal|panicked|exception|cannot|undefined reference|not found|no such file|denied|refused|failed)\b/i,
  // What a runner tells without the kind of the error before it: connect ECONNREFUSED 127.0.0.1:5432
  /\bE(?:ACCES|ADDR\w+|AI_AGAIN|BUSY|CONN\w+|EXIST|HOST\w+|MFILE|NET\w+|NOENT|NOSPC|NOTFOUND|PERM|PIPE|TIMEDOUT)\b/,
  /\b(?:does not exist|no such|could(?: not|n['’]t)|can['’]t|unable to|already in use|timed out)\b/i,
  // src/a.py:1:8: F401 `os` imported but unused
  /^\s*(?=\D[^\s:()]*[./])[^\s:()]+(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):?\s+\S/,
];
/** `error: |-`, as runners of Node's tests tell it: what it was stands on the next line. */
const YAML_BLOCK = /^([ \t]{0,20}error:) [|>][-+]?\r?\n[ \t]{0,40}/gm;
/** What Claude Code says before the output of a command that it has ended. */
const TIMED_OUT = /^Command timed out after [^\n]{1,60}/;
const MAX_LINES = 400;
const LOOKED_AT_CHARS = 400;
const MAX_ERROR_CHARS = 160;

/**
 * The line of an output that says what went wrong; where there is none, one that says only that something did, else the
 * last one that is not blank; null when there is none, or only totals.
 */
export function errorLine(output: string): string | null {
  const lines = linesOf(output);
  return timedOut(output) ?? tellingLine(lines) ?? found(lines) ??
    (lines.length === 0 ? null : shortOf(lines.at(-1)!));
}

/** The same, but null where no line says what it was: for what is told by its counts already. */
export function tellingErrorLine(output: string): string | null {
  return timedOut(output) ?? tellingLine(linesOf(output));
}

function timedOut(output: string): string | null {
  return TIMED_OUT.exec(output)?.[0].trim() ?? null;
}

function linesOf(output: string): string[] {
  return output.replace(YAML_BLOCK, "$1 ").split("\n").slice(-MAX_LINES)
    .filter((line) => line.trim() !== "" && !isTotal(line));
}

function tellingLine(lines: readonly string[]): string | null {
  return found(lines.filter((line) => !saysLittle(line)));
}

function found(lines: readonly string[]): string | null {
  for (const pattern of TELLING) {
    const line = lines.find((line) => pattern.test(line.slice(0, LOOKED_AT_CHARS)));
    if (line !== undefined) return shortOf(line);
  }
  return null;
}

function shortOf(line: string): string {
  return shortened(line.replace(/^E {2,}/, "").replace(/\s+/g, " ").trim(), MAX_ERROR_CHARS);
}

/** Times, places in memory and in files, counts, temporary folders; the first part that matches a place counts. */
const VARYING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[\da-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s:,'")]+|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?!\w)|\b(?:lines?|pid|process) \d+|\b\d+(?:\.\d+)? ?(?:ms|[mµn]?s|secs?|seconds?|minutes?)\b|\b\d+ (?:passed|passing|failed|failing|errors?|warnings?|tests?)\b/gi;

/** A line without what differs from run to run. */
export function withoutVarying(line: string): string {
  return line.replace(VARYING, "#");
}

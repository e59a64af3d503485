/** Commands that were to run tests, and have run none. */
import { failedBeforeTests } from "./failed_builds.ts";
import type { ScriptCommand } from "./shell_words.ts";
import type { TestRun } from "./test_runs.ts";

/** What runners say that found nothing to run. */
const FOUND_NONE: readonly RegExp[] = [
  /^=*[ \t]*no tests ran\b/m,
  /^=*[ \t]*\d+ deselected(?:, \d+ warnings?)? in /m,
  /^collected 0 items$/m,
  /^[ \t]*No tests? (?:files? )?(?:were )?found\b/im,
  /^error: No test modules found/m,
  /^Ran 0 tests\b/m,
  /^No tests executed!/m,
  /^No test matches the given testcase filter\b/m,
  /^\?\s+\S+\s+\[no test files\]/m,
  /^\[INFO\] (?:No tests to run|Tests are skipped)\.?$/m,
];
/** What they say where none ran of those that there are, or all were expected to fail. */
const RAN_NONE: readonly RegExp[] = [
  /^=*[ \t]*\d+ (?:skipped|xfailed|deselected)(?:, \d+ (?:skipped|xfailed|deselected|warnings?)){0,3} in [\d.:]+s\b/m,
  /^[ \t]*Tests:?[ \t]+\d+ (?:skipped|todo)(?:(?:,| \|) \d+ (?:skipped|todo))?(?:, \d+ total| \(\d+\))[ \t]*$/m,
];
/** What says that the tests could not be called. */
const NOT_CALLED: readonly RegExp[] = [
  /: command not found$/m,
  /\bcommand not found: \S/,
  /^(?:\/bin\/)?(?:sh|dash): (?:\d+: )?\S+: not found$/m,
  /\bcd: .*: No such file or directory$/m,
  /^npm (?:ERR!|error) (?:Missing script|code ENOENT)\b/m,
  /\bERR_PNPM_NO_(?:SCRIPT|IMPORTER_MANIFEST)/,
  /^error: Script not found\b/m,
  /^error Command "[^"]*" not found/m,
  /^error: Task not found\b/m,
  /^error: no such command\b/m,
  /\bNo rule to make target\b/,
  /: No module named '?(?:pytest|unittest|nose)/,
];
const MAX_CHARS = 20_000;

/** A command that is one of tests by its words, with what it printed. */
interface Run {
  readonly commands: readonly ScriptCommand[];
  readonly output: string;
  readonly outcome: "success" | "failure";
}

/**
 * Why no test ran: none was "found", or the tests were not "reached", since something before them failed; null where some
 * ran, or nobody knows.
 *
 * @param counted The counts of the output; null where it has none.
 */
export function whyNoTests(
  { commands, output, outcome }: Run,
  counted: TestRun | null,
): "found" | "reached" | null {
  const end = output.slice(-MAX_CHARS);
  const foundNone = FOUND_NONE.some((pattern) => pattern.test(end));
  if (outcome === "success") {
    const ranNone = foundNone || RAN_NONE.some((pattern) => pattern.test(end));
    return countsNone(counted) || counted === null && ranNone ||
        onlyEmptyPackages(output) || onlyEmptyTasks(output)
      ? "found"
      : null;
  }
  if (counted !== null && !countsNone(counted)) return null;
  if (NOT_CALLED.some((pattern) => pattern.test(end)) || failedBeforeTests(commands, output)) {
    return "reached";
  }
  if (!foundNone) return null;
  return /\berrors?\b/i.test(end) ? "reached" : "found";
}

function countsNone(counted: TestRun | null): boolean {
  return counted !== null && counted.passed === 0 && counted.failed === 0;
}

/** Go tells a line for each package. */
function onlyEmptyPackages(output: string): boolean {
  const lines = output.match(/^(?:ok|FAIL)\s.*$/gm) ?? [];
  return lines.length > 0 && lines.every((line) => line.endsWith("[no tests to run]"));
}

/** Gradle tells a line for each task; one that has no tests, or is left out, ends well. */
function onlyEmptyTasks(output: string): boolean {
  const lines = output.match(/^> Task :(?:\S*:)?\w*[tT]est\b.*$/gm) ?? [];
  return lines.length > 0 && lines.every((line) => / (?:NO-SOURCE|SKIPPED)$/.test(line));
}

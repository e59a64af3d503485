/** Builds that fail where their status is another program's, behind a pipe for example: by lines that nothing else prints. */
import { builds, QUIET } from "./builders.ts";
import { isHarmless } from "./script_words.ts";
import { runsTests } from "./test_commands.ts";
import { type ScriptCommand, tellsItsStatus } from "./shell_words.ts";

/** Lines of compilers and linters, which no run of tests prints. */
const ERRORS: readonly RegExp[] = [
  // cargo, rustc
  /^error\[E\d{4}\]: /,
  /^error: (?:could not compile |aborting due to )/,
  /^\*\* BUILD FAILED \*\*/,
  /^(?:Build FAILED\.?| +[1-9]\d* Error\(s\))$/,
  // tsc, mypy, ruff, biome, deno; ruff counts what it has mended as well
  /^Found [1-9]\d* (?:errors?|problems?)\b(?!.*\b0 remaining)/,
  /^[^\s(]+\(\d+,\d+\): error TS\d+: /,
  /^[^\s:]+:\d+:\d+ - error TS\d+: /,
  /^error: (?:Type checking failed|Found [1-9]\d* not formatted)/,
  // eslint, stylelint, rubocop
  /^✖ \d+ problems? \([1-9]\d* errors?\b/,
  /^\d+ files? inspected, [1-9]\d* offenses? detected(?:$|, .* autocorrectable)/,
  // gcc, clang, javac, swiftc, mypy; go build, go vet
  /^[^\s:]+:\d+:(?:\d+:)? (?:fatal )?error: /,
  /^(?:vet: )?[^\s:]+\.go:\d+:\d+: /,
  // webpack, vite, next, docker
  /^webpack \S+ compiled with [1-9]\d* errors?\b/,
  /^(?:error during build:|Failed to compile\.?)$/,
  /^ERROR: failed to (?:solve|build)\b/,
];
/** Lines that say for certain that a build has failed, or the tests that it runs. */
const FAILED: readonly RegExp[] = [
  ...ERRORS,
  // make, ninja
  /^g?make: \*\*\* (?:.*\bError \d+|.*\bStop\.)/,
  /^ninja: build stopped: /,
  // maven, gradle, ant
  /^(?:\[(?:ERROR|INFO)\] )?(?:BUILD FAIL(?:URE|ED)\b|FAILURE: Build failed)/,
  // cargo, deno, unittest, phpunit, go test
  /^error: (?:test failed, |Test failed)/,
  /^FAILED \((?:failures|errors)=\d/,
  /^(?:FAILURES|ERRORS)!$/,
  /^(?:FAIL$|FAIL\t\S|--- FAIL: )/,
  // npm, pnpm, yarn, bun, just
  /^npm (?:ERR!|error) (?:code [A-Z\d]|Test failed|Lifecycle script|Exit status [1-9])/,
  /^\s?ELIFECYCLE\b.* failed\b/,
  /^error Command failed with exit code [1-9]/,
  /^error: (?:script "[^"]*" exited with code [1-9]|Recipe `[^`]*` failed)/,
];
/** Words of an output that something went wrong, but for those in names of files and options, and counts of nothing. */
const FAILURE_WORDS =
  /(?<![\w./-])(?:fail(?:ed|ures?|ing|s)?|errors?|fatal|panic(?:ked)?|traceback|\w*(?:error|exception)|cannot|denied|refused|killed|aborted|not found|no such file|timed out|undefined reference|segmentation fault)(?![./-]?\w)/i;
const NO_FAILURES = /\b(?:0|no) (?:fail(?:ed|ures?|ing|s)?|errors?)\b/gi;
/** Such lines stand at the end; maven says more behind them. */
const MAX_LINES = 30;
const LOOKED_AT_CHARS = 400;

/**
 * Whether an output says that the build has failed which a script ran, where its status does not tell. A script that shows
 * what it has not built, by `cat` or `git log` for example, never does.
 */
export function saysBuildFailed(commands: readonly ScriptCommand[], output: string): boolean {
  if (tellsItsStatus(commands) || !commands.some(builds)) return false;
  const isBuild = commands.every((command) =>
    builds(command) || isHarmless(command) || QUIET.has(command.words[0]!)
  );
  return isBuild && lastLines(output).some((line) => FAILED.some((pattern) => pattern.test(line)));
}

/** Whether an output speaks of anything that went wrong. */
export function speaksOfFailure(output: string): boolean {
  return FAILURE_WORDS.test(output.replace(NO_FAILURES, "")) ||
    lastLines(output).some((line) => FAILED.some((pattern) => pattern.test(line)));
}

/** Whether a script that failed has not come to its tests: a build before them has failed. */
export function failedBeforeTests(commands: readonly ScriptCommand[], output: string): boolean {
  const at = commands.findIndex(runsTests);
  if (at <= 0 || !commands.slice(0, at).every(({ after }) => after === "&&")) return false;
  return commands.slice(0, at).some(builds) &&
    lastLines(output).some((line) => ERRORS.some((pattern) => pattern.test(line)));
}

function lastLines(output: string): string[] {
  const lines: string[] = [];
  for (let end = output.length; end > 0 && lines.length < MAX_LINES;) {
    const start = output.lastIndexOf("\n", end - 1) + 1;
    if (start < end) lines.push(output.slice(start, Math.min(end, start + LOOKED_AT_CHARS)));
    end = start - 1;
  }
  return lines;
}

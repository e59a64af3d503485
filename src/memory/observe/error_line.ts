/** Finds the line of an output that says what went wrong. */
import { shortened } from "../text.ts";

/** Lines that say what is wrong, the surest kind first. */
const TELLING: readonly RegExp[] = [
  // Git says at the end only that a merge failed, and before that where.
  /^CONFLICT \([^)\n]+\): /,
  // A linter's words may hold no `error`, or hold one by chance: cart.go:12:3: ineffectual assignment to err
  /^\s*(?=\D[^\s:()]*[./])[^\s:()]+:\d+:\d+:?\s+(?!(?:- )?(?:warning|note|info)\b)\S/i,
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
/** `error: |-` in the output of Node's test runner: the message stands on the next line. */
const YAML_BLOCK = /^([ \t]{0,20}error:) [|>][-+]?\r?\n[ \t]{0,40}/gm;
/** The name of a package that a runner of several puts before each line: `[web] error: no such file`. */
const PACKAGE =
  /^\s*\[(?!(?:debug|error|fail|failed|fatal|info|notice|ok|warn|warning)\])[\w@:./-]{1,60}\] (?=\S)/i;
/** The line that Claude Code puts before the output of a command that it stopped. */
const TIMED_OUT = /^Command timed out after [^\n]{1,60}/;
const MAX_LINES = 400;
const LOOKED_AT_CHARS = 400;
const MAX_ERROR_CHARS = 160;

/**
 * The line of an output that says what went wrong. Without one, a line that says only that something failed, else the last
 * line that is not blank. Null when there is no line, or there are only totals.
 */
export function errorLine(output: string): string | null {
  const lines = linesOf(output);
  return timedOut(output) ?? tellingLine(lines) ?? found(lines) ??
    (lines.length === 0 ? null : shortOf(lines.at(-1)!));
}

/** Like {@linkcode errorLine}, but null where no line says what went wrong. */
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

/** Times, addresses, line numbers, counts and temporary folders. At each place the first alternative counts. */
const VARYING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[\da-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s:,'")]+|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?!\w)|\b(?:lines?|pid|process) \d+|\b\d+(?:\.\d+)? ?(?:ms|[mµn]?s|secs?|seconds?|minutes?)\b|\b\d+ (?:passed|passing|failed|failing|errors?|warnings?|tests?)\b/gi;

/** A line with `#` for everything that differs from run to run. */
export function withoutVarying(line: string): string {
  return line.replace(VARYING, "#");
}

/** The totals that test runs and builds print at the end. */
const TOTALS: readonly RegExp[] = [
  /^[=\s]*(?:\[(?:ERROR|INFO)\] )?(?:Tests:?\s.*\d|Test (?:Suites:|Files )|Snapshots:|Time:|Ran all test|Ran \d+ tests?\b|FAILED [(|]|ok \||test result:|\d+ (?:failed|passed|errors?)(?:,| in )|\d+ (?:runs|tests|examples?|scenarios), |\d+% tests passed|\d+ tests? completed|\d+ (?:passing|failing)\b)/,
  // node --test
  /^\s*[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/,
  // phpunit, dotnet, go
  /^\s*(?:(?:FAILURES|ERRORS|WARNINGS)!|Failed! +- Failed:|Passed! +- Failed:|FAIL|exit status \d+|FAIL\s+\S+\s+(?:[\d.]+s|\[[a-z ]+\]))\s*$/,
  /^\s*Failed! +- Failed:/,
  // maven, gradle, dotnet, vitest, rspec
  /^\s*(?:\[(?:ERROR|INFO)\] )?(?:BUILD (?:FAILURE|FAILED|SUCCESS)\b|Build FAILED|Total time:|Finished at:|Finished in |Start at |Duration |-{8,}\s*$)/,
  /^\s*[⎯─━═-]{3,}[^A-Za-z]*(?:Failed Tests|Failed Suites) \d/,
];

/** Lines that say only that something is wrong, or that announce the error. */
const SAYS_LITTLE: readonly RegExp[] = [
  // pytest, rustc
  /^(?:_+ ERROR (?:collecting|at (?:setup|teardown) of) |ERROR \S+\.py(?:::\S+)?$|!+ .* !+$|For more information about this error, try )/,
  /^\s*(?:\[ERROR\] (?:Failures|Errors|COMPILATION ERROR ?):|\[ERROR\]\s*$|(?:Failures?|Errors?):?\s*$|Traceback \(|The following tests FAILED|Errors while running CTest|FAILURE: Build failed|> Task \S+ FAILED|> Compilation failed|\* What went wrong|Execution failed for task)/,
  /^\s*(?:npm (?:ERR!|error) (?:Test failed|Lifecycle|code|errno|path|command|syscall|Exit status|Failed at the|This is probably|A complete log|in workspace|at location)|error Command failed|error: script "[^"]*" exited with|error: Recipe |error Command |task: Failed to run task|Error: Process completed with|g?make(?:\[\d+\])?: \*\*\*|ninja: build stopped)/,
  // jest
  /^\s*● Test suite failed to run\s*$/,
  // mise
  /^\s*(?:\[[\w:./-]+\] )?ERROR task failed\s*$/,
  /^\W*(?:ELIFECYCLE|Command failed with exit code|failing tests:|Build failed\b|Failed to compile\b|Compilation failed\b)/i,
  /^\s*error(?: during build:|: (?:test failed|type checking failed|aborting due to|could not compile .* due to|linking with .* failed))/i,
];

/** `Found 2 errors.`, `✖ 3 problems (2 errors, 1 warning)`, `error: 2 errors generated.`, `webpack 5.1 compiled with 1 error` */
const COUNT =
  /^\W*(?:\[?(?:error|warn(?:ing)?|info|fatal)\]?:?\s+)?(?:webpack \S+ )?(?:found |failed with |compiled with |completed with |finished with |there (?:was|were) )?(?:a total of )?\d+ (?:(?!of |out )[a-z][\w-]* ){0,2}(?:errors?|problems?|issues?|warnings?|offen[cs]es?|failures?|violations?|tests? failed|(?:not )?formatted files?)(?:\W*$|[.,;:!(]|\s+(?:\(|in\b|and\b|generated|found|detected|due\b|emitted|prevented|across|have\b|occurred|total))/i;
/** `Tests: 1 failed`, `3 files inspected, 2 offenses detected`, `2 of 5 tests failed` */
const COUNT_BEHIND =
  /^\W*(?:tests?: \d+ (?:failed|passed)|\d+ (?:of|out of) \d+ |\d+ files? (?:inspected|checked|linted|scanned), |\d+ (?:Error\(s\)|fixable with ))/i;

/** Whether a line holds only the totals of a test run or build. */
function isTotal(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return TOTALS.some((pattern) => pattern.test(head));
}

/** Whether a line says only that something is wrong, or how much. A title takes such a line when there is no other. */
export function saysLittle(line: string): boolean {
  const head = line.slice(0, LOOKED_AT_CHARS);
  return COUNT.test(head) || COUNT_BEHIND.test(head) || isTotal(head) ||
    SAYS_LITTLE.some((pattern) => pattern.test(head));
}

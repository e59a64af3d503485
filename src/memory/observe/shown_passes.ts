/** Runs of tests behind a pipe, whose status is another program's: whether their output shows that all passed. */
import { SAYS_ALL_WELL } from "./builders.ts";
import type { ScriptCommand } from "./shell_words.ts";
import { runnerCall } from "./test_runners.ts";
import type { TestRun } from "./test_runs.ts";

const FAILURE = "(?:fail(?:ed|ures?|ing|s)?|errors?|cancelled)";
/** `0 failed`, `no errors`, `0 tests failed`, `# fail 0`, `Failures: 0` */
const NO_FAILURES = new RegExp(
  `\\b(?:0|no) (?:tests? )?${FAILURE}\\b|\\b${FAILURE}:?[ \\t]+0(?![\\d.])`,
  "gi",
);
const FAILURES = new RegExp(`\\b${FAILURE}\\b`, "i");
/** A test that passes may have any name: `✔ tells of an error`, `ok 2 - fails softly`. */
const NAMES_PASSED = /^[ \t]*(?:[✓✔√] |ok \d+ |# Subtest: |test \S.* \.\.\. ok$|--- PASS: ).*$/gm;

const SAYS_PASSED: Readonly<Record<string, RegExp>> = SAYS_ALL_WELL;

/** Whether an output shows that tests passed, all that ran: it counts them, or says so, and speaks of no failures. */
export function showsPassed(
  { commands, output }: {
    readonly commands: readonly ScriptCommand[];
    readonly output: string;
  },
  run: TestRun | null,
): boolean {
  if (run === null && !saysPassed(commands, output)) return false;
  return !FAILURES.test(output.replace(NAMES_PASSED, "").replace(NO_FAILURES, ""));
}

function saysPassed(commands: readonly ScriptCommand[], output: string): boolean {
  return commands.some(({ words, before }) =>
    before !== "|" && SAYS_PASSED[runnerCall(words)?.runner.name ?? ""]?.test(output) === true
  );
}

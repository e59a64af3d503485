/** What the output of a test runner says, for those that people use: one row a runner. */
import { saysLittle } from "./summary_lines.ts";

/** A run of tests, as its runner counts it. */
export interface TestRun {
  readonly passed: number | null;
  readonly failed: number;
  /** Names of tests that failed, as far as they are named. */
  readonly failing: readonly string[];
  /** Every file or test that failed, as paths; null when it is not known that these are all. */
  readonly failedIn: readonly string[] | null;
  /** Whether it is known that no test was left out. */
  readonly ranAll: boolean;
}

/** Commands that run tests, whatever they print. */
const TEST_COMMANDS =
  /\b(?:(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|flutter|zig|lein|sbt)\s+(?:run\s+|task\s+|workspace\s+\S+\s+)?(?:-\S+\s+)*(?:t|tst|tests?[:\w-]*)(?![:\w-])|pytest|py\.test|tox|nox|jest|vitest|mocha|ava|tap|playwright\s+test|cypress\s+run|rspec|minitest|phpunit|pest|ctest|bats|busted|gradlew?\s+(?:\S+\s+)*test|mvnw?\s+(?:\S+\s+)*(?:test|verify)|make\s+(?:\S+\s+)*(?:test|check)s?|python3?\s+-m\s+(?:unittest|pytest)|unittest|node\s+--test|rake\s+test|rails\s+test)\b/;

/** How a runner tells its counts; each pattern has a number as its first group. */
interface Runner {
  readonly passed?: RegExp;
  readonly failed?: RegExp;
  readonly total?: RegExp;
}

/** The first row with a pattern that matches counts. */
const RUNNERS: readonly Runner[] = [
  // deno: ok | 12 passed | 0 failed
  { passed: /^(?:ok|FAILED) \| (\d+) passed/m, failed: /^(?:ok|FAILED) \|.*\| (\d+) failed/m },
  // cargo: test result: FAILED. 3 passed; 1 failed
  { passed: /^test result: \w+\. (\d+) passed/m, failed: /^test result: .*; (\d+) failed/m },
  // jest, vitest: Tests:  1 failed, 4 passed, 5 total
  { passed: /^[ \t]*Tests:?\s.*\b(\d+) passed/m, failed: /^[ \t]*Tests:?\s.*\b(\d+) failed/m },
  // pytest: === 1 failed, 4 passed in 0.1s ===
  {
    passed: /^=*[ \t]*(?:\d+ \w+, )*(\d+) passed\b.* in [\d.:]+s\b/m,
    failed: /^=*[ \t]*(?:\d+ \w+, )*(\d+) failed\b.* in [\d.:]+s\b/m,
  },
  // mocha: 4 passing, 1 failing
  { passed: /^[ \t]*(\d+) passing\b/m, failed: /^[ \t]*(\d+) failing\b/m },
  // rspec, minitest: 5 examples, 1 failure
  {
    total: /^(\d+) (?:examples?|runs?|tests?), /m,
    failed: /^\d+ (?:examples?|runs?|tests?), .*?(\d+) failures?/m,
  },
  // node --test: # pass 4, # fail 1
  { passed: /^(?:#|ℹ) pass (\d+)/m, failed: /^(?:#|ℹ) fail (\d+)/m },
  // junit, maven: Tests run: 5, Failures: 1, Errors: 0
  { total: /Tests run: (\d+),/, failed: /Tests run: \d+, Failures: (\d+)/ },
  // dotnet: Failed: 1, Passed: 4
  { passed: /Passed:\s+(\d+), Skipped/, failed: /Failed:\s+(\d+), Passed/ },
  // phpunit: Tests: 5, Assertions: 9, Failures: 1.
  { total: /^Tests: (\d+), Assertions/m, failed: /^Tests: .*(?:Failures|Errors): (\d+)/m },
  // unittest: Ran 5 tests in 0.001s, FAILED (failures=1)
  { total: /^Ran (\d+) tests? in /m, failed: /^FAILED \((?:failures|errors)=(\d+)/m },
  // gradle: 5 tests completed, 1 failed
  { total: /^(\d+) tests? completed/m, failed: /^\d+ tests? completed, (\d+) failed/m },
  // ctest: 80% tests passed, 1 tests failed out of 5
  { total: /tests failed out of (\d+)/, failed: /(?<!\d)(\d+) tests failed out of/ },
];

/** Lines that name a test that failed; the name is the first group. */
const FAILING: readonly RegExp[] = [
  /^(?:test (?=\S+ \.\.\. FAILED$))?(.+?) \.\.\. FAILED\b/gm, // cargo, deno
  /^---- (\S+) stdout ----$/gm, // cargo
  /^--- FAIL: (\S+)/gm, // go
  /^FAILED ([^\s|(]\S*)/gm, // pytest
  /^[ \t]*[✕✖×✗]\s+(.+?)(?: \([\d.]+ ?m?s\)| \d+ ?m?s)?$/gm, // jest, vitest, node
  /^[ \t]*not ok \d+ -? ?(?!.*# (?:TODO|SKIP))(.+?)(?: #.*)?$/gm, // TAP
  /^(?:FAIL|ERROR): (\S+ \(\S+\))/gm, // unittest
  /^[ \t]+\d+\) (?!(?:Failure|Error|Skipped):)(.+?):?$/gm, // mocha, rspec
  /^\d+\) (\S+::\S+)/gm, // phpunit
  /^([A-Z][\w:]*#test_\w+)(?: \[|:)/gm, // minitest, rails
  /^\[ERROR\] {2,}(\w\S*:\d+)\b/gm, // maven
  /^(\S+ > \S.*) FAILED$/gm, // gradle
  /^[ \t]+\d+ - (\S[^(\n]*) \(/gm, // ctest
  /^[ \t]*Failed (\S+) \[/gm, // dotnet
];
/** The same, for outputs that name none in that way: what is longer, or only the file. */
const FAILING_ELSE: readonly RegExp[] = [
  /^[ \t]*● (?!Console$|Test suite failed|.*(?:Warning|Deprecat))(.+)$/gm, // jest
  /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?\b.*)$/gm, // jest, vitest
];
/** How a runner tells what failed. */
interface FailedInRow {
  /** Lines that tell where a test failed, as the first group … */
  readonly path: RegExp;
  /** … and how many of those there must be: together they are all. */
  readonly counts: readonly RegExp[];
  /** What stands in an output where tests may have been left out; null when nothing tells that. */
  readonly leftOut: RegExp | null;
}
const FAILED_IN: readonly FailedInRow[] = [
  // pytest
  {
    path: /^(?:FAILED|ERROR) (\S+)(?= - |$)/gm,
    counts: [/^=*[ \t]*(?:\d+ \w+, )*(\d+) failed\b/m, /^=*[ \t]*(?:\d+ \w+, )*(\d+) errors?\b/m],
    leftOut: /^ERROR |stopping after \d|Interrupted|run-last-failure/m,
  },
  // jest, vitest
  {
    path: /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?)(?=[ \t\n]|$)/gm,
    counts: [/^[ \t]*Test (?:Suites:|Files )[ \t]+(\d+) failed\b/m],
    leftOut:
      /^[ \t]*Test (?:Suites:|Files ).*(?:skipped| of )|Test suite failed to run|Failed Suites/m,
  },
  // vitest, jest, where the line that counts files is not shown
  {
    path: /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?(?: > .*)?)$/gm,
    counts: [/^[ \t]*Tests:?[ \t]+(\d+) failed\b/m],
    leftOut: null,
  },
  // deno: name => ./a_test.ts:11:6
  {
    path: /=> (\.\/\S+:\d+):\d+$/gm,
    counts: [/^FAILED \|.*\| (\d+) failed/m],
    leftOut: /uncaught error/,
  },
  { path: /^rspec (\.\/\S+)/gm, counts: [/^\d+ examples?, (\d+) failures?/m], leftOut: null },
];
const MAX_FAILED_IN = 40;
const MAX_FAILING = 8;
const MAX_NAME_CHARS = 120;
/** Go tells no counts: a line for each package. */
const GO = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\])/m;

/** Of a long command what it begins and ends with is looked at: between may be a whole file. */
const MAX_COMMAND_CHARS = 2_000;

/** Whether a command runs tests. */
export function isTestCommand(command: string): boolean {
  return command.length <= 2 * MAX_COMMAND_CHARS ? TEST_COMMANDS.test(command) : [
    command.slice(0, MAX_COMMAND_CHARS),
    command.slice(-MAX_COMMAND_CHARS),
  ].some((part) => TEST_COMMANDS.test(part));
}

/** Counts stand at the end. */
const MAX_CHARS = 100_000;
/** No runner has longer lines of its own; the patterns may look at one from many of its places. */
const MAX_LINE_CHARS = 400;

/** What the output of a test command says; null when it is of no runner that is known. */
export function readTestRun(whole: string): TestRun | null {
  const output = whole.slice(-MAX_CHARS).split("\n")
    .map((line) => line.slice(0, MAX_LINE_CHARS)).join("\n");
  const failing = failingTests(output);
  const { failedIn, ranAll } = failedPaths(output);
  for (const runner of RUNNERS) {
    const [passed, failed, total] = [runner.passed, runner.failed, runner.total]
      .map((pattern) => numberIn(output, pattern));
    if (passed == null && failed == null && total == null) continue;
    const bad = failed ?? 0;
    return {
      passed: passed ?? (total == null ? null : total - bad),
      failed: bad,
      failing,
      failedIn,
      ranAll,
    };
  }
  if (!GO.test(output)) return null;
  const ranNone = /^ok\b/m.test(output) &&
    !/^(?:FAIL|ok\b(?!.*\[no tests to run\]))/m.test(output);
  return {
    passed: ranNone ? 0 : null,
    failed: /^(?:FAIL\b|--- FAIL)/m.test(output) ? Math.max(1, failing.length) : 0,
    failing,
    failedIn,
    ranAll,
  };
}

function numberIn(output: string, pattern: RegExp | undefined): number | null {
  const [, digits] = pattern?.exec(output) ?? [];
  return digits === undefined ? null : Number(digits);
}

function failingTests(output: string): string[] {
  const counts = MOCHA_COUNT.exec(output)?.index ?? output.length;
  const names = namesIn(output.slice(0, counts), FAILING);
  if (names.length > 0) return names;
  const again = namesIn(withMochaNames(output.slice(counts)), FAILING);
  return again.length > 0 ? again : namesIn(output, FAILING_ELSE);
}

/** Behind its counts mocha tells once more what failed: a line for each suite, and the test with a colon. */
const MOCHA_COUNT = /^[ \t]+\d+ failing\b/m;
const MAX_SUITES = 5;

function withMochaNames(output: string): string {
  let joined = output;
  for (let i = 0; i < MAX_SUITES; i++) {
    joined = joined.replace(/^([ \t]+\d+\) .*[^:\n])\n[ \t]+(\S.*)$/gm, "$1 $2");
  }
  return joined;
}

function namesIn(output: string, patterns: readonly RegExp[]): string[] {
  const names = new Set<string>();
  for (const pattern of patterns) {
    for (const [, name] of output.matchAll(pattern)) {
      const plain = name!.trim();
      if (!saysLittle(plain)) names.add(plain.slice(0, MAX_NAME_CHARS).toWellFormed());
      if (names.size >= MAX_FAILING) return [...names];
    }
  }
  return [...names];
}

function failedPaths(output: string): Pick<TestRun, "failedIn" | "ranAll"> {
  for (const { path, counts, leftOut } of FAILED_IN) {
    const found = new Set<string>();
    for (const [, one] of output.matchAll(path)) {
      found.add(one!.slice(0, MAX_NAME_CHARS).toWellFormed());
      if (found.size > MAX_FAILED_IN) return UNKNOWN;
    }
    if (found.size === 0) continue;
    const wanted = counts.reduce((sum, count) => sum + (numberIn(output, count) ?? 0), 0);
    if (wanted === 0) continue;
    if (found.size !== wanted) return UNKNOWN;
    const paths = [...found].map((one) => one.replace(/ > .*/, ""));
    return {
      failedIn: [...new Set(paths)],
      ranAll: leftOut !== null && !leftOut.test(output),
    };
  }
  return GO.test(output) ? failedGoTests(output) : UNKNOWN;
}

/** Go counts nothing: its tests are all where each package that fails names some, and none of them ended before its end. */
function failedGoTests(output: string): Pick<TestRun, "failedIn" | "ranAll"> {
  if (/^(?:panic: |# )/m.test(output)) return UNKNOWN;
  const names = new Set<string>();
  let named = false;
  for (const [, test, name] of output.matchAll(/^(--- )?FAIL(?:: |\t)(\S+)/gm)) {
    if (test === undefined && !named) return UNKNOWN;
    named = test !== undefined;
    if (named) names.add(name!);
    if (names.size > MAX_FAILED_IN) return UNKNOWN;
  }
  return names.size === 0 ? UNKNOWN : { failedIn: [...names], ranAll: true };
}

const UNKNOWN = { failedIn: null, ranAll: false };

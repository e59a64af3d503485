/** What the output of a test runner says, for those that people use: one row a runner. */
import { type FailedIn, failedTests, GO } from "./failed_in.ts";
import { type PackageScript, packageScripts } from "./package_echoes.ts";
import { failingTests, type NamedTests, namedTests } from "./test_names.ts";

/** A run of tests, as its runner counts it. */
export interface TestRun extends FailedIn, NamedTests {
  readonly passed: number | null;
  readonly failed: number;
  /** Tests that did not run, and those whose failing was expected; null when the runner does not say. */
  readonly skipped: number | null;
  /** Whether it says that it has taken those only that had failed before. */
  readonly tookFailed: boolean;
  /** The scripts of packages that it says it ran. */
  readonly packages: readonly PackageScript[];
  /** Names of tests that failed, as far as they are named. */
  readonly failing: readonly string[];
}

/** How a runner tells its counts; each pattern has a number as its first group. What is told many times is global: all count. */
interface Runner {
  readonly passed?: RegExp;
  readonly failed?: RegExp;
  /** Tests that ended in an error, where these are counted beside. */
  readonly errors?: RegExp;
  readonly total?: RegExp;
  readonly skipped?: readonly RegExp[];
}

/** The first row with a pattern that matches counts. */
const RUNNERS: readonly Runner[] = [
  // deno: ok | 12 passed | 0 failed | 1 ignored
  {
    passed: /^(?:ok|FAILED) \| (\d+) passed/m,
    failed: /^(?:ok|FAILED) \|.*\| (\d+) failed/m,
    skipped: [/^(?:ok|FAILED) \|.*\| (\d+) ignored/m],
  },
  // cargo: test result: FAILED. 3 passed; 1 failed; 0 ignored
  {
    passed: /^test result: \w+\. (\d+) passed/gm,
    failed: /^test result: .*; (\d+) failed/gm,
    skipped: [/^test result: .*; (\d+) ignored/gm],
  },
  // cargo nextest: Summary [0.1s] 5 tests run: 4 passed, 1 failed, 0 skipped
  {
    passed: /^ *Summary \[.*: (\d+) passed/m,
    failed: /^ *Summary \[.* (\d+) failed/m,
    skipped: [/^ *Summary \[.* (\d+) skipped/m],
  },
  // jest, vitest: Tests:  1 failed, 1 skipped, 1 todo, 4 passed, 7 total
  {
    passed: /^[ \t]*Tests:?\s.*\b(\d+) passed/m,
    failed: /^[ \t]*Tests:?\s.*\b(\d+) failed/m,
    skipped: [/^[ \t]*Tests:?\s.*\b(\d+) skipped/m, /^[ \t]*Tests:?\s.*\b(\d+) todo/m],
  },
  // pytest: === 1 failed, 4 passed, 2 skipped, 1 xfailed in 0.1s ===
  {
    passed: /^=*[ \t]*(?:\d+ \w+, )*(\d+) passed\b.* in [\d.:]+s\b/m,
    failed: /^=*[ \t]*(?:\d+ \w+, )*(\d+) failed\b.* in [\d.:]+s\b/m,
    skipped: [
      /^=*[ \t]*(?:\d+ \w+, )*(\d+) skipped\b.* in [\d.:]+s\b/m,
      /^=*[ \t]*(?:\d+ \w+, )*(\d+) xfailed\b.* in [\d.:]+s\b/m,
    ],
  },
  // mocha: 4 passing, 1 failing, 1 pending
  {
    passed: /^[ \t]*(\d+) passing\b/m,
    failed: /^[ \t]*(\d+) failing\b/m,
    skipped: [/^[ \t]*(\d+) pending\b/m],
  },
  // rspec, minitest, bats, mix: 5 examples, 1 failure, 1 pending
  {
    total: /^(\d+) (?:examples?|runs?|tests?), /m,
    failed: /^\d+ (?:examples?|runs?|tests?), .*?(\d+) failures?/m,
    errors: /^\d+ runs?, .*?(\d+) errors?/m,
    skipped: [/^\d+ (?:examples?|runs?|tests?), .*?(\d+) (?:pending|skip(?:ped|s)?)\b/m],
  },
  // node --test: # pass 4, # fail 1, # skipped 1, # todo 1
  {
    passed: /^(?:#|ℹ) pass (\d+)/m,
    failed: /^(?:#|ℹ) fail (\d+)/m,
    skipped: [/^(?:#|ℹ) skipped (\d+)/m, /^(?:#|ℹ) todo (\d+)/m],
  },
  // junit, maven: Tests run: 5, Failures: 1, Errors: 0, Skipped: 0; each class has such a line, and each module
  {
    total: /Tests run: (\d+),(?!.*Time elapsed)/g,
    failed: /Tests run: \d+, +Failures: (\d+)(?!.*Time elapsed)/g,
    errors: /Tests run: \d+, .*Errors: (\d+)(?!.*Time elapsed)/g,
    skipped: [/Tests run: \d+, .*Skipped: (\d+)(?!.*Time elapsed)/g],
  },
  {
    total: /Tests run: (\d+),/g,
    failed: /Tests run: \d+, Failures: (\d+)/g,
    errors: /Tests run: \d+, .*Errors: (\d+)/g,
    skipped: [/Tests run: \d+, .*Skipped: (\d+)/g],
  },
  // dotnet: Failed: 1, Passed: 4, Skipped: 0
  {
    passed: /Passed:\s+(\d+), Skipped/,
    failed: /Failed:\s+(\d+), Passed/,
    skipped: [/Passed:\s+\d+, Skipped:\s+(\d+)/],
  },
  // phpunit: Tests: 5, Assertions: 9, Failures: 1, Skipped: 1.
  {
    total: /^Tests: (\d+), Assertions/m,
    failed: /^Tests: .*(?:Failures|Errors): (\d+)/m,
    skipped: [/^Tests: .*Skipped: (\d+)/m, /^Tests: .*Incomplete: (\d+)/m],
  },
  // phpunit: OK (5 tests, 9 assertions)
  { passed: /^OK \((\d+) tests?, \d+ assertions?\)/m },
  // bazel: Executed 2 out of 2 tests: 1 test passes and 1 fails locally.
  {
    passed: /^Executed \d+ out of \d+ tests?: (\d+) tests? pass/m,
    failed: /^Executed \d+ out of \d+ tests?:.*?(\d+) fails?\b/m,
  },
  // unittest: Ran 5 tests in 0.001s, FAILED (failures=1, skipped=1)
  {
    total: /^Ran (\d+) tests? in /m,
    failed: /^FAILED \((?:failures|errors)=(\d+)/m,
    skipped: [/^(?:OK|FAILED) \(.*\bskipped=(\d+)/m, /^(?:OK|FAILED) \(.*expected failures=(\d+)/m],
  },
  // gradle: 5 tests completed, 1 failed, 1 skipped
  {
    total: /^(\d+) tests? completed/m,
    failed: /^\d+ tests? completed, (\d+) failed/m,
    skipped: [/^\d+ tests? completed, .*?(\d+) skipped/m],
  },
  // ctest: 80% tests passed, 1 tests failed out of 5
  { total: /tests failed out of (\d+)/, failed: /(?<!\d)(\d+) tests failed out of/ },
  // swift: Executed 5 tests, with 1 test skipped and 1 failure
  {
    total: /Executed (\d+) tests?, with/,
    failed: /Executed \d+ tests?, with .*?(\d+) failures?/,
    skipped: [/Executed \d+ tests?, with (\d+) tests? skipped/],
  },
  // playwright: 1 failed, 1 skipped, 4 passed (5.1s), each on a line
  {
    passed: /^ *(\d+) passed \([\d.]+m?s?\)/m,
    failed: /^ *(\d+) failed$/m,
    skipped: [/^ *(\d+) skipped$/m],
  },
  // bun: 4 pass, 1 skip, 1 todo, 1 fail, each on a line
  {
    passed: /^ *(\d+) pass$/m,
    failed: /^ *(\d+) fail$/m,
    skipped: [/^ *(\d+) skip$/m, /^ *(\d+) todo$/m],
  },
];

/** What pytest and rspec say of a run that takes what had failed, and leaves out others. */
const TOOK_FAILED =
  /^run-last-failure: rerun previous|\b[1-9]\d* deselected\b|^Run options: include \{.*last_run_status/m;
/** Counts stand at the end. */
const MAX_CHARS = 100_000;
/** No runner has longer lines of its own; the patterns may look at one from many of its places. */
const MAX_LINE_CHARS = 400;

/** What the output of a test command says; null when it is of no runner that is known. */
export function readTestRun(whole: string): TestRun | null {
  const output = whole.slice(-MAX_CHARS).split("\n")
    .map((line) => line.slice(0, MAX_LINE_CHARS)).join("\n");
  const named = {
    packages: packageScripts(output),
    tookFailed: TOOK_FAILED.test(output),
    failing: failingTests(output),
    ...failedTests(output),
    ...namedTests(output),
  };
  // Each package tells its own counts.
  const areMany = new Set(named.packages.map(({ name }) => name)).size > 1;
  const count = (pattern: RegExp | undefined) =>
    numberIn(output, areMany && pattern?.global === false ? allOf(pattern) : pattern);
  for (const runner of RUNNERS) {
    const [passed, failed, total] = [runner.passed, runner.failed, runner.total].map(count);
    if (passed == null && failed == null && total == null) continue;
    const skipped = sumOf((runner.skipped ?? []).map(count));
    const bad = (failed ?? 0) + (count(runner.errors) ?? 0);
    return {
      passed: passed ?? (total == null ? null : Math.max(0, total - bad - (skipped ?? 0))),
      failed: bad,
      skipped,
      ...named,
    };
  }
  if (!GO.test(output)) return null;
  const passedOver = output.match(/^--- SKIP: /gm);
  const ranNone = /^ok\b/m.test(output) &&
    !/^(?:FAIL|ok\b(?!.*\[no tests to run\]))/m.test(output);
  return {
    passed: ranNone ? 0 : null,
    failed: /^(?:FAIL\b|--- FAIL)/m.test(output) ? Math.max(1, named.failing.length) : 0,
    skipped: passedOver?.length ?? null,
    ...named,
  };
}

function allOf(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `${pattern.flags}g`);
}

function sumOf(counts: readonly (number | null)[]): number | null {
  const numbers = counts.filter((number) => number !== null);
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0);
}

/** The number behind a pattern, or the sum of all where that is global. */
function numberIn(output: string, pattern: RegExp | undefined): number | null {
  if (pattern?.global !== true) {
    const [, digits] = pattern?.exec(output) ?? [];
    return digits === undefined ? null : Number(digits);
  }
  let sum: number | null = null;
  for (const [, digits] of output.matchAll(pattern)) sum = (sum ?? 0) + Number(digits);
  return sum;
}

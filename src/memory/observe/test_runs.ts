/** What the output of a test runner says, for those that people use: one row a runner. */

/** A run of tests, as its runner counts it. */
export interface TestRun {
  readonly passed: number | null;
  readonly failed: number;
  /** Names of tests that failed, as far as they are named. */
  readonly failing: readonly string[];
}

/** Commands that run tests, whatever they print. */
const TEST_COMMANDS =
  /\b(?:(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|swift|mix|flutter|zig|lein|sbt)\s+(?:run\s+|task\s+|workspace\s+\S+\s+)?(?:-\S+\s+)*t(?:ests?)?(?:[:\w-]*)\b|pytest|py\.test|tox|nox|jest|vitest|mocha|ava|tap|playwright\s+test|cypress\s+run|rspec|minitest|phpunit|pest|ctest|bats|busted|gradlew?\s+(?:\S+\s+)*test|mvnw?\s+(?:\S+\s+)*(?:test|verify)|make\s+(?:\S+\s+)*(?:test|check)s?|python3?\s+-m\s+(?:unittest|pytest)|unittest|node\s+--test|rake\s+test|rails\s+test)\b/;

interface Runner {
  /** Finds the line with the counts; groups `passed` and `failed`, of which one may be missing. */
  readonly counts: RegExp;
}

const RUNNERS: readonly Runner[] = [
  // deno: ok | 12 passed | 0 failed
  { counts: /^(?:ok|FAILED) \| (?<passed>\d+) passed[^|]*\| (?<failed>\d+) failed/m },
  // cargo: test result: FAILED. 3 passed; 1 failed
  { counts: /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed/m },
  // jest, vitest: Tests:  1 failed, 4 passed, 5 total
  {
    counts:
      /^\s*Tests:?\s+(?:(?<failed>\d+) failed[,|\s]+)?(?:\d+ \w+[,|\s]+)*?(?:(?<passed>\d+) passed)?/m,
  },
  // pytest: === 1 failed, 4 passed in 0.1s ===
  {
    counts: /^=*\s*(?:(?<failed>\d+) failed,? ?)?(?:(?<passed>\d+) passed)?[^=\n]* in [\d.:]+s\b/m,
  },
  // mocha: 4 passing / 1 failing
  { counts: /^\s*(?<passed>\d+) passing\b[\s\S]{0,80}?(?:^\s*(?<failed>\d+) failing)?/m },
  // rspec, minitest: 5 examples, 1 failure
  { counts: /^(?<total>\d+) (?:examples|runs|tests), .*?(?<failed>\d+) failures?/m },
  // node --test, TAP: # pass 4 / # fail 1
  { counts: /^(?:#|ℹ) pass (?<passed>\d+)\s*\n(?:#|ℹ) fail (?<failed>\d+)/m },
  // junit, maven: Tests run: 5, Failures: 1, Errors: 0
  { counts: /Tests run: (?<total>\d+), Failures: (?<failed>\d+)/ },
  // dotnet: Failed: 1, Passed: 4
  { counts: /Failed:\s+(?<failed>\d+), Passed:\s+(?<passed>\d+)/ },
  // phpunit: Tests: 5, Assertions: 9, Failures: 1.
  {
    counts:
      /^Tests: (?<total>\d+), Assertions: \d+(?:, Errors: \d+)?(?:, Failures: (?<failed>\d+))?/m,
  },
  // unittest: Ran 5 tests in 0.001s … FAILED (failures=1)
  {
    counts:
      /^Ran (?<total>\d+) tests? in [\s\S]{0,60}?(?:FAILED \((?:failures|errors)=(?<failed>\d+)|OK)/m,
  },
  // ctest: 80% tests passed, 1 tests failed out of 5
  { counts: /tests passed, (?<failed>\d+) tests failed out of (?<total>\d+)/ },
];

/** Lines that name a test that failed; the name is the first group. */
const FAILING: readonly RegExp[] = [
  /^(.+?) \.\.\. FAILED\b/gm, // deno, cargo
  /^--- FAIL: (\S+)/gm, // go
  /^FAILED ([^\s|]\S*)/gm, // pytest
  /^\s*[✕✖×✗]\s+(.+?)(?: \(\d+ ?m?s\))?$/gm, // jest, vitest, node
  /^not ok \d+ -? ?(.+?)(?: #.*)?$/gm, // TAP
  /^(?:FAIL|ERROR): (\S+ \(\S+\))/gm, // unittest
  /^\s+\d+\) (.+)$/gm, // mocha, rspec
];
const MAX_FAILING = 8;
const MAX_NAME_CHARS = 120;
/** Go tells no counts: a line for each package. */
const GO = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\])/m;

/** Whether a command runs tests. */
export function isTestCommand(command: string): boolean {
  return TEST_COMMANDS.test(command);
}

/** What the output of a test command says; null when it is of no runner that is known. */
export function readTestRun(output: string): TestRun | null {
  const failing = failingTests(output);
  for (const { counts } of RUNNERS) {
    const groups = counts.exec(output)?.groups;
    if (groups === undefined) continue;
    const { passed, failed, total } = groups;
    if (passed === undefined && failed === undefined && total === undefined) continue;
    const bad = Number(failed ?? 0);
    const good = passed ?? (total === undefined ? undefined : String(Number(total) - bad));
    return { passed: good === undefined ? null : Number(good), failed: bad, failing };
  }
  if (!GO.test(output)) return null;
  return {
    passed: null,
    failed: /^(?:FAIL\b|--- FAIL)/m.test(output) ? Math.max(1, failing.length) : 0,
    failing,
  };
}

function failingTests(output: string): string[] {
  const names = new Set<string>();
  for (const pattern of FAILING) {
    for (const [, name] of output.matchAll(pattern)) {
      names.add(name!.trim().slice(0, MAX_NAME_CHARS).toWellFormed());
      if (names.size >= MAX_FAILING) return [...names];
    }
  }
  return [...names];
}

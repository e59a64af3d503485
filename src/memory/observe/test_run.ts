/** Reads the counts in the output of a test run, and the names of the tests that failed. */
import { CHECK_TOOLS } from "./check_tools.ts";
import { saysLittle } from "./error_line.ts";

export interface TestRun {
  /** The tests that passed; null when the runner does not tell. */
  readonly passed: number | null;
  /** Tests that failed or ended in an error. */
  readonly failed: number;
  readonly skipped: number | null;
  /** Names of tests that failed; the first ones when there are many. */
  readonly failing: readonly string[];
}

/** Matches Go's line for a package. */
const GO_PACKAGE = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[(?:build|setup) failed\])/m;
/** Matches a file of tests, for outputs that name no single test. */
const FAILING_FILE = /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?\b.*?)(?: \[ \S+ \])?$/gm;
const FAILING_IN_JEST = /^[ \t]*● (?!Console$|Test suite failed|.*(?:Warning|Deprecat))(.+)$/gm;
/** Matches Mocha's count of failures, after which it repeats them. */
const MOCHA_COUNT = /^[ \t]+\d+ failing\b/m;
/** How many characters of an output's end are read. The counts stand there. */
const MAX_CHARS = 100_000;
/** The most characters of a line that are read. Runners write no longer ones, and patterns are slow on them. */
const MAX_LINE_CHARS = 400;
const MAX_FAILING = 8;
const MAX_NAME_CHARS = 120;

/** Returns the tests that an output counts; null when no known runner wrote it. */
export function readTestRun(whole: string): TestRun | null {
  const output = whole.slice(-MAX_CHARS).split("\n")
    .map((line) => line.slice(0, MAX_LINE_CHARS)).join("\n");
  for (const { totals, addsUp } of CHECK_TOOLS) {
    const lines = totals === null ? [] : output.match(totals) ?? [];
    if (lines.length === 0) continue;
    const { passed = null, failed = 0, skipped = null, total = null } = numbersIn(lines, addsUp);
    return {
      passed: passed ?? (total === null ? null : Math.max(0, total - failed - (skipped ?? 0))),
      failed,
      skipped,
      failing: failed === 0 ? [] : failingTests(output),
    };
  }
  if (!GO_PACKAGE.test(output)) return null;
  const hasFailed = /^(?:FAIL\b|--- FAIL)/m.test(output);
  const failing = hasFailed ? failingTests(output) : [];
  const ranNone = !hasFailed && !/^ok\b(?!.*\[no tests to run\])/m.test(output);
  return {
    passed: ranNone ? 0 : null,
    failed: hasFailed ? Math.max(1, failing.length) : 0,
    skipped: null,
    failing,
  };
}

type Counted = "passed" | "failed" | "skipped" | "total";
/** The words with which runners count tests. */
const COUNTED: readonly (readonly [word: string, counted: Counted])[] = [
  ["skip(?:ped|s)?|ignored|pending|todo|xfailed|incomplete|expected failures", "skipped"],
  ["fail(?:ed|ing|ures?|s)?|errors?", "failed"],
  ["pass(?:ed|ing|es)?", "passed"],
  ["tests? run|tests?|examples?|runs?|out of", "total"],
];
const WORDS = COUNTED.map(([word]) => word).join("|");
/** Matches a count: `4 passed`, `1 test failed`, `Failures: 1`, `errors=2`, `# pass 4`. */
const NUMBER = new RegExp(
  `\\b(\\d+) (?:tests? )?(${WORDS})\\b|\\b(${WORDS})(?::\\s*|[= ])(\\d+)(?!\\d| +[a-z])`,
  "gi",
);
const KINDS = COUNTED.map(([word, counted]) =>
  [new RegExp(`^(?:${word})$`, "i"), counted] as const
);

/** Returns the numbers in lines that count tests. @param addsUp False: only the first number of each word counts. */
function numbersIn(lines: readonly string[], addsUp: boolean): Partial<Record<Counted, number>> {
  const found: Partial<Record<Counted, number>> = {};
  const seen = new Set<string>();
  for (const [, number, word, label, value] of lines.join("\n").matchAll(NUMBER)) {
    const called = (word ?? label!).toLowerCase();
    if (!addsUp && seen.has(called)) continue;
    seen.add(called);
    const [, counted] = KINDS.find(([pattern]) => pattern.test(called))!;
    found[counted] = (found[counted] ?? 0) + Number(number ?? value);
  }
  return found;
}

const FAILING: readonly RegExp[] = [
  ...new Map(CHECK_TOOLS.flatMap(({ failing }) => failing).map((one) => [one.source, one]))
    .values(),
];

/** Returns the names of failed tests in an output, as many as a title needs. */
export function failingTests(output: string): string[] {
  const end = MOCHA_COUNT.exec(output)?.index ?? output.length;
  for (
    const [text, patterns] of [
      [output.slice(0, end), FAILING],
      [withMochaNames(output.slice(end)), FAILING],
      [output, [FAILING_IN_JEST]],
      [output, [FAILING_FILE]],
    ] as const
  ) {
    const names = namesIn(text, patterns);
    if (names.length > 0) return names;
  }
  return [];
}

/** Joins Mocha's lines for a failed test: one for each suite, and one for the test, which ends with a colon. */
function withMochaNames(output: string): string {
  const MAX_SUITES = 5;
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

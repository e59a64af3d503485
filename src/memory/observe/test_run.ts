/** Reads what the output of a test run counts, and which tests it names as failed. */
import { CHECK_TOOLS } from "./check_tools.ts";
import { saysLittle } from "./error_line.ts";

export interface TestRun {
  /** Null where the runner does not say. */
  readonly passed: number | null;
  /** Tests that failed or ended in an error. */
  readonly failed: number;
  readonly skipped: number | null;
  /** Names of tests that failed, the first of many. */
  readonly failing: readonly string[];
}

/** Go's lines of packages. */
const GO_PACKAGE = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[(?:build|setup) failed\])/m;
/** Files of tests, where the output names no single test. */
const FAILING_FILE = /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?\b.*?)(?: \[ \S+ \])?$/gm;
const FAILING_IN_JEST = /^[ \t]*● (?!Console$|Test suite failed|.*(?:Warning|Deprecat))(.+)$/gm;
/** Mocha repeats the failures after its counts. */
const MOCHA_COUNT = /^[ \t]+\d+ failing\b/m;
/** Counts stand at the end of an output. */
const MAX_CHARS = 100_000;
/** No runner has longer lines of its own; the patterns may look at one line from many of its places. */
const MAX_LINE_CHARS = 400;
const MAX_FAILING = 8;
const MAX_NAME_CHARS = 120;

/** The tests that an output counts; null when no known runner wrote it. */
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
/** What runners call the tests that they count. */
const COUNTED: readonly (readonly [word: string, counted: Counted])[] = [
  ["skip(?:ped|s)?|ignored|pending|todo|xfailed|incomplete|expected failures", "skipped"],
  ["fail(?:ed|ing|ures?|s)?|errors?", "failed"],
  ["pass(?:ed|ing|es)?", "passed"],
  ["tests? run|tests?|examples?|runs?|out of", "total"],
];
const WORDS = COUNTED.map(([word]) => word).join("|");
/** `4 passed`, `1 test failed`, `Failures: 1`, `errors=2`, `# pass 4` */
const NUMBER = new RegExp(
  `\\b(\\d+) (?:tests? )?(${WORDS})\\b|\\b(${WORDS})(?::\\s*|[= ])(\\d+)(?!\\d| +[a-z])`,
  "gi",
);
const KINDS = COUNTED.map(([word, counted]) =>
  [new RegExp(`^(?:${word})$`, "i"), counted] as const
);

/** The numbers in lines that count tests. @param addsUp False: of each word the first number counts. */
function numbersIn(lines: readonly string[], addsUp: boolean): Partial<Record<Counted, number>> {
  const found: Partial<Record<Counted, number>> = {};
  const seen = new Set<string>();
  for (const [, before, behindIt, beforeIt, behind] of lines.join("\n").matchAll(NUMBER)) {
    const called = (behindIt ?? beforeIt!).toLowerCase();
    if (!addsUp && seen.has(called)) continue;
    seen.add(called);
    const [, counted] = KINDS.find(([pattern]) => pattern.test(called))!;
    found[counted] = (found[counted] ?? 0) + Number(before ?? behind);
  }
  return found;
}

const FAILING: readonly RegExp[] = [
  ...new Map(CHECK_TOOLS.flatMap(({ failing }) => failing).map((one) => [one.source, one]))
    .values(),
];

/** Names of the tests that an output says have failed, as many as a title needs. */
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

/** Mocha tells a test on a line for each suite, and one for the test, which ends with a colon: as one line. */
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

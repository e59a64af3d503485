/** Where the tests failed that an output tells of, and whether it tells of all. */

/** The tests of a run that failed. */
export interface FailedIn {
  /** Every file or test that failed, as paths; null when it is not known that these are all. */
  readonly failedIn: readonly string[] | null;
  /** Go's packages in which they failed; null for other runners, and where the tests are not known. */
  readonly failedAt: readonly string[] | null;
  /** The files in which tests failed, as far as they are told, all or some. */
  readonly failingIn: readonly string[];
  /** Whether it is known that no test was left out. */
  readonly ranAll: boolean;
}

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
  // unittest; before Python 3.11 it names the class alone
  {
    path: /^(?:FAIL|ERROR): \w+ \((\S+)\)/gm,
    counts: [/^FAILED \(.*?failures=(\d+)/m, /^FAILED \(.*?errors=(\d+)/m],
    leftOut: null,
  },
  { path: /^rspec (\.\/\S+)/gm, counts: [/^\d+ examples?, (\d+) failures?/m], leftOut: null },
  // node --test, as TAP and as text
  {
    path:
      /^[ \t]*not ok .*\n[ \t]*---\n(?:[ \t]*(?:duration_ms: .*|type: 'test')\n){0,2}[ \t]*location: '(.+:\d+):\d+'$/gm,
    counts: [/^# fail (\d+)/m],
    leftOut: null,
  },
  { path: /^test at (\S+:\d+):\d+$/gm, counts: [/^ℹ fail (\d+)/m], leftOut: null },
  // playwright
  {
    path: /^[ \t]+\d+\) (?:\[[^\]\n]*\] › )?(\S+:\d+):\d+ › /gm,
    counts: [/^ *(\d+) failed$/m],
    leftOut: null,
  },
  // mix
  {
    path: /^[ \t]+\d+\) test .*\n[ \t]+(\S+\.exs:\d+)$/gm,
    counts: [/^(?:\d+ \w+, ){1,4}(\d+) failures?/m],
    leftOut: null,
  },
  {
    path: /^\d+\) (\S+::\S+)/gm, // phpunit
    counts: [/^Tests: .*Failures: (\d+)/m, /^Tests: .*Errors: (\d+)/m],
    leftOut: null,
  },
  {
    path: /^[ \t]*Failed (\S+) \[/gm, // dotnet
    counts: [/Failed:\s+(\d+), Passed/],
    leftOut: null,
  },
  {
    path: /^\[ERROR\] {2,}([\w$.]+):\d+\b/gm, // maven
    counts: [
      /^\[ERROR\] Tests run: \d+, Failures: (\d+), Errors: \d+, Skipped: \d+$/m,
      /^\[ERROR\] Tests run: \d+, Failures: \d+, Errors: (\d+), Skipped: \d+$/m,
    ],
    leftOut: null,
  },
  {
    path: /^([\w$.]+ > \S.*) FAILED$/gm, // gradle
    counts: [/^\d+ tests? completed, (\d+) failed/m],
    leftOut: null,
  },
  {
    path: /^\(fail\) (\S+\.[cm]?[jt]sx? > .*)$/gm, // bun
    counts: [/^ *(\d+) fail$/m],
    leftOut: null,
  },
];
const MAX_FAILED_IN = 40;
const MAX_NAME_CHARS = 120;
/** Go tells no counts: a line for each package. */
export const GO = /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[build failed\])/m;

/** What of an output says which tests failed, and whether these are all. */
export function failedTests(whole: string): FailedIn {
  const output = withBunFiles(whole);
  for (const { path, counts, leftOut } of FAILED_IN) {
    const found = new Set<string>();
    for (const [, one] of output.matchAll(path)) {
      found.add(one!.slice(0, MAX_NAME_CHARS).toWellFormed());
      if (found.size > MAX_FAILED_IN) return UNKNOWN;
    }
    if (found.size === 0) continue;
    const paths = [...new Set([...found].map((one) => one.replace(/(\.[cm]?[jt]sx?) > .*/, "$1")))];
    const failingIn = [...new Set(paths.map((path) => path.replace(/:\d+$/, "")))];
    const wanted = counts.reduce((sum, count) => sum + Number(count.exec(output)?.[1] ?? 0), 0);
    if (wanted === 0) continue;
    if (found.size !== wanted) return { ...UNKNOWN, failingIn };
    return {
      failedIn: paths,
      failedAt: null,
      failingIn,
      ranAll: leftOut !== null && !leftOut.test(output),
    };
  }
  return GO.test(output) ? failedGoTests(output) : UNKNOWN;
}

/** Bun tells the file above its tests. */
function withBunFiles(output: string): string {
  if (!/^\(fail\) /m.test(output)) return output;
  let file = "";
  return output.split("\n").map((line) => {
    const [, head] = /^(\S+\.[cm]?[jt]sx?):$/.exec(line) ?? [];
    file = head ?? file;
    return line.replace(/^\(fail\) /, `(fail) ${file} > `);
  }).join("\n");
}

/** Go counts nothing: its tests are all where each package that fails names some, and none of them ended before its end. */
function failedGoTests(output: string): FailedIn {
  if (/^(?:panic: |# )/m.test(output)) return UNKNOWN;
  const names = new Set<string>();
  const packages: string[] = [];
  let named = false;
  for (const [, test, name] of output.matchAll(/^(--- )?FAIL(?:: |\t)(\S+)/gm)) {
    if (test === undefined && !named) return UNKNOWN;
    named = test !== undefined;
    if (named) names.add(name!);
    else packages.push(name!.slice(0, MAX_NAME_CHARS));
    if (names.size > MAX_FAILED_IN) return UNKNOWN;
  }
  return names.size === 0
    ? UNKNOWN
    : { failedIn: [...names], failedAt: packages, failingIn: packages, ranAll: true };
}

const UNKNOWN: FailedIn = { failedIn: null, failedAt: null, failingIn: [], ranAll: false };

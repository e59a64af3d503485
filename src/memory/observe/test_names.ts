/** Which tests an output names, and as what: those that failed, those that passed, those that were passed over. */
import { saysLittle } from "./summary_lines.ts";

/** Lines that name a test that failed; the name is the first group. */
const FAILING: readonly RegExp[] = [
  /^test (\S.*?) \.\.\. FAILED(?: <[\d.]+s>)?$/gm, // cargo
  /^---- (\S+) stdout ----$/gm, // cargo
  /^(.+?) \.\.\. FAILED \((?:\d|due to )/gm, // deno
  /^--- FAIL: (\S+)/gm, // go
  /^FAILED ([^\s:]+::\S+)/gm, // pytest
  /^[ \t]*[✕✖×✗]\s+(.+?)(?: \([\d.]+ ?m?s\)| \d+ ?m?s)?$/gm, // jest, vitest, node
  /^[ \t]*not ok \d+ -? ?(?!.*# (?:TODO|SKIP))(.+?)(?: #.*)?$/gm, // TAP
  /^(?:FAIL|ERROR): (\S+ \(\S+\))/gm, // unittest
  /^[ \t]+\d+\) (?!(?:Failure|Error|Skipped):)(.+?)(?: ─+)?:?$/gm, // mocha, rspec, playwright
  /^\d+\) (\S+::\S+)/gm, // phpunit
  /^([A-Z][\w:]*#test_\w+)(?: \[|:)/gm, // minitest, rails
  /^\[ERROR\] {2,}(\w\S*:\d+)\b/gm, // maven
  /^(\S+ > \S.*) FAILED$/gm, // gradle
  /^[ \t]+\d+ - (\S[^(\n]*) \((?!Skipped|Disabled)/gm, // ctest
  /^[ \t]*Failed (\S+) \[/gm, // dotnet
  /^\(fail\) (.+?)(?: \[[\d.]+ ?m?s\])?$/gm, // bun
  /^[ \t]*FAIL \[[ \d.]+s\] (?:\([ \d/]+\) )?(\S+ \S+)$/gm, // cargo nextest
  /^(\/\/\S+)[ \t]+(?:FAILED|TIMEOUT)\b/gm, // bazel
];
/** The same, for outputs that name none in that way: what is longer, or else only the file. */
const FAILING_ELSE: readonly RegExp[] = [
  /^[ \t]*● (?!Console$|Test suite failed|.*(?:Warning|Deprecat))(.+)$/gm, // jest
  /^[ \t]*FAIL[ \t]+(\S+\.[cm]?[jt]sx?\b.*?)(?: \[ \S+ \])?$/gm, // jest, vitest
];
const MAX_FAILING = 8;
const MAX_NAME_CHARS = 120;

/** Lines that name a test that passed. */
const PASSING: readonly RegExp[] = [
  /^test (\S.*?) \.\.\. ok(?: <[\d.]+s>)?$/gm, // cargo
  /^(.+?) \.\.\. ok \(\d/gm, // deno
  /^--- PASS: (\S+)/gm, // go
  /^([^\s:]+::\S+) PASSED\b/gm, // pytest
  /^[ \t]*[✓✔√]\s+(.+?)(?: \([\d.]+ ?m?s\)| \d+ ?m?s)?$/gm, // jest, vitest, node, mocha
  /^[ \t]*ok \d+ -? ?(?!.*# (?:TODO|SKIP))(.+?)(?: #.*)?$/gm, // TAP
  /^[ \t]*Passed (\S+) \[/gm, // dotnet
  /^\(pass\) (.+?)(?: \[[\d.]+ ?m?s\])?$/gm, // bun
  /^[ \t]*PASS \[[ \d.]+s\] (?:\([ \d/]+\) )?(\S+ \S+)$/gm, // cargo nextest
  /^ *\d+\/\d+ Test +#\d+: (\S+) \.+ +Passed\b/gm, // ctest
  /^(\/\/\S+)[ \t]+(?:\(cached\) )?PASSED\b/gm, // bazel
];
/** Lines that name a test that was not run, or whose failing was expected. */
const PASSED_OVER: readonly RegExp[] = [
  /^test (\S.*?) \.\.\. ignored\b/gm, // cargo
  /^(.+?) \.\.\. ignored \(\d/gm, // deno
  /^--- SKIP: (\S+)/gm, // go
  /^([^\s:]+::\S+) (?:SKIPPED|XFAIL)\b/gm, // pytest
  /^[ \t]*(?:○ (?:skipped|todo)|↓)\s+(.+?)(?: \[skipped\])?$/gm, // jest, vitest
  /^[ \t]*﹣\s+(.+?) \([\d.]+ms\) # (?:SKIP|TODO)/gm, // node
  /^[ \t]*(?:not )?ok \d+ -? ?(.+?) # (?:TODO|SKIP)/gm, // TAP
  /^[ \t]*Skipped (\S+) \[/gm, // dotnet
  /^\((?:skip|todo)\) (.+)$/gm, // bun
  /^ *\d+\/\d+ Test +#\d+: (\S+) \.+\*\*\*(?:Not Run|Skipped)/gm, // ctest
  /^[ \t]+\d+ - (\S[^(\n]*) \((?:Skipped|Disabled)\)/gm, // ctest
];
/** Lines that name a file or a package of which all tests passed that ran. */
const PASSING_IN: readonly RegExp[] = [
  /^[ \t]*PASS[ \t]+(\S+\.[cm]?[jt]sx?)(?=[ \t\n]|$)/gm, // jest
  /^[ \t]*✓ (\S+\.[cm]?[jt]sx?) \(\d+ tests?\)/gm, // vitest
  /^ok[ \t]+(\S+)[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])/gm, // go
];
const MAX_NAMED = 2_000;

/** What an output names that has not failed. */
export interface NamedTests {
  /** Tests that passed, and those that were passed over. */
  readonly passing: readonly string[];
  readonly passedOver: readonly string[];
  /** Files or packages of which all tests passed that ran. */
  readonly passingIn: readonly string[];
}

/** Names of the tests that an output says have passed, of those that it passed over, and where all passed; the first of many. */
export function namedTests(output: string): NamedTests {
  return {
    passingIn: namesIn(output, PASSING_IN, MAX_NAMED),
    passing: namesIn(output, PASSING, MAX_NAMED),
    passedOver: namesIn(output, PASSED_OVER, MAX_NAMED),
  };
}

/** Names of the tests that an output says have failed, as many as a title and its facts need. */
export function failingTests(output: string): string[] {
  const counts = MOCHA_COUNT.exec(output)?.index ?? output.length;
  const names = namesIn(output.slice(0, counts), FAILING);
  if (names.length > 0) return names;
  const again = namesIn(withMochaNames(output.slice(counts)), FAILING);
  if (again.length > 0) return again;
  const [longer = [], inFiles = []] = FAILING_ELSE.map((pattern) => namesIn(output, [pattern]));
  return longer.length > 0 ? longer : inFiles;
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

function namesIn(output: string, patterns: readonly RegExp[], most = MAX_FAILING): string[] {
  const names = new Set<string>();
  for (const pattern of patterns) {
    for (const [, name] of output.matchAll(pattern)) {
      const plain = name!.trim();
      if (!saysLittle(plain)) names.add(plain.slice(0, MAX_NAME_CHARS).toWellFormed());
      if (names.size >= most) return [...names];
    }
  }
  return [...names];
}

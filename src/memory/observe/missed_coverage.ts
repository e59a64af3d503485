/** Runs of tests that fail although all tests pass, since too little of the code is covered. */
import type { ObservedFacts } from "../observation.ts";

/** What runners, and what measures for them, say then. */
const MISSED =
  /coverage threshold .*not met|required test coverage of .*not reached|coverage failure: total|coverage for \w+ \([\d.]+%?\) does not meet|coverage \([\d.]+%\) is below|coverage .{0,60}\b(?:below|less than|under) the (?:\w+ )?(?:failure )?(?:minimum|threshold)|coverage is below the failure threshold/i;
/** What has kept whole files of tests from running, and from covering anything. */
const NOT_RUN =
  /Test suite failed to run|^[ \t]*Test (?:Suites:|Files ).*\bfailed|^=*.*\b[1-9]\d* errors?\b.* in /m;
const LOOKED_AT_CHARS = 400;
const MAX_LINES = 200;

/** The line that says that a run has failed only since too little is covered; null where it has not. */
export function missedCoverage(
  { failed, failing }: { readonly failed: number; readonly failing: readonly string[] },
  output: string,
): string | null {
  if (failed > 0 || failing.length > 0 || NOT_RUN.test(output)) return null;
  return output.split("\n").slice(-MAX_LINES).map((line) => line.slice(0, LOOKED_AT_CHARS).trim())
    .find((line) => MISSED.test(line)) ?? null;
}

/** Whether tests have failed only so. */
export function isMissedCoverage({ failed, error = "" }: ObservedFacts): boolean {
  return failed === 0 && MISSED.test(error);
}

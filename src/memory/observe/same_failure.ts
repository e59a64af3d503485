/** Whether a command fails once more in the same way, or in another. */

import type { ObservedFacts } from "../observation.ts";

/** What differs from run to run and says nothing of what is wrong; the first row that matches a place counts. */
const VARYING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[\da-f]+|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\/tmp\/[^\s:,'")]+|\(\d+(?:,\d+)?\)|:\d+(?::\d+)?(?!\w)|\b(?:lines?|pid|process) \d+|\b\d+(?:\.\d+)? ?(?:ms|[mµn]?s|secs?|seconds?|minutes?)\b|\b\d+ (?:passed|passing|failed|failing|errors?|warnings?|tests?)\b/gi;

/** Some runners tell a test by its line. */
const LINE = /:\d+$/;

/**
 * What is wrong, the same for each time that it fails in this way: the names of the tests that fail, or else the line that
 * says it, without times, lines and counts. The empty text when neither is known.
 */
export function whatIsWrong(
  { failing, error }: { readonly failing: readonly string[]; readonly error: string | null },
): string {
  if (failing.length === 0) return (error ?? "").replace(VARYING, "#");
  return failing.map((name) => name.replace(LINE, "")).toSorted().join("\n");
}

/**
 * Whether two runs of the same tests are the same failure, of which one names only a part: as many tests fail, and all
 * that one of them names the other names too.
 */
export function isPartOfSame(one: ObservedFacts, other: ObservedFacts): boolean {
  const [few = [], many = []] = [one.failing, other.failing]
    .toSorted((a, b) => (a?.length ?? 0) - (b?.length ?? 0));
  return few.length > 0 && one.failed === other.failed && few.every((name) => many.includes(name));
}

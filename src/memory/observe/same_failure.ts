/** Whether a command fails once more in the same way, or in another. */

import type { ObservedFacts } from "../observation.ts";
import { haveOtherErrors } from "./error_signs.ts";
import { withoutVarying } from "./varying.ts";

/** Some runners tell a test by its line. */
const LINE = /:\d+$/;

/** How a command has failed. */
export interface FailedWith {
  readonly failing: readonly string[];
  readonly error: string | null;
  /** Of tests: what they fail with, as `error_signs.ts` has it. */
  readonly errors?: readonly string[];
}

/**
 * What is wrong, the same for each time that it fails in this way: the names of the tests that fail with the errors that
 * they fail with, or else the line that says it, without times, lines and counts. The empty text when neither is known.
 */
export function whatIsWrong({ failing, error, errors = [] }: FailedWith): string {
  return failing.length === 0
    ? withoutVarying(error ?? "")
    : [...namesOf({ failing }), ...errors].join("\n");
}

/**
 * Whether two runs of the same tests are the same failure, although they do not tell quite the same: no other error is
 * told, and the same tests are, or as many fail and all that one of them names the other names too.
 */
export function isSameFailure(one: ObservedFacts, other: ObservedFacts): boolean {
  const [few, many] = [namesOf(one), namesOf(other)].toSorted((a, b) => a.length - b.length);
  const isEqual = few!.length === many!.length || one.failed === other.failed;
  return few!.length > 0 && isEqual && few!.every((name) => many!.includes(name)) &&
    !haveOtherErrors(one, other);
}

function namesOf({ failing = [] }: ObservedFacts): string[] {
  return failing.map((name) => name.replace(LINE, "")).toSorted();
}

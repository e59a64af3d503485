/** Whether a command fails once more in the same way, or in another. */

import type { ObservedFacts } from "../observation.ts";
import { haveOtherErrors } from "./error_signs.ts";
import { saysLittle } from "./summary_lines.ts";
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

/** A failure with what it has printed. */
interface Printed {
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** Of a text that was kept in part, and of a line that was. */
const CUT_TEXT = /^\[… \d+ characters …\]$/m;
const CUT_LINE = /…$/;

/**
 * Whether what failed is gone where the same command fails later: its tests fail with none of the errors that they had, or
 * its error is not among what is told, all of which is known. When in doubt it is not.
 */
export function isGoneIn(one: Printed, later: Printed): boolean {
  const names = namesOf(one.facts);
  if (names.length > 0) {
    const [was = [], is = []] = [one.facts.errors, later.facts.errors];
    const others = namesOf(later.facts);
    return was.length > 0 && is.length > 0 && !was.some((sign) => is.includes(sign)) &&
      names.every((name) => others.includes(name));
  }
  const { error = "", command } = one.facts;
  const { error: next = "", command: again } = later.facts;
  if (saysLittle(error) || saysLittle(next) || CUT_TEXT.test(later.text)) return false;
  if (command !== again && again?.includes("|") !== false) return false;
  const said = plain(error).replace(CUT_LINE, "");
  return said !== "" && next !== "" && !plain(later.text).includes(said);
}

/** A text as error lines are compared: on one line, without what chance changes. */
function plain(text: string): string {
  return withoutVarying(text.replace(/\s+/g, " ")).trim();
}

function namesOf({ failing = [] }: ObservedFacts): string[] {
  return failing.map((name) => name.replace(LINE, "")).toSorted();
}

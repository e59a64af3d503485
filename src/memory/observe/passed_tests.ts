/** Which tests of a failure a later run has taken and passed: all of them, or some. */
import { echoedScripts } from "./echoed_scripts.ts";
import { onlyThese } from "./failing_tests.ts";
import { isMissedCoverage } from "./missed_coverage.ts";
import { areNamedPassed, namedAsPassed, type NamingTests } from "./named_passes.ts";
import { inPackages, packageScripts } from "./package_echoes.ts";
import { scriptCommands } from "./shell_words.ts";
import { hasPassedOver, mayBeGone, type TakenTests } from "./skipped_tests.ts";
import { isSameTest, tellPlaces } from "./test_name.ts";
import type { PrintedFailure } from "./test_places.ts";
import { fromFolder, inCrate } from "./tests_elsewhere.ts";
import { type FailedTests, hasTaken, soleTarget, type TestTarget } from "./test_target.ts";

/** A run that passes: what it takes, and what it says of single tests, where it counts them. */
export interface PassingRun {
  readonly passes: readonly TestTarget[];
  readonly taken?: TakenTests | undefined;
}

/** The tests of a failure; null where it is not known which they are. */
export function testsOf({ facts }: Pick<PrintedFailure, "facts">): FailedTests | null {
  if (isMissedCoverage(facts)) return null;
  const { command = "", failed = 0, failedIn = null } = facts;
  const target = soleTarget(scriptCommands(command), failed > 0);
  return target === null ? null : { target, failedIn };
}

/** The tests of a failure as those of the runner that its script says it called. */
function echoedTestsOf({ facts, text }: PrintedFailure): FailedTests | null {
  const { command = "", failed = 0, failedIn = null } = facts;
  const script = echoedScripts(command, text).at(-1);
  const target = script === undefined || isMissedCoverage(facts)
    ? null
    : soleTarget(scriptCommands(script), failed > 0);
  return target === null ? null : { target, failedIn };
}

/** The tests of a failure as those of the package whose script says that it ran; null where it is not one. */
function testsInPackage(failure: PrintedFailure): FailedTests | null {
  const tests = testsOf(failure);
  if (tests === null || !failure.text.includes("\n> ")) return null;
  const [target, ...others] = inPackages(tests.target, packageScripts(failure.text));
  return target === undefined || others.length > 0 ? null : { ...tests, target };
}

/** Whether tests that failed were among those that pass now, however their command was spelled. */
export function hasPassed(failure: PrintedFailure, { passes, taken }: PassingRun): boolean {
  const all = [...passes, ...passes.flatMap((one) => inPackages(one, taken?.packages ?? []))];
  const own = testsOf(failure);
  const told = [own, echoedTestsOf(failure), testsInPackage(failure)];
  return [...told, ...own === null ? [] : inCrate(own, failure)].some((tests) => {
    if (tests === null) return false;
    return all.some((target) => {
      const above = fromFolder(target, tests.target.folder);
      return hasTaken(target, tests) || above !== null && hasTaken(above, tests) ||
        taken !== undefined && areNamedPassed({ ...failure, tests }, { target, run: taken });
    });
  });
}

/** The tests of a failure that one of some runs names as passed, where others of it are not. */
export function namedPart(
  failure: PrintedFailure,
  runs: readonly NamingTests[],
): readonly string[] {
  const { failed = 0 } = failure.facts;
  const tests = failed < 2 ? null : testsOf(failure);
  if (tests === null) return [];
  return runs.map((run) => namedAsPassed({ ...failure, tests }, run))
    .find((names) => names.length > 0 && names.length < failed) ?? [];
}

/**
 * The tests of a failure that a run has passed: each that it would have passed if that alone had failed. Of tests with one
 * name nobody knows which it was, and none is left out that has no name.
 */
export function passedPart(failure: PrintedFailure, run: PassingRun): readonly string[] {
  const { taken, passes } = run;
  if (taken === undefined) return [];
  const named = namedPart(failure, passes.map((target) => ({ target, run: taken })));
  if (named.length > 0) return named;
  const { failing = [], failed = 0 } = failure.facts;
  // What had failed last may be any of them.
  const own = { passes, taken: { ...taken, tookFailed: false } };
  const alone = failing.filter((name, at) =>
    (failing.length >= failed || tellPlaces([name])) &&
    failing.every((other, n) => n === at || !isSameTest(name, other)) &&
    hasPassedAlone(failure, name, own)
  );
  const isEnough = taken.passed === null || alone.length <= taken.passed;
  return isEnough && (alone.length < failing.length || alone.length >= failed) ? alone : [];
}

function hasPassedAlone(
  failure: PrintedFailure,
  name: string,
  run: { readonly passes: readonly TestTarget[]; readonly taken: TakenTests },
): boolean {
  const part = { ...failure, ...onlyThese(failure, [name]) };
  return hasPassed(part, run) && !hasPassedOver(part.facts, run) && !mayBeGone(part.facts, run);
}

/** Whether a run of tests passes only because it has passed over what had failed. */
import type { ObservedFacts } from "../observation.ts";
import { chosenNames, isOfName } from "./chosen_tests.ts";
import { withoutCrates } from "./runner_rows.ts";
import { areSameFolder } from "./same_folder.ts";
import { scriptCommands } from "./shell_words.ts";
import { isOneOf } from "./test_name.ts";
import type { TestRun } from "./test_runs.ts";
import { soleTarget, targetKey, type TestTarget } from "./test_target.ts";

/** What a run that passes says of the tests that it has taken, and of those that it has not. */
export type TakenTests = Omit<TestRun, "failedIn" | "failedAt" | "failingIn" | "ranAll">;

/**
 * Whether a run that passes may have passed over tests that failed: they are named so, or it skips more than the run that
 * failed, and what failed is not named as passed.
 *
 * @param failure Facts of the run that failed.
 */
export function hasPassedOver(
  failure: ObservedFacts,
  { taken, passes }: {
    readonly taken: TakenTests;
    readonly passes: readonly TestTarget[];
  },
): boolean {
  const { failed = 0, failing = [] } = failure;
  if (failed === 0) return false;
  if (failing.some(isOneOf(taken.passedOver))) return true;
  const target = targetOf(failure);
  // Of a smaller run nobody knows what it skips.
  const skipped = target === null || takesAll(target, passes) ? failure.skipped ?? 0 : 0;
  const more = taken.skipped ?? 0;
  if (more <= skipped) return false;
  if (arePassed(failing, taken, failed)) return false;
  // Those that it was not to take count as passed over.
  const takesNames = (target: TestTarget) => failing.every(isOfName(chosenNames(target)));
  if (failing.length >= failed && taken.passed === failed && passes.some(takesNames)) return false;
  if (failing.length >= failed && taken.passedOver.length >= more) return false;
  return !isLarger(failure, { taken, passes });
}

/**
 * Whether tests that failed may be gone, renamed or taken out, since a run that has taken all that the failed one did
 * counts fewer, and does not name them as passed.
 *
 * @param failure Facts of the run that failed.
 */
export function mayBeGone(
  failure: ObservedFacts,
  { taken, passes }: {
    readonly taken: TakenTests;
    readonly passes: readonly TestTarget[];
  },
): boolean {
  const { passed, failed = 0, skipped = 0, failing = [] } = failure;
  if (passed === undefined || failed === 0) return false;
  // Runners that count say nothing of passed tests where none are.
  if (taken.passed === null && taken.failed === 0) return false;
  const counted = (taken.passed ?? 0) + taken.failed + (taken.skipped ?? 0);
  if (counted >= passed + failed + skipped || arePassed(failing, taken, failed)) return false;
  const target = targetOf(failure);
  return target !== null && takesAll(target, passes);
}

function targetOf({ command = "" }: ObservedFacts): TestTarget | null {
  return soleTarget(scriptCommands(command), true);
}

/** Whether one of some runs takes all tests that another one took, or that there are. */
function takesAll(target: TestTarget, passes: readonly TestTarget[]): boolean {
  return passes.some((passing) =>
    targetKey(passing) === targetKey(target) ||
    passing.paths.length === 0 && passing.narrowing === "" &&
      areSameFolder(passing.folder, target.folder) && withoutCrates(passing) === passing.other
  );
}

/** Whether tests that failed, as many as there were, are named as passed. */
export function arePassed(
  failing: readonly string[],
  { passing }: Pick<TakenTests, "passing">,
  failed = failing.length,
): boolean {
  const found = failing.filter(isOneOf(passing));
  return found.length > 0 && found.length >= failed;
}

/** Whether a run has taken more tests than the one that failed: what it skips beside may be any of the others. */
function isLarger(
  failure: ObservedFacts,
  { taken, passes }: { readonly taken: TakenTests; readonly passes: readonly TestTarget[] },
): boolean {
  const { passed, failed = 0, skipped = 0 } = failure;
  if (passed === undefined || taken.passed === null || taken.passed < passed + failed) return false;
  if (taken.passed + (taken.skipped ?? 0) <= passed + failed + skipped) return false;
  const target = targetOf(failure);
  // Of one that ended early nobody knows what it would have skipped.
  return target === null || target.stopsEarly ||
    !passes.some((passing) => targetKey(passing) === targetKey(target));
}

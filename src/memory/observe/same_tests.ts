/** Whether runs that were called in other words fail with the same tests. */
import { digestOf } from "../fnv.ts";
import type { FailsAt, ObservedFacts } from "../observation.ts";
import { isOneOf, tellPlaces } from "./test_name.ts";
import { areSameFolder, SET_UP, type TestTarget } from "./test_target.ts";
import type { TestRun } from "./test_runs.ts";

/** Where the tests of a run fail; null where not all of them are named. */
export function failsAt(
  target: TestTarget,
  { failed, failing, failingIn, failedAt }: TestRun,
): FailsAt | null {
  if (failed === 0 || failing.length < failed) return null;
  const { folder, environment, places, runner, widening } = target;
  const [, scriptOf = ""] = runner.split(" of ");
  const setUp = widening.filter((flag) => SET_UP.test(flag));
  return {
    place: digestOf(JSON.stringify([folder, environment, places, scriptOf, ...setUp])),
    files: failedAt ?? failingIn,
  };
}

/**
 * Whether all tests that failed in one run are among those that failed in another: they have the same names, in the same
 * folder and set-up, and where the names tell no place, in the same files.
 */
export function areAmong(
  { failsAt: at, failing = [] }: ObservedFacts,
  { failsAt: others, failing: names = [] }: ObservedFacts,
): boolean {
  if (at === undefined || at.place !== others?.place || failing.length === 0) return false;
  if (!failing.every(isOneOf(names))) return false;
  const isThere = (file: string) => others.files.some((other) => areSameFolder(file, other));
  return tellPlaces(failing) || at.files.length > 0 && at.files.every(isThere);
}

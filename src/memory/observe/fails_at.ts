/** Where the tests of a run fail, so that the same of other runs are known. */
import { digestOf } from "../fnv.ts";
import type { FailsAt } from "../observation.ts";
import { SET_UP, type TestTarget } from "./test_target.ts";
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

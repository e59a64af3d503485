/** Whether a run of tests says itself that those pass which had failed: by their names, or by their files or packages. */
import type { ObservedFacts } from "../observation.ts";
import { plainPath } from "./script_words.ts";
import { arePassed } from "./skipped_tests.ts";
import { areSameFolder, type FailedTests, isWithin, type TestTarget } from "./test_target.ts";
import type { TestRun } from "./test_runs.ts";

/** Flags that choose tests by their names alone, in whichever file they stand, or those that failed last. */
const BY_NAME =
  /^(?:-t|--testNamePattern|--filter|--test-name-pattern|-g|--grep|-k|-run|--exact|--lf|--last-failed)(?:=|$)/;
/** No run is told with more names of tests that fail; there may be others then. */
const MAX_FAILING = 8;

/** What a run says of its tests. */
export type NamingRun = Pick<TestRun, "failed" | "failing" | "passing" | "passingIn">;

/**
 * Whether a run names all tests as passed that had failed. Names without files may be those of others: they count where
 * the run has taken all files, or those that the tests failed in.
 *
 * @param failure Facts of the run that failed; `tests`: what it took.
 */
export function areNamedPassed(
  { facts, tests }: { readonly facts: ObservedFacts; readonly tests: FailedTests },
  { target, run }: { readonly target: TestTarget; readonly run: NamingRun },
): boolean {
  if (!mayBeSameTests(target, tests.target)) return false;
  const { failing = [], failed = 0, failedAt = null } = facts;
  const isNamed = chooseByName(target) && failed > 0 && failing.length < MAX_FAILING &&
    arePassed(failing, run, failed) && namesNone(run, failing);
  const { failedIn } = tests;
  const isAll = (places: readonly string[] | null, isIn: (place: string) => boolean) =>
    places !== null && places.length > 0 && places.every(isIn);
  const isPlaceNamed = (place: string) =>
    run.passingIn.some((passed) => plainPath(passed) === plainPath(place));
  // Of a run in which others fail, one place may stand in both.
  const passes = run.failed === 0;
  if (target.runner === "go test") {
    return passes && (target.narrowing === "" || isNamed) && isAll(failedAt, isPlaceNamed);
  }
  if (passes && target.narrowing === "" && isAll(failedIn, isPlaceNamed)) return true;
  const isWhole = target.paths.length === 0 || failing.every((name) => name.includes("::")) ||
    isAll(failedIn, (path) => isWithin(plainPath(path), target));
  return isNamed && isWhole;
}

/** Whether two runs may be of the same tests: a script of a package may call any runner. */
function mayBeSameTests(one: TestTarget, other: TestTarget): boolean {
  if (one.environment !== other.environment || !areSameFolder(one.folder, other.folder)) {
    return false;
  }
  if (one.runner === other.runner) return one.other === other.other;
  const scripts = [one, other].filter(({ runner }) => runner.startsWith("script "));
  return scripts.length === 1 && !scripts[0]!.runner.includes(" of ") &&
    one.other === "" && other.other === "";
}

function chooseByName({ flags }: TestTarget): boolean {
  return flags.every((flag) => !flag.startsWith("-") || BY_NAME.test(flag));
}

/** Whether a run names all of its own that fail, and none of these among them. */
function namesNone({ failed, failing }: NamingRun, names: readonly string[]): boolean {
  return failing.length >= failed && failing.length < MAX_FAILING &&
    !arePassed(names, { passing: failing }, 1);
}

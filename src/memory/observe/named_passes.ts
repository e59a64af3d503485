/** Whether a run of tests says itself that those pass which had failed: by their names, or by their files or packages. */
import type { ObservedFacts } from "../observation.ts";
import { isOfPackageIn } from "./all_packages.ts";
import { chosenBy, chosenNames, isOfName } from "./chosen_tests.ts";
import { isInside } from "./package_echoes.ts";
import { plainPath } from "./script_words.ts";
import { arePassed } from "./skipped_tests.ts";
import {
  areSamePlace,
  callsRunner,
  type FailedTests,
  hasAllOf,
  isAsWide,
  isWithin,
  SET_UP,
  type TestTarget,
} from "./test_target.ts";
import { isOneOf, tellPlaces } from "./test_name.ts";
import { goPackages } from "./test_places.ts";
import type { TestRun } from "./test_runs.ts";

/** Flags that choose tests by their names alone, in whichever file they stand, or those that failed last. */
const BY_NAME =
  /^(?:-t|--testNamePattern|--filter|--test-name-pattern|-g|--grep|-k|-run|-R|--tests-regex|-E|--filterset|--filter-expr|--exact|--lf|--last-failed|--rerun-failed|--all-targets|--lib|--bins|--tests)(?:=|$)/;
/** By which option runners take what they have kept of failed tests, of any run. */
const KEEPS_FAILED: Readonly<Record<string, RegExp>> = {
  pytest: /^(?:--lf|--last-failed)$/,
  rspec: /^--only-failures$/,
};
/** A file of tests, as an output tells it. */
const TEST_FILE = /[\w@./-]{0,200}(?:[._-](?:test|spec)\.\w+|\/test_\w+\.\w+)/g;
/** Vitest names a file as it does a test. */
const FILE_OF_TESTS = /^\S+\.[cm]?[jt]sx? \(\d+ tests?\b/;
/** No run is told with more names of tests that fail; there may be others then. */
const MAX_FAILING = 8;

/** What a run says of its tests. */
export type NamingRun = Pick<
  TestRun,
  "passed" | "failed" | "failing" | "passing" | "passingIn" | "tookFailed"
>;

/** The same, with what the run takes. */
export interface NamingTests {
  readonly target: TestTarget;
  readonly run: NamingRun;
}

/** A run that failed: its facts, what it printed, and what it took. */
interface FailedRun {
  readonly facts: ObservedFacts;
  readonly text: string;
  readonly tests: FailedTests;
}

/**
 * Whether a run names all tests as passed that had failed. Names without files may be those of others: they count where
 * the run has taken all files, or those that the tests failed in.
 */
export function areNamedPassed(
  { facts, text, tests }: FailedRun,
  { target, run }: NamingTests,
): boolean {
  const { failing = [], failed = 0, failedAt = null } = facts;
  const havePlace = tellPlaces(failing);
  const isOfAll = isOfPackageIn(target, tests.target, text);
  if (!isOfAll && !mayBeSameTests(target, tests.target, havePlace)) return false;
  const isWholeCall = target.narrowing === "" &&
    (isSameCall(target, tests.target) || callsRunner(tests.target, target) ||
      callsRunner(target, tests.target));
  const isNamed = chooseByName(target) && failed > 0 && failing.length < MAX_FAILING &&
    arePassed(failing, run, failed) && namesNone(run, failing);
  const { failedIn } = tests;
  const isAll = (places: readonly string[] | null, isIn: (place: string) => boolean) =>
    places !== null && places.length > 0 && places.every(isIn);
  const isPlaceNamed = (place: string) =>
    run.passingIn.some((passed) => plainPath(passed) === plainPath(place));
  // Of a run in which others fail, one place may stand in both.
  const passes = run.failed === 0;
  // Another package may have such a test, in another file.
  if (isOfAll) {
    return isNamed && areSamePlace(target, tests.target) && target.places === tests.target.places &&
      isAll(failedIn, isPlaceNamed);
  }
  if (target.runner === "go test") {
    const isChosen = isSameCall(target, tests.target) && isAll(failedIn, chosenBy(target));
    return passes && (isWholeCall || isNamed || isChosen) && isAsWide(target, tests.target) &&
      isAll(failedAt, isPlaceNamed);
  }
  const takesLast = run.tookFailed && failed > 0 && takesLastFailed(target, tests.target);
  const most = takesLast ? failed : takesByName(target, { facts, tests });
  if (passes && most > 0) {
    const isNone = run.passing.every((name) => FILE_OF_TESTS.test(name));
    return isNamed || isNone && (run.passed ?? 0) >= most;
  }
  if (passes && isWholeCall && isAll(failedIn, isPlaceNamed)) return true;
  return isNamed && (target.paths.length === 0 || havePlace ||
    isAll(failedIn ?? text.match(TEST_FILE), (path) => isWithinAnywhere(plainPath(path), target)));
}

/** The tests of a failure that a run names as passed, each of them for certain; the conditions are the same. */
export function namedAsPassed(
  { facts, text, tests }: FailedRun,
  { target, run }: NamingTests,
): readonly string[] {
  const passed = facts.failing?.filter(isOneOf(run.passing)) ?? [];
  if (passed.length === 0 || !chooseByName(target) || !namesNone(run, passed)) return [];
  // One name may be of several tests.
  if (run.passing.filter(isOneOf(passed)).length < passed.length) return [];
  const havePlace = tellPlaces(passed);
  if (!mayBeSameTests(target, tests.target, havePlace)) return [];
  if (target.runner === "go test") {
    const packages = goPackages(text);
    const isNamed = (name: string) =>
      packages.get(name)?.every((one) => run.passingIn.includes(one)) === true;
    return run.failed === 0 && isAsWide(target, tests.target) ? passed.filter(isNamed) : [];
  }
  const files = tests.failedIn ?? text.match(TEST_FILE) ?? [];
  const isTaken = target.paths.length === 0 || havePlace ||
    files.length > 0 && files.every((path) => isWithinAnywhere(plainPath(path), target));
  return isTaken ? passed : [];
}

/** Whether two runs may be of the same tests; those of two runners are where their names tell their places. */
function mayBeSameTests(one: TestTarget, other: TestTarget, havePlace: boolean): boolean {
  // Go's packages have names of their own, wherever they are tested from.
  const areOfGo = one.runner === "go test" && other.runner === "go test";
  const isHere = areOfGo
    ? one.environment === other.environment && isInside(one.folder) && isInside(other.folder)
    : areSamePlace(one, other);
  if (!isHere || one.places !== other.places) return false;
  // What fails in another set-up is not told by names.
  const setUp = other.widening.filter((flag) => SET_UP.test(flag));
  if (!hasAllOf(one, setUp)) return false;
  if (one.runner === other.runner || callsRunner(one, other) || callsRunner(other, one)) {
    return true;
  }
  return havePlace && ![one, other].some(({ runner }) => runner.startsWith("script "));
}

/** How many tests a run takes at least that takes all that failed by their names, in whichever file they stand; else 0. */
function takesByName(one: TestTarget, { facts, tests }: Pick<FailedRun, "facts" | "tests">) {
  const { failing = [], failed = 0 } = facts;
  const chosen = chosenNames(one);
  const areChosen = failed > 0 && failing.length >= failed && failing.length < MAX_FAILING &&
    isSameCall(one, tests.target) && isAsWide(one, tests.target) && one.paths.length === 0 &&
    failing.every(isOfName(chosen));
  return areChosen ? Math.max(failed, chosen.length) : 0;
}

/** Whether a run takes all that failed in the runs before it: its runner keeps them until they pass. */
function takesLastFailed(one: TestTarget, other: TestTarget): boolean {
  return KEEPS_FAILED[one.runner]?.test(one.narrowing) === true && isSameCall(one, other) &&
    one.paths.length === 0;
}

function isSameCall(one: TestTarget, other: TestTarget): boolean {
  return one.runner === other.runner && one.other === other.other;
}

/** The same as {@linkcode isWithin}, also where a runner tells a path from the root. */
function isWithinAnywhere(path: string, target: TestTarget): boolean {
  if (!path.startsWith("/")) return isWithin(path, target);
  return target.paths.some((taken) => {
    const at = path.indexOf(`/${taken}`);
    const end = path[at + 1 + taken.length];
    return at >= 0 && (end === undefined || target.within.includes(end));
  });
}

function chooseByName({ flags }: TestTarget): boolean {
  return flags.every((flag) => !flag.startsWith("-") || BY_NAME.test(flag));
}

/** Whether a run names all of its own that fail, and none of these among them. */
function namesNone({ failed, failing }: NamingRun, names: readonly string[]): boolean {
  return failing.length >= failed && failing.length < MAX_FAILING &&
    !arePassed(names, { passing: failing }, 1);
}

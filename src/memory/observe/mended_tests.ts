/** Tests of a failure that passed before the others did: by which fix, so that they fail again where that is undone. */
import type { MendedTests, ObservedFacts } from "../observation.ts";
import { onlyThese, withoutPassing } from "./failing_tests.ts";
import type { PrintedFailure } from "./test_places.ts";

/** A failure that was mended, or some of its tests. */
export interface OnceMended extends PrintedFailure {
  readonly title: string;
  readonly isOpen: boolean;
  /** The fix that has closed it, as {@linkcode MendedTests} names it; null where that is none. */
  readonly closedBy: string | null;
}

/** A failure in other words. */
type Retold = Pick<OnceMended, "title" | "facts">;

/** The facts of a failure, with the fix by which some of its tests pass: the last that is told of a test counts. */
export function withMendedTests(facts: ObservedFacts, mended: MendedTests): ObservedFacts {
  const { mendedTests = [] } = facts;
  const before = mendedTests
    .map((one) => ({ ...one, tests: one.tests.filter((test) => !mended.tests.includes(test)) }))
    .filter(({ tests }) => tests.length > 0);
  return { ...facts, mendedTests: [...before, mended] };
}

/** What fails of a failure again where a fix is undone; null where nothing does. */
export function failingAgain(failure: OnceMended, fix: string): Retold | null {
  const { mendedTests = [], ...facts } = failure.facts;
  const { failing = [], failed = failing.length } = facts;
  const own = mendedTests.filter(({ by, isUndone }) => by === fix && !isUndone)
    .flatMap(({ tests }) => tests);
  const others = mendedTests.filter(({ by }) => by !== fix);
  const isUndone = (tests: readonly string[]): MendedTests => ({ by: fix, tests, isUndone: true });
  const retold = (tests: readonly string[], count: number): Retold =>
    onlyThese({ ...failure, facts }, tests, count);
  if (failure.closedBy === fix) {
    const isPart = own.length > 0;
    const told = isPart ? retold(own, own.length) : { title: failure.title, facts };
    return withNotes(told, [...others, isUndone(isPart ? own : failing)]);
  }
  // What failed since once more, is mended by what came then.
  const again = own.filter((test) => !failing.includes(test));
  if (again.length === 0) return null;
  if (failure.isOpen) {
    const told = retold([...failing, ...again], failed + again.length);
    return withNotes(told, [...others, isUndone(again)]);
  }
  const last = failure.closedBy === null ? [] : [{ by: failure.closedBy, tests: failing }];
  return withNotes(retold(again, again.length), [...others, ...last, isUndone(again)]);
}

/**
 * What is left of a failure where a fix is there again that was undone: null where that was not undone, or it is closed;
 * `isOpen` is false where nothing is left.
 */
export function mendedAgain(
  failure: OnceMended,
  fix: string,
): Retold & { readonly isOpen: boolean } | null {
  const { mendedTests = [], ...facts } = failure.facts;
  const undone = mendedTests.find(({ by, isUndone }) => by === fix && isUndone);
  if (undone === undefined || !failure.isOpen) return null;
  const { failing = [], failed = failing.length } = facts;
  const others = mendedTests.filter((one) => one !== undone);
  const passing = failing.filter((test) => undone.tests.includes(test));
  if (passing.length === failing.length && failed <= Math.max(failing.length, 1)) {
    return { ...withNotes({ title: failure.title, facts }, others), isOpen: false };
  }
  if (passing.length === 0) return null;
  const left = withoutPassing({ ...failure, facts }, passing);
  return { ...withNotes(left, [...others, { by: fix, tests: passing }]), isOpen: true };
}

function withNotes({ title, facts }: Retold, mendedTests: readonly MendedTests[]): Retold {
  return { title, facts: mendedTests.length === 0 ? facts : { ...facts, mendedTests } };
}

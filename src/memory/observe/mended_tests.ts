/** Tests of a failure that passed before the others did: by which fix, so that they fail again where that is undone. */
import type { MendedTests, ObservedFacts } from "../observation.ts";
import { onlyThese } from "./failing_tests.ts";
import type { PrintedFailure } from "./test_places.ts";

/** The facts of a failure, with the fix by which some of its tests pass: the last that is told of a test counts. */
export function withMendedTests(facts: ObservedFacts, mended: MendedTests): ObservedFacts {
  const { mendedTests = [] } = facts;
  const before = mendedTests
    .map(({ by, tests }) => ({ by, tests: tests.filter((test) => !mended.tests.includes(test)) }))
    .filter(({ tests }) => tests.length > 0);
  return { ...facts, mendedTests: [...before, mended] };
}

/**
 * What fails of a failure again where a fix is undone; null where nothing does.
 *
 * @param failure `closedBy`: the fix that has closed it; null where that is none, or it is open: see `isOpen`.
 * @param fix As {@linkcode MendedTests} names it.
 */
export function failingAgain(
  failure: PrintedFailure & {
    readonly title: string;
    readonly isOpen: boolean;
    readonly closedBy: string | null;
  },
  fix: string,
): { readonly title: string; readonly facts: ObservedFacts } | null {
  const { mendedTests = [], ...facts } = failure.facts;
  const { failing = [], failed = failing.length } = facts;
  const own = mendedTests.filter(({ by }) => by === fix).flatMap(({ tests }) => tests);
  const others = mendedTests.filter(({ by }) => by !== fix);
  const retold = (tests: readonly string[], count: number, left: readonly MendedTests[]) => {
    const told = onlyThese({ ...failure, facts }, tests, count);
    return left.length === 0 ? told : { ...told, facts: { ...told.facts, mendedTests: left } };
  };
  if (failure.closedBy === fix) {
    return own.length === 0 ? failure : retold(own, own.length, others);
  }
  // What failed since once more, is mended by what came then.
  const again = own.filter((test) => !failing.includes(test));
  if (again.length === 0) return null;
  if (failure.isOpen) return retold([...failing, ...again], failed + again.length, others);
  const last = failure.closedBy === null ? [] : [{ by: failure.closedBy, tests: failing }];
  return retold(again, again.length, [...others, ...last]);
}

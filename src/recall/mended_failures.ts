/** Pairs failures with what mended them. */
import type { DatabaseSync } from "node:sqlite";
import { digestOf } from "../memory/fnv.ts";
import { areChecked, type Check } from "../memory/observe/checks.ts";
import { failureKey } from "../memory/observe/command_key.ts";
import { givenPart, mayGive } from "../memory/observe/given_since.ts";
import { onlyThese } from "../memory/observe/failing_tests.ts";
import { areNamedPassed } from "../memory/observe/named_passes.ts";
import { hasPassed, namedPart, passedPart, testsOf } from "../memory/observe/passed_tests.ts";
import { failsBeside, passesSince, passingSince } from "../memory/observe/passing_since.ts";
import { areAmong } from "../memory/observe/same_tests.ts";
import { areSkippedBy } from "../memory/observe/skipping_edits.ts";
import { isOneOf } from "../memory/observe/test_name.ts";
import { type ShownOutput, showsAsMuch } from "../memory/observe/shown_part.ts";
import {
  arePassed,
  hasPassedOver,
  mayBeGone,
  type TakenTests,
} from "../memory/observe/skipped_tests.ts";
import {
  coverageKey,
  type FailedTests,
  targetKey,
  type TestTarget,
  type TookTests,
} from "../memory/observe/test_target.ts";
import { editedTests } from "../store/edits_put_back.ts";
import { type OpenFailure, openFailures, openFailuresOfKind } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import type { DoneBy } from "./done_by.ts";
import {
  closeFailure,
  mendFailure,
  narrowFailure,
  noteMendedTests,
  presence,
  retellFailure,
  ToldFixes,
} from "./mend_failure.ts";

/** A success, and what it says of failures before it. */
interface Success extends DoneBy {
  /** What ran and went well as a whole; not there where only parts of it did. */
  readonly command?: string | undefined;
  /** What the failures that it mends have in common: those of the command, and of its parts. */
  readonly mends: readonly string[];
  /** The tests that it has taken. */
  readonly passes: readonly TestTarget[];
  /** What it has built and checked. */
  readonly checks: readonly Check[];
  /** What it says of single tests; not there where it counted none. */
  readonly taken?: TakenTests | undefined;
}

/** A command passes: what had failed before is mended, by whatever was changed between. */
export function mendFailures(db: DatabaseSync, success: Success): void {
  const { command, mends, passes, checks, taken, nowMs } = success;
  const { project, branch, createdAtMs } = success.capture;
  const before = { project, branch, before: createdAtMs, nowMs };
  const told = new ToldFixes();
  const isThere = presence(db, success.capture);
  const mended: Mended[] = [];
  const mend = (failure: OpenFailure) => {
    if (taken !== undefined && hasPassedOver(failure.facts, { taken, passes })) return;
    if (areSkipped(db, failure, success)) return;
    const isGone = taken !== undefined && mayBeGone(failure.facts, { taken, passes });
    const by = isThere(failure) ? mendFailure(db, failure, { ...success, told, isGone }) : null;
    if (by !== null) mended.push({ failure, by, passing: failure.facts.failing ?? [] });
  };
  const keys = [
    ...mends,
    ...passes.flatMap((target) => [targetKey(target), coverageKey(target)]).map(failureKey),
  ];
  for (const key of new Set(keys)) {
    openFailures(db, { ...before, sameAs: digestOf(key) }).forEach(mend);
  }
  if (command !== undefined && mayGive(command)) {
    openFailuresOfKind(db, { ...before, kind: "any" })
      .filter((failure) => givenPart(failure)?.(command) != null).forEach(mend);
  }
  if (checks.length > 0) {
    openFailuresOfKind(db, { ...before, kind: "command" })
      .filter((failure) => areChecked(failure, checks)).forEach(mend);
  }
  if (passes.length === 0) return;
  const open = openFailuresOfKind(db, { ...before, kind: "test" });
  for (const failure of open) {
    const passing = hasPassed(failure, success) ? null : passedPart(failure, success);
    const { failed = 0, failing = [] } = failure.facts;
    const isAll = passing?.length === Math.max(1, failed, failing.length);
    if (passing === null || isAll) mend(failure);
    else if (passing.length > 0 && isThere(failure)) {
      const by = narrowFailure(db, failure, passing, { ...success, told });
      if (by !== null) mended.push({ failure, by, passing });
    }
  }
  mendSameTests(db, open, { capture: success.capture, mended, isThere });
}

/** Whether tests that failed are passed over since, by an edit, in a run that says nothing of such. */
function areSkipped(db: DatabaseSync, failure: OpenFailure, { capture, taken }: Success): boolean {
  const { failing = [], failed } = failure.facts;
  if (failing.length === 0 || taken != null && arePassed(failing, taken, failed)) return false;
  const { project, branch, createdAtMs: untilMs } = capture;
  const between = { project, branch, fromMs: failure.createdAtMs, untilMs };
  return areSkippedBy(failing, editedTests(db, between));
}

/** A failure that was mended just now, or those of its tests that pass. */
interface Mended {
  readonly failure: OpenFailure;
  readonly by: number;
  readonly passing: readonly string[];
}

/** What is mended of one failure is mended of those that failed with the same tests in other words: it is the same fix. */
function mendSameTests(
  db: DatabaseSync,
  open: readonly OpenFailure[],
  { capture, mended, isThere }: {
    readonly capture: ClaimedCapture;
    readonly mended: readonly Mended[];
    readonly isThere: (failure: OpenFailure) => boolean;
  },
): void {
  if (mended.length === 0) return;
  const isMended = new Set(mended.map(({ failure }) => failure.id));
  for (const one of open) {
    if (isMended.has(one.id)) continue;
    const same = mended.find(({ failure }) => areAmong(one.facts, failure.facts));
    if (same === undefined || !isThere(one)) continue;
    const { failing = [] } = one.facts;
    const passing = failing.filter(isOneOf(same.passing));
    if (passing.length === failing.length) closeFailure(db, one, { capture, by: same.by });
    else if (passing.length > 0) retellFailure(db, one, passing, { capture, by: same.by });
  }
}

/**
 * A command of which the shell hides the end shows no failure any more: what only its output had told of, seen through the
 * same pipe, is mended by what was changed between. Where nothing was, nobody knows.
 */
export function mendShownFailures(
  db: DatabaseSync,
  run: Omit<DoneBy, "by"> & { readonly shown: ShownOutput & { readonly of: string } },
): void {
  const { capture, shown, nowMs } = run;
  const { project, branch, createdAtMs } = capture;
  const before = { project, branch, before: createdAtMs, nowMs };
  const told = new ToldFixes();
  const isThere = presence(db, capture);
  for (const failure of openFailures(db, { ...before, sameAs: digestOf(shown.of) })) {
    const { facts } = failure;
    const wasShown = facts.exitCode === undefined && showsAsMuch(shown, facts.command ?? "");
    if (wasShown && isThere(failure)) mendFailure(db, failure, { capture, by: null, told });
  }
}

/**
 * Tests fail, others than before: those that failed and do not any more are mended, by what was changed between. Where
 * nothing was, they may fail again the next time.
 */
export function mendTestsThatPass(
  db: DatabaseSync,
  run: Omit<DoneBy, "by"> & { readonly took: TookTests },
): void {
  const { capture, took, nowMs } = run;
  const { project, branch, createdAtMs } = capture;
  const before = { project, branch, before: createdAtMs, nowMs };
  const told = new ToldFixes();
  const isThere = presence(db, capture);
  const open = openFailuresOfKind(db, { ...before, kind: "test" });
  const mended: Mended[] = [];
  for (const failure of open) {
    const tests = testsOf(failure);
    if (tests === null || !isThere(failure)) continue;
    const isLeft = passesSince(took, tests) && !mayBeAnother(failure, tests, took);
    const { failedIn, failing = [] } = failure.facts;
    if (!isLeft && !areNamedPassed({ ...failure, tests }, took)) {
      const gone = mayBeGone(failure.facts, { taken: took.run, passes: [took.target] })
        ? []
        : passingSince(took, { ...tests, failing });
      // This run tells of the others.
      const part = { ...failure, ...onlyThese(failure, gone) };
      const passing = gone.length > 0 ? gone : namedPart(failure, [took]);
      if (passing.length === 0) continue;
      const by = gone.length > 0
        ? mendFailure(db, part, { capture, by: null, told, passing: gone.join(", ") })
        : narrowFailure(db, failure, passing, { capture, by: null, told });
      if (by === null) continue;
      mended.push({ failure, by, passing });
      const isPart = gone.length > 0 && gone.length < failing.length;
      if (isPart) noteMendedTests(db, failure, gone, by);
      continue;
    }
    const since = { passing: (failedIn ?? failing).join(", ") };
    const by = mendFailure(db, failure, { capture, by: null, told, ...since });
    if (by !== null) mended.push({ failure, by, passing: failing });
  }
  mendSameTests(db, open, { capture, mended, isThere });
}

/** Whether a test that is not among those that fail may be gone, or be one of them by another name. */
function mayBeAnother(failure: OpenFailure, tests: FailedTests, took: TookTests): boolean {
  const { failing = [], failed } = failure.facts;
  if (arePassed(failing, took.run, failed)) return false;
  return failsBeside(took, tests) ||
    mayBeGone(failure.facts, { taken: took.run, passes: [took.target] });
}

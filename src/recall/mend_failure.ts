/** Closes a failure: what was changed between it and what passes is its fix. */
import type { DatabaseSync } from "node:sqlite";
import { describeFix, type Fix } from "../memory/mended.ts";
import type { ObservedFile } from "../memory/observation.ts";
import { haveOtherErrors } from "../memory/observe/error_signs.ts";
import { onlyThese, withoutPassing } from "../memory/observe/failing_tests.ts";
import { withMendedTests } from "../memory/observe/mended_tests.ts";
import { indexedTerms } from "../memory/terms.ts";
import { digestsOf } from "../store/memory_context.ts";
import { retellObservation, saveObservation } from "../store/observations.ts";
import {
  asideSince,
  type OpenFailure,
  openFailuresOfKind,
  resolveObservation,
} from "../store/open_failures.ts";
import { askForSummary, type ClaimedCapture } from "../store/queue_work.ts";
import { changesOfFixes, fixUid } from "../store/undone_work.ts";
import type { DoneBy } from "./done_by.ts";
import { changesThatMended } from "./changes_that_mended.ts";

/** Tells whether what failed did so with the work that is there now, and not with what is put aside since. */
export function presence(
  db: DatabaseSync,
  { sessionId, createdAtMs }: ClaimedCapture,
): (failure: OpenFailure) => boolean {
  let since: number | null | undefined;
  return (failure) => {
    since = since === undefined ? asideSince(db, sessionId, createdAtMs) : since;
    return since === null || failure.createdAtMs >= since;
  };
}

/** A fix with the failure that it is of. */
interface ToldFix {
  readonly id: number;
  readonly fix: Pick<Fix, "title" | "facts">;
  readonly failure: OpenFailure;
}

/** The fixes that one success has told. */
export class ToldFixes {
  readonly #told: ToldFix[] = [];

  add(fix: ToldFix["fix"], failure: OpenFailure, id: number): void {
    this.#told.push({ id, fix, failure });
  }

  /** The fix that is the same, or of the same failure, seen through a filter for example; undefined when there is none. */
  find(fix: ToldFix["fix"], failure: OpenFailure): number | undefined {
    return this.#told.find((told) =>
      told.fix.title === fix.title && !haveOtherErrors(told.failure.facts, failure.facts) ||
      isSame(told, fix, failure)
    )?.id;
  }
}

/** Whether the same command failed twice with nothing done between, and one output holds the error of the other. */
function isSame(told: ToldFix, fix: ToldFix["fix"], failure: OpenFailure): boolean {
  const { of, error } = failure.facts;
  const other = told.failure.facts;
  if (of === undefined || of !== other.of || error === undefined || other.error === undefined) {
    return false;
  }
  return JSON.stringify(told.fix.facts.by) === JSON.stringify(fix.facts.by) &&
    (told.failure.text.includes(error) || failure.text.includes(other.error));
}

/** What has passed: where it did, and when. */
export type MendingCapture = Pick<
  ClaimedCapture,
  "id" | "sessionId" | "project" | "branch" | "createdAtMs"
>;

/** The failures of commands that one that went well may mend: those on its branch that came before it; the newest first. */
export function openCommands(
  db: DatabaseSync,
  { capture: { project, branch, createdAtMs }, nowMs }: Pick<DoneBy, "capture" | "nowMs">,
): OpenFailure[] {
  return openFailuresOfKind(db, {
    kind: "command",
    project,
    branch,
    before: createdAtMs,
    nowMs,
  });
}

/** What a success is to a failure. */
interface Mending {
  readonly capture: MendingCapture;
  readonly told: ToldFixes;
  readonly passing?: string | undefined;
  readonly isGone?: boolean;
}

/**
 * Closes a failure, with a fix where something was changed since that may have mended it.
 *
 * @param how `by`: what mends it where nothing was changed; null leaves it open then. `told`: the fixes that were told
 *   already: what failed twice is fixed once. `passing`: what passes, when it is not the command.
 *   `isGone`: what failed may not be there any more, which is no fix.
 * @returns What has mended it; null when it is open still.
 */
export function mendFailure(
  db: DatabaseSync,
  failure: OpenFailure,
  { by, ...mending }: Mending & { readonly by: number | null },
): number | null {
  const resolvedBy = tellFix(db, failure, mending) ?? by;
  if (resolvedBy !== null) closeFailure(db, failure, { capture: mending.capture, by: resolvedBy });
  return resolvedBy;
}

/** Tells the fix of a failure, where something was changed since; null where nothing was. */
export function tellFix(
  db: DatabaseSync,
  failure: OpenFailure,
  { capture, told, passing, isGone = false }: Mending,
): number | null {
  const { id, sessionId, project, branch, createdAtMs } = capture;
  const { changes, commands } = isGone
    ? { changes: [], commands: [] }
    : changesThatMended(db, failure, { sessionId, project, branch, untilMs: createdAtMs });
  if (changes.length === 0) return null;
  const credited = changesOfFixes(db, failure.facts.mendedTests ?? []);
  const { files, ...fix } = describeFix(failure, changes, { passing, commands, credited });
  const fixId = told.find(fix, failure) ?? saveObservation(db, {
    ...fix,
    uid: `${id}/fix/${failure.id}`,
    sessionId,
    project,
    branch,
    kind: "fix",
    outcome: "success",
    terms: indexedTerms([fix.title, fix.text, ...files].join("\n"), project),
    files: filesOf(db, changes, files),
    sameAs: null,
    atMs: createdAtMs,
  });
  told.add(fix, failure, fixId);
  return fixId;
}

/**
 * Takes out of a failure the tests that pass by now, and tells their fix.
 *
 * @param mending `by`: what they pass by where nothing was changed; null leaves them in it then.
 * @returns What they pass by.
 */
export function narrowFailure(
  db: DatabaseSync,
  failure: OpenFailure,
  passing: readonly string[],
  { by, ...mending }: Mending & { readonly by: number | null },
): number | null {
  const fixed = { ...failure, ...onlyThese(failure, passing) };
  const passesBy = tellFix(db, fixed, { passing: passing.join(", "), ...mending }) ?? by;
  if (passesBy !== null) {
    retellFailure(db, failure, passing, { capture: mending.capture, by: passesBy });
  }
  return passesBy;
}

/** Tells a failure without the tests that pass by now, and by what they do: an observation. */
export function retellFailure(
  db: DatabaseSync,
  failure: OpenFailure,
  passing: readonly string[],
  { capture, by }: { readonly capture: Pick<ClaimedCapture, "sessionId">; readonly by: number },
): void {
  const left = withoutPassing(failure, passing);
  noteMendedTests(db, { ...failure, ...left }, passing, by);
  if (failure.sessionId !== capture.sessionId) askForSummary(db, failure.sessionId);
}

/** Tells a failure as it is given, and by which fix some of its tests pass; where `by` is none, nobody can undo it. */
export function noteMendedTests(
  db: DatabaseSync,
  { id, title, facts }: Pick<OpenFailure, "id" | "title" | "facts">,
  tests: readonly string[],
  by: number,
): void {
  const fix = fixUid(db, by);
  retellObservation(db, id, {
    title,
    facts: fix === null ? facts : withMendedTests(facts, { by: fix, tests }),
  });
}

/** Closes a failure with what has mended it: an observation. */
export function closeFailure(
  db: DatabaseSync,
  { id, sessionId }: Pick<OpenFailure, "id" | "sessionId">,
  { capture, by }: { readonly capture: Pick<ClaimedCapture, "sessionId">; readonly by: number },
): void {
  resolveObservation(db, id, by);
  if (sessionId !== capture.sessionId) askForSummary(db, sessionId);
}

/** The files of some changes, with the content that the last of them left. */
function filesOf(
  db: DatabaseSync,
  changes: readonly { readonly id: number }[],
  paths: readonly string[],
): ObservedFile[] {
  const digests = digestsOf(db, changes.map(({ id }) => id));
  return paths.map((path) => {
    const last = changes.findLast(({ id }) => digests.get(id)?.has(path));
    return { path, digest: (last && digests.get(last.id)?.get(path)) ?? null };
  });
}

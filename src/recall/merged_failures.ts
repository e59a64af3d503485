/** Closes failures on a branch that were mended on another one, which was merged into it since. */
import type { DatabaseSync } from "node:sqlite";
import type { ObservedFacts } from "../memory/observation.ts";
import { commandKey } from "../memory/observe/command_key.ts";
import { isSameFailure, whatIsWrong } from "../memory/observe/same_failure.ts";
import { areAmong } from "../memory/observe/same_tests.ts";
import { mendedOn, passesOn, type PassOnBranch } from "../store/branch_observations.ts";
import { type OpenFailure, openFailuresOfKind } from "../store/open_failures.ts";
import { askForSummary } from "../store/queue_work.ts";
import { closeFailure, mendFailure, type MendingCapture, ToldFixes } from "./mend_failure.ts";

/** What is looked at, and until when. */
interface Merge {
  /** What has merged it: a session, on the branch that it was merged into. */
  readonly capture: MendingCapture;
  /** The branch that was merged. */
  readonly merged: string;
  readonly nowMs: number;
}

/**
 * A branch was merged: what failed here, and passed there since, is mended. Where another session than the one that
 * merges it saw that, it may have passed for what had failed was never there: then only what failed there as well, or
 * what that session changed of what the failure names, tells that it was mended.
 */
export function mendMerged(db: DatabaseSync, { capture, merged, nowMs }: Merge): void {
  const { project, branch, sessionId, createdAtMs: untilMs } = capture;
  if (merged === branch) return;
  const openOn = (on: string | null) =>
    openFailuresOfKind(db, { kind: "any", project, branch: on, before: untilMs, nowMs })
      .map((failure) => ({ failure, key: commandKey(failure.facts.command ?? "") }));
  const open = openOn(branch).filter(({ failure }) => failure.facts.git === undefined);
  if (open.length === 0) return;
  const there = { project, branch: merged, untilMs };
  const passes = passesOn(db, { ...there, sessionId })
    .map((pass) => ({ ...pass, key: commandKey(pass.command) }));
  const mended = mendedOn(db, there);
  const failing = new Set(openOn(merged).map(({ key }) => key));
  const told = new ToldFixes();
  for (const { failure, key } of open) {
    if (failing.has(key)) continue;
    const later = passes.filter((one) => one.key === key && one.updatedAtMs > failure.updatedAtMs);
    const own = later.find((pass) => pass.sessionId === sessionId);
    const twin = mended.find(({ facts, mendedAtMs }) =>
      mendedAtMs > failure.updatedAtMs && isOfSame(failure.facts, facts)
    );
    if (own !== undefined) {
      mendFailure(db, failure, { capture: at(capture, own), by: own.id, told });
    } else if (twin !== undefined) closeFailure(db, failure, { capture, by: twin.by });
    else mendByOthers(db, failure, { capture, later, told });
  }
}

/** The first of other sessions that has changed what the failure is about. */
function mendByOthers(
  db: DatabaseSync,
  failure: OpenFailure,
  { capture, later, told }: {
    readonly capture: MendingCapture;
    readonly later: readonly PassOnBranch[];
    readonly told: ToldFixes;
  },
): void {
  for (const pass of later) {
    if (mendFailure(db, failure, { capture: at(capture, pass), by: null, told }) === null) continue;
    askForSummary(db, pass.sessionId);
    return;
  }
}

/** As if it had been done where it was merged. */
function at(capture: MendingCapture, { sessionId, updatedAtMs }: PassOnBranch): MendingCapture {
  return { ...capture, sessionId, createdAtMs: updatedAtMs };
}

function isOfSame(failed: ObservedFacts, mended: ObservedFacts): boolean {
  if (areAmong(failed, mended)) return true;
  return failed.of !== undefined && failed.of === mended.of &&
    (isSameFailure(failed, mended) || isSameError(failed, mended));
}

function isSameError(one: ObservedFacts, other: ObservedFacts): boolean {
  const [wrong, same] = [one, other].map(({ failing = [], error = null, errors = [] }) =>
    whatIsWrong({ failing, error, errors })
  );
  return wrong !== "" && wrong === same;
}

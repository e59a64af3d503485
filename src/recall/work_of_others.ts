/** Whether somebody else, or nobody, may have mended a failure: an edit that has nothing to do with it is not its fix then. */
import type { DatabaseSync } from "node:sqlite";
import { creditedChanges } from "../memory/credited_changes.ts";
import { isOneOf } from "../memory/observe/test_name.ts";
import { failuresWithoutFix, type OpenFailure } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { editsOfOthers } from "../store/session_observations.ts";

/** Where a success is: what others edit there is what it has seen. */
export type SuccessPlace = Pick<ClaimedCapture, "project" | "branch">;

/** So often tests went from red to green by themselves before nobody knows what an edit has to do with it. */
const MIN_BY_THEMSELVES = 2;

/**
 * Whether a failure may have been mended by others than the session that it passes in: a later session came upon it passing,
 * another session edited something meanwhile, or it comes and goes by itself.
 */
export function mayBeOfOthers(
  db: DatabaseSync,
  failure: OpenFailure,
  between: SuccessPlace & {
    readonly sessionId: string;
    readonly fromMs: number;
    readonly untilMs: number;
  },
): boolean {
  return failure.sessionId !== between.sessionId ||
    creditedChanges(failure, editsOfOthers(db, between)).length > 0 ||
    comesAndGoes(db, failure);
}

function comesAndGoes(
  db: DatabaseSync,
  { sessionId, createdAtMs, facts: { of, failing = [] } }: OpenFailure,
): boolean {
  if (of === undefined || failing.length === 0) return false;
  return failuresWithoutFix(db, { sessionId, of, beforeMs: createdAtMs })
    .filter(({ facts }) => facts.failing?.some(isOneOf(failing))).length >= MIN_BY_THEMSELVES;
}

/** Closes failures of git's operations that a later command has ended, however it is spelled. */
import type { DatabaseSync } from "node:sqlite";
import { type GitEnd, isOver } from "../memory/observe/git_operations.ts";
import { type OpenFailure, openFailuresOfKind } from "../store/open_failures.ts";
import type { DoneBy } from "./done_by.ts";
import { mendFailure, ToldFixes } from "./mend_failure.ts";

/** Commands of git have gone well: what they have ended of operations that failed is open no more. */
export function endOperations(
  db: DatabaseSync,
  { capture, command, ended, by, nowMs }: DoneBy & {
    readonly command: string | undefined;
    readonly ended: readonly GitEnd[];
  },
): void {
  const { project, branch, createdAtMs, sessionId } = capture;
  const told = new ToldFixes();
  const open = (on: string | null) =>
    openFailuresOfKind(db, {
      kind: "git",
      project,
      branch: on,
      before: createdAtMs,
      nowMs,
    });
  // While commits are put on top of others HEAD is on no branch.
  const away = branch === null
    ? []
    : open(null).filter((failure) =>
      failure.sessionId === sessionId && failure.facts.git?.isStopped === true
    );
  for (const failure of [...open(branch), ...away]) {
    const end = endOf(failure, ended, branch);
    if (end === undefined) continue;
    mendFailure(db, failure, { capture, by, told, passing: command, isGone: end.isGivenUp });
  }
}

function endOf({ facts: { git } }: OpenFailure, ended: readonly GitEnd[], branch: string | null) {
  return git === undefined ? undefined : ended.find((end) => isOver(git, end, branch));
}

/** Closes commits that a later command has taken back: they are told no more as what is there. */
import type { DatabaseSync } from "node:sqlite";
import type { TakenBack } from "../memory/observe/taken_back.ts";
import { resolveObservation } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { standingCommits } from "../store/session_observations.ts";

/** A command has taken commits of its session back. Of other sessions it is not known whether any was made between. */
export function supersedeCommits(
  db: DatabaseSync,
  { capture, by, takenBack }: {
    readonly capture: ClaimedCapture;
    /** The observation of the command. */
    readonly by: number;
    readonly takenBack: TakenBack;
  },
): void {
  const commits = standingCommits(db, { ...capture, untilMs: capture.createdAtMs, but: by });
  const many = "last" in takenBack
    ? takenBack.last
    : Math.max(0, commits.findIndex(({ hash }) => isOne(hash, takenBack.behind)));
  for (const { id } of commits.slice(0, many)) resolveObservation(db, id, by);
}

/** Whether two beginnings of hashes may be of one commit. */
function isOne(hash: string | null, other: string): boolean {
  return hash !== null && hash !== "" && (hash.startsWith(other) || other.startsWith(hash));
}

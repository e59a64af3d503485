/** Closes commits that a later command has taken back: they are told no more as what is there. */
import type { DatabaseSync } from "node:sqlite";
import type { TakenBack } from "../memory/observe/taken_back.ts";
import { revertedSubject } from "../memory/observe/reverted_commit.ts";
import { resolveObservation } from "../store/open_failures.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { loggedCommits } from "../git/branch_log.ts";
import { takenBackOn } from "../git/taken_back.ts";
import { standingCommitsOn } from "../store/branch_observations.ts";
import type { DoneBy } from "./done_by.ts";
import { retellRebased } from "./rebased_commits.ts";
import { standingCommits } from "../store/session_observations.ts";

/**
 * A command has taken commits of its session back. Of other sessions it is not known whether any was made between: of
 * those git's log tells, {@linkcode LoggedCommits}.
 *
 * @returns The observations of the commits.
 */
export function supersedeCommits(
  db: DatabaseSync,
  { capture, by, takenBack }: Pick<DoneBy, "capture" | "by"> & { readonly takenBack: TakenBack },
): number[] {
  const commits = standingCommits(db, { ...capture, untilMs: capture.createdAtMs, but: by });
  const many = "last" in takenBack
    ? takenBack.last
    : Math.max(0, commits.findIndex(({ hash }) => isOne(hash, takenBack.behind)));
  const back = commits.slice(0, many).map(({ id }) => id);
  for (const id of back) resolveObservation(db, id, by);
  return back;
}

/** Whether two beginnings of hashes may be of one commit. */
function isOne(hash: string | null, other: string): boolean {
  return hash !== null && hash !== "" && (hash.startsWith(other) || other.startsWith(hash));
}

/** Branches on which sessions have called git: what its logs tell to be taken back there, by whomever, is told no more. */
export class LoggedCommits {
  readonly #branches = new Map<string, Branch>();

  /** A command has called git. @param by Its observation; null where it took nothing back. */
  add({ project, branch }: Pick<ClaimedCapture, "project" | "branch">, by: number | null): void {
    if (project === null || branch === null) return;
    const key = `${project}\n${branch}`;
    this.#branches.set(key, { project, branch, by: by ?? this.#branches.get(key)?.by ?? 0 });
  }

  /** Closes the commits that are on their branch no more, or are reverted there, and tells those that were put on top of others as they are since. */
  supersede(db: DatabaseSync): void {
    for (const branch of this.#branches.values()) {
      supersedeOn(db, branch);
      supersedeReverted(db, branch);
      retellRebased(db, branch);
    }
  }
}

interface Branch {
  readonly project: string;
  readonly branch: string;
  /** The observation that took commits back last; 0 where a person did. */
  readonly by: number;
}

function supersedeOn(db: DatabaseSync, { project, branch, by }: Branch): void {
  const back = new Map(
    takenBackOn({ commonDir: project }, branch).map(({ id, replacedBy }) => [id, replacedBy]),
  );
  if (back.size === 0) return;
  const standing = standingCommitsOn(db, { project, branch });
  for (const { id, hash } of standing) {
    const first = [...back.keys()].find((commit) => commit.startsWith(hash));
    if (first === undefined) continue;
    let last = back.get(first) ?? null;
    while (last !== null && back.has(last)) last = back.get(last) ?? null;
    const next = last === null ? by : standing.find((one) => last.startsWith(one.hash))?.id;
    // Who has not seen the one in its place is told of this one rather than of none.
    if (next !== undefined) resolveObservation(db, id, next);
  }
}

/** What is reverted on a branch, by whomever, and was not put back by a revert of that. */
function supersedeReverted(db: DatabaseSync, { project, branch }: Branch): void {
  const logged = loggedCommits({ commonDir: project }, branch);
  if (!logged.some(({ subject }) => revertedSubject(subject) !== null)) return;
  const back = new Set(takenBackOn({ commonDir: project }, branch).map(({ id }) => id));
  const there = logged.filter(({ id }) => !back.has(id));
  const lastBefore = (at: number, of: string | null) =>
    there.findLastIndex(({ subject }, n) => n < at && subject === of);
  const reverted = new Set<number>();
  there.forEach(({ subject }, at) => {
    const of = lastBefore(at, revertedSubject(subject));
    if (of < 0) return;
    reverted.add(of);
    // What that had reverted is there again.
    reverted.delete(lastBefore(of, revertedSubject(there[of]!.subject)));
  });
  const standing = standingCommitsOn(db, { project, branch });
  for (const at of reverted) {
    const commit = standing.find(({ hash }) => there[at]!.id.startsWith(hash));
    if (commit !== undefined) resolveObservation(db, commit.id, 0);
  }
}

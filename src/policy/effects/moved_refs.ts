/** Tells whether a protected branch, here or at a remote, may have moved as it did. */
import { joinPath } from "../../base/paths.ts";
import { isBefore, isInBranch, remotesWith } from "../../system/git/versions.ts";
import { cameToRemote, wasAtBranch } from "../../system/git/reflogs.ts";
import { workingTreeOf } from "../../system/git/working_trees.ts";
import { exists } from "../../system/on_disk.ts";
import { isPaused } from "../pauses_table.ts";
import { policiesIn } from "../policies.ts";
import { isSatisfied } from "../requirements/standing.ts";
import { branchIn } from "../shell/git_branches.ts";
import { REMOTE } from "./compare.ts";
import { latestChangeMs, stateOf } from "./file_state.ts";
import type { Change, Ground, Snapshot } from "./types.ts";

/** Whether a branch may move: a person has paused the requirements, or all that protect the branch are satisfied. */
async function mayMove(ref: string, ground: Ground): Promise<boolean> {
  const { db, sessionId, atMs, config } = ground;
  if (!ref.startsWith("refs/heads/")) return false;
  if (isPaused(db, { sessionId, subject: "requirements", atMs })) return true;
  const branch = branchIn(ref);
  const protecting = (policiesIn(config).requirements?.requirements ?? []).filter(({ condition }) =>
    condition.type === "protected_branch" && condition.branches.includes(branch)
  );
  if (protecting.length === 0) return false;
  const { standingsOn } = await import("./unreviewed.ts");
  const standings = standingsOn(branch, ground);
  return protecting.every((one) => isSatisfied(one, standings, { sessionId, atMs }));
}

/**
 * Tells whether a branch may move like this: its remote has the commit; or no rule names the branch, and it was checked
 * out and lost no commit that its remote has.
 */
export async function movedRightly(
  change: Change,
  look: Ground & Remembered & Readonly<Record<"before" | "now", Snapshot>>,
): Promise<boolean> {
  const { subject, before, after } = change;
  const { before: was, now, repository, environment, branches } = look;
  if (repository === undefined || await mayMove(subject, look)) return true;
  if (subject.startsWith(REMOTE)) {
    return after === "" || isFromRemote({ ref: subject, commit: after }, look);
  }
  if (after !== "" && await isInRemote(after, look, subject)) return true;
  if (branches.isNamed) return false;
  // A renamed branch loses nothing.
  if (after === "") return await isInBranch(repository, before, environment);
  const name = branchIn(subject);
  const isCheckedOut = [was.head, now.head].includes(name) || wasAtBranch(repository, name, was) ||
    workingTreeOf(repository, name) !== undefined;
  if (!isCheckedOut) return false;
  return await isBefore(repository, { earlier: before, later: after }, environment) ||
    !await isInRemote(before, look, subject);
}

/** The facts that tell whether a remote has moved its branch itself. */
export type Remembered = Pick<Ground, "repository" | "environment" | "branches"> & {
  readonly before: Pick<Snapshot, "atMs" | "refs">;
  /** Whether the session's commands push, or somebody else may have done so. */
  readonly isPushed: boolean;
};

/**
 * Whether a commit is in a remote-tracking branch that its remote itself has moved.
 * @param branch A local branch: if a rule names it, only remote branches of the same name count.
 */
export async function isInRemote(
  commit: string,
  look: Remembered,
  branch: string,
): Promise<boolean> {
  const { repository, environment, branches } = look;
  if (repository === undefined) return false;
  const remotes = await remotesWith(repository, commit, environment);
  return remotes.some((one) =>
    (!branches.isNamed || branchIn(one.ref) === branchIn(branch)) &&
    isFromRemote(one, look)
  );
}

/** Whether a remote-tracking branch has not moved since the last look, or its remote or a known push has moved it. */
export function isFromRemote(
  at: { readonly ref: string; readonly commit: string },
  { before, isPushed, repository }: Remembered,
): boolean {
  if (repository === undefined || before.refs[at.ref] === at.commit) return true;
  const came = cameToRemote(repository, at);
  if (came !== null && typeof came === "object") return isPushed || came.pushedAtMs <= before.atMs;
  if (came !== null) return came === "told";
  const { commonDir } = repository;
  const state = stateOf(joinPath(commonDir, at.ref)) || stateOf(joinPath(commonDir, "packed-refs"));
  return !exists(joinPath(commonDir, "logs/HEAD")) || latestChangeMs(state) <= before.atMs;
}

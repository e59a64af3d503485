/** Reads from git's files where branches are checked out, without starting git. */
import { joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { exists, readText } from "../on_disk.ts";
import { branchOf, readRef, type Repository, worktreeDirs } from "./repository.ts";

/** The git directory of the main working tree ends like this. */
const IN_MAIN_TREE = /[\\/]\.git$/;

/** The working tree in which a branch is checked out; `undefined` where there is none. */
export function workingTreeOf(
  { commonDir }: Pick<Repository, "commonDir">,
  branch: string,
): Repository | undefined {
  const found = treesOf(commonDir)
    .find(({ gitDir, root }) => exists(joinPath(root, ".git")) && branchIn(gitDir) === branch);
  return found === undefined ? undefined : { commonDir, root: found.root, branch };
}

/** Whether the repository has a branch; true also when its files do not say. */
export function hasBranch({ commonDir }: Pick<Repository, "commonDir">, branch: string): boolean {
  return exists(joinPath(commonDir, "reftable")) ||
    readRef({ commonDir }, `heads/${branch}`) !== "";
}

/** A working tree, and the folder that git keeps of it. */
export interface WorkingTree {
  readonly gitDir: string;
  readonly root: string;
}

/** The working trees of a repository, the main one first; some may be gone. */
export function treesOf(commonDir: string): WorkingTree[] {
  const main = IN_MAIN_TREE.test(commonDir)
    ? [{ gitDir: commonDir, root: parentOf(commonDir) }]
    : [];
  return [...main, ...linkedTrees(commonDir)];
}

/** Working trees that `git worktree add` has made. */
function linkedTrees(commonDir: string): WorkingTree[] {
  return worktreeDirs({ commonDir }).flatMap((gitDir) => {
    const dotGit = readText(joinPath(gitDir, "gitdir"))?.trim() ?? null;
    return dotGit === null
      ? []
      : [{ gitDir, root: parentOf(resolvePath(dotGit, { folder: gitDir })) }];
  });
}

/** The branch that a working tree has checked out; null where there is none, or it cannot be read. */
export function branchIn(gitDir: string): string | null {
  try {
    return branchOf(gitDir);
  } catch {
    return null;
  }
}

/** An operation of git that has stopped in a working tree. */
interface StoppedOperation {
  /** `rebase`, `merge`, `cherry-pick`, `revert`, or `am`. */
  readonly verb: string;
  /** The git directory of that working tree. */
  readonly gitDir: string;
}

/** The file that each operation leaves. A rebase comes first: it may have stopped in a cherry-pick of its own. */
const MARKS: readonly (readonly [verb: string, name: string])[] = [
  ["rebase", "rebase-merge"],
  ["am", "rebase-apply/applying"],
  ["rebase", "rebase-apply"],
  ["merge", "MERGE_HEAD"],
  ["cherry-pick", "CHERRY_PICK_HEAD"],
  ["revert", "REVERT_HEAD"],
];

/** The operation that has stopped in a working tree; null where there is none. */
export function operationIn(gitDir: string): string | null {
  return MARKS.find(([, name]) => exists(joinPath(gitDir, name)))?.[0] ?? null;
}

/** What is under way in the working trees of a repository, at most one a tree, the main one first. */
export function operationsUnderWay(commonDir: string): StoppedOperation[] {
  return [commonDir, ...worktreeDirs({ commonDir })].flatMap((gitDir) => {
    const verb = operationIn(gitDir);
    return verb === null ? [] : [{ verb, gitDir }];
  });
}

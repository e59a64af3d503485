/** Reads from git's files where branches are checked out, without starting git. */
import { joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { exists, readText } from "../on_disk.ts";
import { branchIn, type Repository, worktreeDirs } from "./repository.ts";

/** The git directory of the main working tree ends like this. */
const IN_MAIN_TREE = /[\\/]\.git$/;

/** Returns the working tree in which a branch is checked out; `undefined` where there is none. */
export function workingTreeOf(
  { commonDir }: Pick<Repository, "commonDir">,
  branch: string,
): Repository | undefined {
  const found = treesOf(commonDir)
    .find(({ gitDir, root }) => exists(joinPath(root, ".git")) && branchIn(gitDir) === branch);
  return found === undefined ? undefined : { commonDir, root: found.root, branch };
}

/** A working tree, and git's own folder for it. */
export type WorkingTree = Readonly<{ gitDir: string; root: string }>;

/** Returns the working trees of a repository, the main one first; some may be gone. */
export function treesOf(commonDir: string): WorkingTree[] {
  const linked = worktreeDirs({ commonDir }).flatMap((gitDir) => {
    const dotGit = readText(joinPath(gitDir, "gitdir"))?.trim() ?? null;
    return dotGit === null
      ? []
      : [{ gitDir, root: parentOf(resolvePath(dotGit, { folder: gitDir })) }];
  });
  const main = { gitDir: commonDir, root: parentOf(commonDir) };
  return IN_MAIN_TREE.test(commonDir) ? [main, ...linked] : linked;
}

/** Returns where a folder of one working tree lies in the repository's other ones; none for a folder outside of all. */
export function counterparts(folder: string, commonDir: string): string[] {
  const roots = treesOf(commonDir).map(({ root }) => root);
  const [own] = roots.filter((root) => `${folder}/`.startsWith(`${root}/`))
    .sort((a, b) => b.length - a.length);
  if (own === undefined) return [];
  return roots.filter((root) => root !== own).map((root) => root + folder.slice(own.length));
}

/** The file that shows each operation. A rebase comes first: it may have stopped in a cherry-pick of its own. */
const MARKS: readonly (readonly [verb: string, name: string])[] = [
  ["rebase", "rebase-merge"],
  ["am", "rebase-apply/applying"],
  ["rebase", "rebase-apply"],
  ["merge", "MERGE_HEAD"],
  ["cherry-pick", "CHERRY_PICK_HEAD"],
  ["revert", "REVERT_HEAD"],
];

/** Returns the operation that has stopped in a working tree; null where there is none. */
export function operationIn(gitDir: string): string | null {
  return MARKS.find(([, name]) => exists(joinPath(gitDir, name)))?.[0] ?? null;
}

/** Returns the stopped operations in the working trees of a repository, at most one for each, the main tree first. */
export function operationsUnderWay(
  commonDir: string,
): { readonly verb: string; readonly gitDir: string }[] {
  return [commonDir, ...worktreeDirs({ commonDir })].flatMap((gitDir) => {
    const verb = operationIn(gitDir);
    return verb === null ? [] : [{ verb, gitDir }];
  });
}

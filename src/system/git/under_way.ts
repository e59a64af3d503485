/** Which operations of git have stopped halfway, read from git's files. */
import { joinPath } from "../../base/paths.ts";
import { exists } from "../on_disk.ts";
import { worktreeDirs } from "./repository.ts";

/** An operation of git that has stopped in a working tree. */
export interface StoppedOperation {
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

/** What is under way in the working trees of a repository, at most one a tree, the main one first. */
export function operationsUnderWay(commonDir: string): StoppedOperation[] {
  return [commonDir, ...worktreeDirs({ commonDir })].flatMap((gitDir) => {
    const mark = MARKS.find(([, name]) => exists(joinPath(gitDir, name)));
    return mark === undefined ? [] : [{ verb: mark[0], gitDir }];
  });
}

/** Which operations of git have stopped in their midst; read without starting git. */
import { joinPath } from "../paths.ts";
import { exists } from "../project/on_disk.ts";
import { worktreeDirs } from "./repository.ts";

/** What git keeps in a working tree's directory until an operation that stopped is concluded or given up. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  merge: ["MERGE_HEAD"],
  rebase: ["rebase-merge", "rebase-apply"],
  pull: ["MERGE_HEAD", "rebase-merge", "rebase-apply"],
  am: ["rebase-apply"],
  "cherry-pick": ["CHERRY_PICK_HEAD", "sequencer"],
  revert: ["REVERT_HEAD", "sequencer"],
};

/** Whether such an operation is under way in any working tree of a repository; true where its files do not tell. */
export function isUnderWay(commonDir: string, verb: string): boolean {
  if (!Object.hasOwn(KEPT, verb) || !exists(joinPath(commonDir, "HEAD"))) return true;
  return [commonDir, ...worktreeDirs({ commonDir })]
    .some((folder) => KEPT[verb]!.some((name) => exists(joinPath(folder, name))));
}

/** An operation of git that has stopped in a working tree. */
export interface StoppedOperation {
  /** `rebase`, `merge`, `cherry-pick`, `revert`, or `am`. */
  readonly verb: string;
  /** What git keeps of that working tree. */
  readonly gitDir: string;
}

/** Each with the file by which it is known; a rebase is looked for before what it does one after the other. */
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

/** Makes a working tree again that somebody has removed, or says what is lost and what helps. */
import type { DatabaseSync } from "node:sqlite";
import { runGit } from "../git/run_git.ts";
import { ensureTree, hasBranch } from "../git/task_trees.ts";
import { shellQuote } from "../orchestration/shell_quote.ts";
import { joinPath } from "../paths.ts";
import { exists } from "../project/on_disk.ts";
import type { WorkflowRow } from "../store/workflows.ts";
import { listSteps } from "../store/workflow_steps.ts";
import { inTurn } from "./tree_turns.ts";

/** What stands in the way of a person, and the command that helps. */
export interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * Makes the working tree of a workflow again where it is gone and its branch is not: what is committed is there.
 *
 * @returns Why its work cannot be looked at or merged; null when the tree is there, or there never was one.
 */
export async function restoreTree(workflow: WorkflowRow): Promise<Obstacle | null> {
  const { worktree, branch, baseCommit, repository, mergeCommit } = workflow;
  if (worktree === null || branch === null || repository === null) return null;
  if (exists(joinPath(worktree, ".git"))) return null;
  if (!exists(repository)) return lost(workflow, `its repository ${repository} is gone`);
  if (!await hasBranch({ commonDir: repository }, branch)) {
    return lost(workflow, `its working tree ${worktree} and its branch ${branch} are gone`);
  }
  const range = `${baseCommit}..refs/heads/${branch}`;
  const count = await runGit(["rev-list", "--count", range], { folder: repository });
  if (mergeCommit === null && count.stdout.trim() === "0") {
    const why = `its working tree ${worktree} is gone, and nothing was committed on ${branch}`;
    return lost(workflow, why);
  }
  const made = await inTurn(
    repository,
    () => ensureTree({ commonDir: repository }, { path: worktree, branch }, branch),
  );
  return made.kind === "failed" ? lost(workflow, made.why) : null;
}

/** Why the work of a workflow cannot be merged, whatever is in it; null when it can. Its working tree is there then. */
export async function mergeObstacle(workflow: WorkflowRow): Promise<Obstacle | null> {
  const { repository, baseBranch, baseCommit } = workflow;
  const gone = await restoreTree(workflow);
  if (gone !== null || repository === null || baseBranch === null) return gone;
  if (await hasBranch({ commonDir: repository }, baseBranch)) return null;
  return {
    why: `there is no branch ${baseBranch} any more; the work began at ${baseCommit}`,
    next: `git -C ${shellQuote(repository)} branch ${shellQuote(baseBranch)} ${baseCommit}`,
  };
}

/** What earlier steps have done, where it is gone: a step after them is not to begin without it. */
export async function lossBefore(
  db: DatabaseSync,
  workflow: WorkflowRow,
): Promise<Obstacle | null> {
  const { id, worktree, branch, repository, mergeCommit } = workflow;
  if (worktree === null || branch === null || repository === null || mergeCommit !== null) {
    return null;
  }
  if (exists(joinPath(worktree, ".git")) || await hasBranch({ commonDir: repository }, branch)) {
    return null;
  }
  const hasWorked = listSteps(db, id)
    .some(({ status, agentId }) => status === "finished" && agentId !== null);
  return hasWorked
    ? lost(workflow, `its working tree ${worktree} and its branch ${branch} are gone`)
    : null;
}

/** A retry does not run again what has finished, so only a new workflow can do the work anew. */
function lost({ id, taskId }: WorkflowRow, why: string): Obstacle {
  return {
    why: `${why}; to have the work done anew, cancel the workflow and start the task again`,
    next: `conclaude workflow cancel ${id} && conclaude workflow start ${taskId}`,
  };
}

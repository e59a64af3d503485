/** Restores a working tree that somebody has removed, or tells what is lost and what helps. */
import type { DatabaseSync } from "node:sqlite";
import { runGit } from "../../system/git/run_git.ts";
import { ensureTree, hasBranch } from "../../system/git/task_trees.ts";
import { shellQuote } from "../shell_place.ts";
import { joinPath } from "../../base/paths.ts";
import { exists } from "../../system/on_disk.ts";
import type { WorkflowRow } from "../workflows_table.ts";
import { listSteps } from "../workflow_steps_table.ts";
import { type Review, reviewTree } from "../../system/git/merge.ts";
import { refusal } from "../refusal.ts";

/** What is in the way, and the command that helps. */
export interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/**
 * Makes the working tree of a workflow again when it is gone and its branch is not: the commits are there.
 *
 * @returns Why the work cannot be looked at or merged; null when the tree is there, or there never was one.
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

/** Why the work of a workflow cannot be merged; null when it can, and then its working tree is there. */
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

/** Tells when the work of earlier steps is gone: a later step must not begin without it. */
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

/** A retry does not run finished steps again, so only a new workflow can do the work anew. */
function lost({ id, taskId }: WorkflowRow, why: string): Obstacle {
  return {
    why: `${why}; to have the work done anew, cancel the workflow and start the task again`,
    next: `conclaude workflow cancel ${id} && conclaude workflow start ${taskId}`,
  };
}

/** The running change of each repository's working trees: git cannot make two at once. */
const TURNS = new Map<string, Promise<unknown>>();

/** Changes the working trees of a repository when no other change is under way. */
export function inTurn<Result>(commonDir: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (TURNS.get(commonDir) ?? Promise.resolve()).then(work, work);
  TURNS.set(commonDir, mine);
  return mine;
}

/**
 * All work of a workflow since it began.
 *
 * @throws {UserError} INVALID_STATUS when there is none to look at.
 */
export async function reviewWorkflow(workflow: WorkflowRow): Promise<Review> {
  const { worktree, branch, baseBranch, baseCommit, mergeCommit } = workflow;
  if (worktree === null || branch === null || baseBranch === null || baseCommit === null) {
    throw nothingToSee(
      workflow,
      mergeCommit === null
        ? "it has no working tree"
        : `its work was merged as ${mergeCommit}, and its working tree is gone`,
      mergeCommit === null ? undefined : `git show -m --first-parent ${mergeCommit}`,
    );
  }
  const gone = await restoreTree(workflow);
  if (gone !== null) throw nothingToSee(workflow, gone.why, gone.next);
  const review = await reviewTree({ path: worktree }, {
    base: baseCommit,
    target: baseBranch,
  });
  if ("kind" in review) throw nothingToSee(workflow, review.why);
  return review;
}

function nothingToSee(
  { id, status }: WorkflowRow,
  why: string,
  next = `conclaude workflow show ${id}`,
) {
  return refusal("INVALID_STATUS", {
    what: `There is no work of workflow ${id} to be shown`,
    why,
    next,
    details: { currentStatus: status },
  });
}

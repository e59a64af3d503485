/** The work of a workflow, as a person looks at it before it is merged. */
import { type Review, reviewTree } from "../git/merge.ts";
import { refusal } from "../orchestration/refusal.ts";
import type { WorkflowRow } from "../store/workflows.ts";
import { restoreTree } from "./lost_tree.ts";

/**
 * All work of a workflow against where it began.
 *
 * @throws {UserError} INVALID_STATUS when there is nothing to be looked at.
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

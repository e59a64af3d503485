/** Carries out a person's decisions about a workflow: approve (merge), reject, cancel. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { mergeTree } from "../../system/git/merge.ts";
import { lookAtTree } from "../../system/git/task_trees.ts";
import { failure, mergedOutcome } from "../progress.ts";
import { renderMergeStep } from "../render_step.ts";
import type { RenderedScript } from "../template.ts";
import { runWords } from "../../system/process/run_program.ts";
import * as work from "../store.ts";
import { transaction } from "../../db/transaction.ts";
import * as workflows from "./advance.ts";
import { mergeObstacle, treeOf } from "./work_folder.ts";

/** The reason of a rejection when the person gives none. */
export const REJECTED = "merge rejected by user";

/** The reason of a cancellation when the person gives none. */
export const CANCELLED = "cancelled by user";

/**
 * Merges the work of a workflow, and moves the workflow forward. When the merge fails, the target branch stays
 * unchanged, and the workflow waits for a person with the reason.
 */
export async function approve(
  db: DatabaseSync,
  workflowId: string,
  { leaseMs, mask }: { readonly leaseMs: number; readonly mask: (text: string) => string },
): Promise<void> {
  const workflow = work.readWorkflow(db, workflowId);
  const task = workflow && work.readTask(db, workflow.taskId);
  if (workflow === undefined || task === undefined || workflow.decision !== "approve") return;
  const step = openStep(db, workflow);
  const wait = (reason: string, data?: Readonly<Record<string, unknown>>) =>
    keepWaiting(db, workflow, mask(reason), data);
  if (await refuseUnchanged(db, workflow)) return;
  const tree = treeOf(workflow);
  const { baseBranch } = workflow;
  if (tree === null || baseBranch === null) {
    return wait("there is no working tree to be merged: the task is in no repository");
  }
  const obstacle = await mergeObstacle(workflow);
  if (obstacle !== null) return wait(obstacle.why, { next: obstacle.next });
  const texts = mergeTexts(db, workflow, step);
  for (const script of texts.preMerge) {
    const failed = await runCheck(script, { folder: tree.path, timeoutMs: texts.timeoutMs, mask });
    if (failed !== null) return wait(`a check before the merge has failed: ${failed}`);
  }
  // The checks may take minutes, in which the workflow may have ended.
  if (work.readWorkflow(db, workflowId)?.decision !== "approve") return;
  const trailer = `\n\nTask: ${task.id}`;
  const result = await mergeTree(tree, tree, {
    target: baseBranch,
    message: texts.commitMessage ?? `Merge "${task.title}"${trailer}`,
    workMessage: task.title + trailer,
  });
  if (result.kind === "conflicts") {
    const why = `it conflicts with ${baseBranch} in ${result.files.join(", ")}`;
    return wait(why, { conflictFiles: result.files });
  }
  if (result.kind === "failed") return wait(result.why);
  const atMs = Date.now();
  transaction(db, () => {
    const current = work.readWorkflow(db, workflowId);
    if (current === undefined || current.decision !== "approve") return;
    workflows.moveWorkflow(db, workflow, "merged", {
      atMs,
      by: workflow.decisionBy ?? work.SYSTEM,
      fields: { mergeCommit: result.commit },
      task: { leaseUntilMs: atMs + leaseMs },
      data: { mergeCommit: result.commit },
    });
    if (step === undefined) return workflows.advance(db, workflowId, atMs);
    const outcome = mergedOutcome(result.commit ?? "");
    workflows.finishAndAdvance(db, work.readWorkflow(db, workflowId)!, step, { outcome, atMs });
  });
}

/** Finds the step at which a workflow waits: a merge, or a step whose agent died after committing work. */
function openStep(db: DatabaseSync, workflow: work.WorkflowRow): work.StepRow | undefined {
  return work.listSteps(db, workflow.id).find(({ status }) => status === "running");
}

function mergeTexts(db: DatabaseSync, workflow: work.WorkflowRow, step: work.StepRow | undefined) {
  const move = workflows.moveOf(db, workflow);
  if (step?.type !== "merge" || move.kind !== "run" || move.step.type !== "merge") {
    return { commitMessage: null, preMerge: [], timeoutMs: CHECK_MS };
  }
  const timeoutMs = move.step.timeoutMs ?? CHECK_MS;
  return { ...renderMergeStep(move.step, move.context), timeoutMs };
}

/** Lets the work wait for a person, even when the step requires no review. */
function keepWaiting(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  reason: string,
  data: Readonly<Record<string, unknown>> = {},
): void {
  const atMs = Date.now();
  transaction(db, () => {
    const current = work.readWorkflow(db, workflow.id);
    if (current?.decision !== "approve") return;
    if (current.status === "running") {
      workflows.moveWorkflow(db, workflow, "merge_pending", { atMs });
    }
    work.changeWorkflow(db, workflow.id, { reason, ...workflows.UNDECIDED }, {
      event: "workflow.merge_failed",
      atMs,
      data: { reason, ...data },
    });
  });
}

/** Blocks a workflow at its merge when its agents have changed nothing. @returns Whether it blocked the workflow. */
export async function refuseUnchanged(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
): Promise<boolean> {
  const { worktree, baseCommit, mergeCommit } = workflow;
  if (worktree === null || baseCommit === null || mergeCommit !== null) return false;
  // The comparison uses the commit before the work: the target branch may hold work that a person merged by hand.
  const state = await lookAtTree(worktree, baseCommit);
  if (state === null || state.isDirty || state.ahead > 0) return false;
  const reason = "nothing was changed, so there is nothing to merge; " +
    `\`conclaude task complete ${workflow.taskId}\` closes the task as it is`;
  const rejection = { by: workflows.workflowOwner(workflow.id), reason, atMs: Date.now() };
  return transaction(db, () => {
    const current = work.readWorkflow(db, workflow.id);
    if (current?.status !== "pending_merge" && current?.decision !== "approve") return false;
    reject(db, current, rejection, "workflow.unchanged");
    return true;
  });
}

/** Blocks a workflow at its merge, in the caller's transaction. Its working tree stays. */
export function reject(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { by, reason, atMs }: work.Author & { readonly reason: string },
  event: "workflow.rejected" | "workflow.unchanged" = "workflow.rejected",
): void {
  const step = openStep(db, workflow);
  if (step?.type !== "merge") {
    return workflows.stop(db, workflow, {
      status: "blocked",
      key: workflow.currentStep,
      reason,
      atMs,
    });
  }
  work.changeWorkflow(db, workflow.id, { status: "running", ...workflows.UNDECIDED }, {
    event,
    atMs,
    data: { by, reason },
  });
  workflows.finishAndAdvance(db, work.readWorkflow(db, workflow.id)!, step, {
    outcome: failure(reason, "block"),
    atMs,
  });
}

/**
 * Cancels a workflow, in the caller's transaction: ends its agents, and opens its task again. Its working tree stays.
 */
function cancel(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  { by, reason, atMs }: work.Author & { readonly reason: string },
): void {
  for (const agent of work.listAgents(db, { workflowId: workflow.id })) {
    if (agent.endedAtMs === null) work.requestKill(db, agent.id, { reason, atMs });
  }
  work.resolveQuestions(db, workflow.id, { statuses: ["pending", "answered"], atMs });
  const task = work.readTask(db, workflow.taskId);
  const isOver = task === undefined || task.deletedAtMs !== null || task.status === "closed";
  const isOthers = task?.claimedBy != null &&
    task.claimedBy !== workflows.workflowOwner(workflow.id);
  workflows.moveWorkflow(db, workflow, "cancelled", {
    atMs,
    by,
    fields: { reason, endedAtMs: atMs },
    task: isOver || isOthers ? null : {},
    data: { by },
  });
}

/** How each decision against a workflow is carried out, in the caller's transaction. */
export const CARRY_OUT = { reject, cancel };

/** How long each check before a merge may take when its step does not say, in milliseconds. */
const CHECK_MS = 600_000;

/** The length of the end of a script's output in a message, in characters. */
const MAX_OUTPUT_CHARS = 500;

/** Runs a script, and never throws. @returns Why the script failed, masked; null when it succeeded. */
async function runCheck(
  { command, variables }: RenderedScript,
  { folder, timeoutMs, mask }: {
    readonly folder: string;
    readonly timeoutMs: number;
    readonly mask: (text: string) => string;
  },
): Promise<string | null> {
  const options = { folder, variables, timeoutMs };
  const end = await runWords(["/bin/sh", "-c", command], options);
  if (end.kind === "late") return `it did not end in ${count(timeoutMs / 1000, "second")}`;
  if (end.kind === "unstarted") return end.why;
  if (end.code === 0) return null;
  const output = [end.stdout, end.stderr].map((text) => text.trim())
    .filter((text) => text !== "").join("\n");
  // Masked before it is cut, since half a secret is no longer recognised.
  return `exit code ${end.code}: ${mask(output).slice(-MAX_OUTPUT_CHARS)}`;
}

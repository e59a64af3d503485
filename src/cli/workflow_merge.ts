/** Waits for the daemon to carry out an approval, and says what came of it. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { UserError } from "../errors.ts";
import { quoteWord } from "../settings/hooks.ts";
import { type EventRow, listEvents } from "../store/events.ts";
import { workflowName } from "./workflow_view.ts";
import type { WorkflowRow } from "../store/workflows.ts";

/** How long is waited, and how often it is looked. */
const WAIT_MS = 60_000;
const LOOK_MS = 100;

/** What ends the waiting. */
const OUTCOMES = new Set(["workflow.merged", "workflow.merge_failed", "workflow.cancelled"]);

/**
 * Waits until a merge is made.
 *
 * @param afterId The newest event before it was approved. @returns The commit; null when there was nothing to merge.
 * @throws {UserError} MERGE_CONFLICTS with the files, MERGE_FAILED; or when nothing has come of it in time.
 */
export async function awaitMerge(
  db: DatabaseSync,
  workflow: WorkflowRow,
  { afterId, waitMs = WAIT_MS }: { readonly afterId: number; readonly waitMs?: number },
): Promise<string | null> {
  for (const endMs = Date.now() + waitMs; Date.now() < endMs;) {
    const told = outcomeOf(db, workflow, afterId);
    if (told?.type === "workflow.merged") return told.data["mergeCommit"] as string | null;
    if (told !== undefined) throw notMerged(workflow, told);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new UserError(`Workflow ${workflowName(workflow)} is not merged yet`, {
    why: `the approval is recorded, and nothing has come of it in ${waitMs / 1000} s`,
    next: `conclaude workflow show ${workflow.id}`,
  });
}

function outcomeOf(
  db: DatabaseSync,
  { id }: WorkflowRow,
  afterId: number,
): EventRow | undefined {
  return listEvents(db, {
    afterId,
    sinceMs: null,
    type: "workflow.*",
    entityId: id,
    limit: Number.MAX_SAFE_INTEGER,
  }).find(({ type }) => OUTCOMES.has(type));
}

function notMerged(workflow: WorkflowRow, { type, data }: EventRow) {
  const files = data["conflictFiles"];
  const isCancelled = type === "workflow.cancelled";
  const now = data["workflow"] as WorkflowRow | null;
  const why = isCancelled ? `it was cancelled: ${now?.reason}` : String(data["reason"]);
  if (Array.isArray(files)) {
    return refusal("MERGE_CONFLICTS", {
      what: `Cannot merge workflow ${workflowName(workflow)}`,
      why: `${why}; ${workflow.baseBranch} is as it was, and the workflow still waits. Merge ` +
        `${workflow.baseBranch} into ${workflow.branch} in its working tree, resolve and commit there, and approve again`,
      next: `cd ${quoteWord(workflow.worktree ?? "")} && git merge ${
        quoteWord(workflow.baseBranch ?? "")
      }`,
      details: { conflictFiles: files, status: now?.status },
    });
  }
  return refusal("MERGE_FAILED", {
    what: `Cannot merge workflow ${workflowName(workflow)}`,
    why: isCancelled ? why : `${why}; nothing was merged, and the workflow still waits`,
    next: String(
      data["next"] ??
        (isCancelled || workflow.worktree === null
          ? `conclaude workflow show ${workflow.id}`
          : `git -C ${quoteWord(workflow.worktree)} status`),
    ),
    details: { status: now?.status },
  });
}

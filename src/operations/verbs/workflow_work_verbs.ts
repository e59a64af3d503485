import { decide, type Lasting, resumeWorkflow } from "../../work/engine/advance.ts";
import { endHere } from "../../work/engine/agent_runs.ts";
import { reviewWorkflow } from "../../work/engine/work_folder.ts";
import { needAction, needWorkflow, sendBack } from "../../work/engine/requests.ts";
import { CANCELLED, CARRY_OUT, REJECTED } from "../../work/engine/reviews.ts";
import { UserError } from "../../base/errors.ts";
import { refusal } from "../../work/refusal.ts";
import { exists } from "../../system/on_disk.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import * as work from "../../work/store.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere, START_DAEMON } from "../daemon_here.ts";
import { clearingFlag, SHARED, switchOn, WORKFLOW } from "../flags.ts";
import { endingOf, lastingOf } from "../orchestration_here.ts";
import { changedWorkflowView, reviewView, workflowName } from "../workflow_view.ts";
import { beginChange, type ByFlag, workflowIdOf } from "../work_lookup.ts";
import { shortTaskId } from "../task_view.ts";
import { usageError } from "../usage.ts";
import { readVerb } from "../list_and_show.ts";
import { verb, type View } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";

export const diff = readVerb({
  args: [WORKFLOW],
  flags: { full: switchOn("The whole diff, however long it is") },
  async run({ db, context }, { full }, text) {
    const workflow = needWorkflow(db, workflowIdOf(db, text));
    return reviewView(context, await reviewWorkflow(workflow), {
      whole: full ? null : `conclaude workflow diff ${shortTaskId(workflow.id)} --full`,
      target: String(workflow.baseBranch),
    });
  },
});

export const approve = verb({
  person: "workflow approve",
  args: [WORKFLOW],
  flags: { agentId: SHARED.agentId },
  async run(context, flags, text) {
    const { change, db, place } = await beginChange(context, flags, "approve a merge");
    const hasDaemon = isDaemonHere(context, place);
    const { workflow, afterId } = change((author) => {
      const open = needAction(db, workflowIdOf(db, text), "approve", hasDaemon);
      const afterId = work.lastEventId(db);
      return { afterId, workflow: decide(db, open, { ...author, decision: "approve" }) };
    });
    if (!hasDaemon) {
      return changedWorkflowView(db, workflow, {
        hasDaemon,
        text: `The approval of workflow ${workflowName(workflow)} is recorded. ` +
          `No daemon runs that could merge it: ${START_DAEMON}`,
      });
    }
    const commit = await awaitMerge(db, workflow, afterId);
    const now = work.readWorkflow(db, workflow.id)!;
    const done = commit === null
      ? `There was nothing to merge into ${workflow.baseBranch}`
      : `Merged into ${workflow.baseBranch} as ${commit}`;
    return changedWorkflowView(db, now, {
      hasDaemon,
      text: `${done}; workflow ${workflowName(now)} is ${now.status}.`,
    });
  },
});

export const reject = verb({
  person: "workflow reject",
  args: [WORKFLOW],
  flags: {
    reason: clearingFlag("What is wrong with it"),
    sendBack: switchOn("Tell the agent that worked last the reason, and let it go on"),
    agentId: SHARED.agentId,
  },
  async run(context, { sendBack: isSentBack, ...flags }, text) {
    if (!isSentBack) return await endWorkflow("reject", REJECTED)(context, flags, text);
    if (!flags.reason?.trim()) {
      throw usageError("Missing flag: --reason", {
        why: "with --send-back the agent is told the reason",
        next: "conclaude workflow reject --help",
      });
    }
    const begun = await beginChange(context, flags, "send a workflow back");
    const reason = begun.masked(flags.reason)!;
    const resume: Resume = (id, terms) => sendBack(begun.db, id, { ...terms, reason });
    return goOn(context, begun, { text, resume });
  },
});

export const retry = verb({
  args: [WORKFLOW],
  flags: { agentId: SHARED.agentId },
  async run(context, flags, text) {
    const begun = await beginChange(context, flags, "retry a workflow");
    const { db } = begun;
    const resume: Resume = (id, { hasDaemon, ...terms }) =>
      resumeWorkflow(db, needAction(db, id, "retry", hasDaemon), terms);
    return goOn(context, begun, { text, resume });
  },
});

type Resume = (
  id: string,
  terms: Lasting & { readonly by: string; readonly hasDaemon: boolean },
) => work.WorkflowRow;

/** Lets a workflow go on, and shows its next step. */
function goOn(
  context: CliContext,
  { db, place, change, by }: Awaited<ReturnType<typeof beginChange>>,
  { text, resume }: { readonly text: string; readonly resume: Resume },
): View {
  const hasDaemon = isDaemonHere(context, place);
  const id = workflowIdOf(db, text);
  const lasting = lastingOf(context, place, needWorkflow(db, id).projectDir);
  const workflow = change(() => resume(id, { ...lasting, by, hasDaemon }));
  const step = workflow.currentStep === null ? "" : ` at ${workflow.currentStep}`;
  const start = hasDaemon ? "." : `: ${START_DAEMON}`;
  return changedWorkflowView(db, workflow, {
    hasDaemon,
    text: `Workflow ${workflowName(workflow)} goes on${step}. The daemon runs it${start}`,
  });
}

export const cancel = verb({
  args: [WORKFLOW],
  flags: { reason: clearingFlag("Why"), agentId: SHARED.agentId },
  run: endWorkflow("cancel", CANCELLED),
});

/** Makes the `run` of a verb that ends a workflow. @param usual The reason if the person gives none. */
function endWorkflow(action: "reject" | "cancel", usual: string) {
  return async (
    context: CliContext,
    flags: ByFlag & { readonly reason?: string },
    text: string,
  ): Promise<View> => {
    const begun = await beginChange(context, flags, `${action} a workflow`);
    const { change, db, place, mask } = begun;
    const hasDaemon = isDaemonHere(context, place);
    const reason = begun.masked(flags.reason) ?? usual;
    const workflow = change((author) => {
      const open = needAction(db, workflowIdOf(db, text), action, hasDaemon);
      CARRY_OUT[action](db, open, { ...author, reason });
      return work.readWorkflow(db, open.id)!;
    });
    if (!hasDaemon) {
      const ending = endingOf(context, place, workflow.projectDir);
      for (const { id } of work.listAgents(db, { workflowId: workflow.id })) {
        await endHere(db, id, { ...ending, mask });
      }
    }
    const { worktree } = workflow;
    const kept = worktree === null
      ? ""
      : exists(worktree)
      ? ` What was done stays in ${worktree}.`
      : ` Its working tree ${worktree} is gone.`;
    const result = action === "reject"
      ? `is ${workflow.status}, and its task with it: ${workflow.reason}.`
      : "is cancelled, and its task is open again.";
    return changedWorkflowView(db, work.readWorkflow(db, workflow.id)!, {
      hasDaemon,
      text: `Workflow ${workflowName(workflow)} ${result}${kept}`,
    });
  };
}

const WAIT_MS = 60_000;
const LOOK_MS = 100;
const OUTCOMES = new Set(
  ["merged", "merge_failed", "unchanged", "cancelled"].map((outcome) => `workflow.${outcome}`),
);

/**
 * Waits until the daemon has merged. @param afterId The newest event before the approval.
 * @returns The commit; null if there was nothing to merge.
 * @throws {UserError} MERGE_CONFLICTS with the files, MERGE_FAILED, or no reason if nothing happened in time.
 */
async function awaitMerge(
  db: DatabaseSync,
  workflow: work.WorkflowRow,
  afterId: number,
): Promise<string | null> {
  for (const endMs = Date.now() + WAIT_MS; Date.now() < endMs;) {
    const filter = { afterId, entityId: workflow.id, limit: Number.MAX_SAFE_INTEGER };
    const event = work.listEvents(db, filter).find(({ type }) => OUTCOMES.has(type));
    if (event?.type === "workflow.merged") return event.data["mergeCommit"] as string | null;
    if (event !== undefined) throw notMerged(workflow, event);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new UserError(`Workflow ${workflowName(workflow)} is not merged yet`, {
    why: `the approval is recorded, and nothing has come of it in ${WAIT_MS / 1000} s`,
    next: `conclaude workflow show ${workflow.id}`,
  });
}

function notMerged(workflow: work.WorkflowRow, { type, data }: work.EventRow) {
  const { baseBranch, branch, worktree } = workflow;
  const now = data["workflow"] as work.WorkflowRow | null;
  const { conflictFiles, reason } = data;
  const what = `Cannot merge workflow ${workflowName(workflow)}`;
  const show = `conclaude workflow show ${workflow.id}`;
  const details = { status: now?.status };
  const refused = (why: string, next: string) =>
    refusal("MERGE_FAILED", { what, why, next, details });
  if (type === "workflow.unchanged") return refused(String(reason), show);
  if (type === "workflow.cancelled") return refused(`it was cancelled: ${now?.reason}`, show);
  if (!Array.isArray(conflictFiles)) {
    const next = worktree === null ? show : `git -C ${quoteWord(worktree)} status`;
    const why = `${reason}; nothing was merged, and the workflow still waits`;
    return refused(why, String(data["next"] ?? next));
  }
  return refusal("MERGE_CONFLICTS", {
    what,
    why:
      `${reason}; ${baseBranch} is as it was, and the workflow still waits. Merge ${baseBranch} into ${branch} ` +
      "in its working tree, resolve and commit there, and approve again",
    next: `cd ${quoteWord(worktree ?? "")} && git merge ${quoteWord(baseBranch ?? "")}`,
    details: { conflictFiles, ...details },
  });
}

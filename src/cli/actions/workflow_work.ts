/** What people decide of workflows. */
import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import { endHere } from "../../engine/ending.ts";
import { reviewWorkflow } from "../../engine/review.ts";
import {
  CANCELLED,
  endNow,
  needWorkflow,
  REJECTED,
  requestDecision,
  requestRetry,
} from "../../engine/workflow_requests.ts";
import { checkBody } from "../../orchestration/task_input.ts";
import { exists } from "../../project/on_disk.ts";
import { listAgents } from "../../store/agents.ts";
import { transaction } from "../../store/database.ts";
import { lastEventId } from "../../store/events.ts";
import { readWorkflow } from "../../store/workflows.ts";
import type { CliContext } from "../context.ts";
import { nextHere } from "../next_command.ts";
import { isDaemonHere, startDaemon } from "../daemon_here.ts";
import { lastingOf, orchestrationOf } from "../orchestration_here.ts";
import { openKeptStore, openStore } from "../store.ts";
import { authorOf, type ByFlag } from "../task_lookup.ts";
import { maskerOf } from "../task_text.ts";
import { shortTaskId } from "../task_view.ts";
import type { View } from "../view.ts";
import { awaitMerge } from "../workflow_merge.ts";
import { changedWorkflow, workflowName } from "../workflow_view.ts";
import { workflowIdOf } from "../workflow_lookup.ts";

/** Who says what. */
export type ReasonFlags = ByFlag & { readonly reason?: string };

/** `conclaude workflow approve ID` */
export async function approve(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, "approve a merge");
  const isCarriedOut = isDaemonHere(context, place);
  const { workflow, afterId } = transaction(db, () => ({
    afterId: lastEventId(db),
    workflow: requestDecision(db, workflowIdOf(db, text), {
      decision: "approve",
      by,
      text: null,
      atMs: Date.now(),
      isCarriedOut,
    }),
  }));
  if (!isCarriedOut) {
    return changedWorkflow(db, workflow, {
      isCarriedOut,
      text: `The approval of workflow ${workflowName(workflow)} is recorded. ` +
        `No daemon runs that could merge it: ${startDaemon(context)}`,
    });
  }
  const commit = await awaitMerge(db, workflow, { afterId });
  const now = readWorkflow(db, workflow.id)!;
  const done = commit === null
    ? `There was nothing to merge into ${workflow.baseBranch}`
    : `Merged into ${workflow.baseBranch} as ${commit}`;
  return changedWorkflow(db, now, {
    isCarriedOut,
    text: `${done}; workflow ${workflowName(now)} is ${now.status}.`,
  });
}

/** `conclaude workflow reject ID` */
export async function reject(context: CliContext, flags: ReasonFlags, text: string): Promise<View> {
  return await end(context, flags, { text, action: "reject", usual: REJECTED });
}

/** `conclaude workflow cancel ID` */
export async function cancel(context: CliContext, flags: ReasonFlags, text: string): Promise<View> {
  return await end(context, flags, { text, action: "cancel", usual: CANCELLED });
}

async function end(
  context: CliContext,
  flags: ReasonFlags,
  { text, action, usual }: {
    readonly text: string;
    readonly action: "reject" | "cancel";
    readonly usual: string;
  },
): Promise<View> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, `${action} a workflow`);
  const isCarriedOut = isDaemonHere(context, place);
  const mask = await maskerOf(place.config);
  const reason = flags.reason === undefined ? usual : checkBody(mask(flags.reason));
  const workflow = transaction(
    db,
    () =>
      endNow(db, workflowIdOf(db, text), { action, by, reason, atMs: Date.now(), isCarriedOut }),
  );
  if (!isCarriedOut) {
    const { killGraceSeconds } = orchestrationOf(context, workflow.projectDir);
    const lasting = lastingOf(context, place, workflow.projectDir);
    for (const { id } of listAgents(db, { workflowId: workflow.id })) {
      const { database } = place;
      await endHere(db, id, { ...lasting, database, mask, graceMs: killGraceSeconds * 1000 });
    }
  }
  const { worktree } = workflow;
  const kept = worktree === null
    ? ""
    : exists(worktree)
    ? ` What was done stays in ${worktree}.`
    : ` Its working tree ${worktree} is gone.`;
  const told = action === "reject"
    ? `is ${workflow.status}, and its task with it: ${workflow.reason}.`
    : "is cancelled, and its task is open again.";
  return changedWorkflow(db, readWorkflow(db, workflow.id)!, {
    isCarriedOut,
    text: `Workflow ${workflowName(workflow)} ${told}${kept}`,
  });
}

/** `conclaude workflow retry ID` */
export async function retry(context: CliContext, flags: ByFlag, text: string): Promise<View> {
  const by = authorOf(context, flags);
  const { db, place } = await openKeptStore(context, "retry a workflow");
  const isCarriedOut = isDaemonHere(context, place);
  const id = workflowIdOf(db, text);
  const lasting = lastingOf(context, place, needWorkflow(db, id).projectDir);
  const workflow = transaction(db, () => requestRetry(db, id, { ...lasting, by, isCarriedOut }));
  const step = workflow.currentStep === null ? "" : ` at ${workflow.currentStep}`;
  return changedWorkflow(db, workflow, {
    isCarriedOut,
    text: `Workflow ${workflowName(workflow)} goes on${step}. ${
      isCarriedOut ? "The daemon runs it." : `The daemon runs it: ${startDaemon(context)}`
    }`,
  });
}

/** A longer diff is only printed when somebody asks for it, in characters. */
const MAX_DIFF_CHARS = 10_000;

/** `conclaude workflow diff ID` */
export async function showDiff(
  context: CliContext,
  { full }: { readonly full: boolean },
  text: string,
): Promise<View> {
  const { db } = await openStore(context, "read");
  const workflow = needWorkflow(db, workflowIdOf(db, text));
  const { files, diff, conflicts, ...review } = await reviewWorkflow(workflow);
  const sum = (lines: "added" | "removed") =>
    files.reduce((total, file) => total + (file[lines] ?? 0), 0);
  const summary = `${count(files.length, "file")} changed, +${sum("added")}/-${
    sum("removed")
  } lines`;
  const isShown = full || diff.length < MAX_DIFF_CHARS;
  return {
    json: { review: { ...review, summary, files, diff, conflicts } },
    text: [
      ...files.map(({ path, added, removed }) =>
        plain(`${added === null ? "binary" : `+${added}/-${removed}`}`.padEnd(12) + path)
      ),
      summary,
      ...conflicts.length === 0
        ? []
        : [plain(`Conflicts with ${workflow.baseBranch} in ${conflicts.join(", ")}`)],
      ...diff === "" ? [] : [
        "",
        isShown
          ? diff.trimEnd().split("\n").map(plainLine).join("\n")
          : `The diff has ${diff.length} characters: ${
            nextHere(`conclaude workflow diff ${shortTaskId(workflow.id)} --full`, context.globals)
          }`,
      ],
    ].join("\n"),
  };
}

/** A line of a diff; its tabs stay. */
function plainLine(line: string): string {
  return line.split("\t").map(plain).join("\t");
}

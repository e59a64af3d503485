/** Workflows, looked at. */
import { plain } from "../../capture/plain.ts";
import { refusal } from "../../orchestration/refusal.ts";
import { listEvents } from "../../store/events.ts";
import { listQuestions } from "../../store/questions.ts";
import { readTask } from "../../store/tasks.ts";
import { listWorkflows, type WorkflowStatus } from "../../store/workflows.ts";
import { listSteps } from "../../store/workflow_steps.ts";
import { needWorkflow } from "../../engine/workflow_requests.ts";
import type { CliContext } from "../context.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { openStore } from "../store.ts";
import { tableText } from "../table.ts";
import { projectOfTasks } from "../task_lookup.ts";
import { valueText } from "../task_view.ts";
import type { View } from "../view.ts";
import { stepWord, wholeWorkflow, WORKFLOW_COLUMNS, workflowText } from "../workflow_view.ts";
import { workflowIdOf } from "../workflow_lookup.ts";

/** Every status, in the order of a workflow's life. */
const STATUSES: readonly WorkflowStatus[] = [
  "running",
  "pending_merge",
  "blocked",
  "failed",
  "completed",
  "cancelled",
];

/** Which workflows are wanted. */
export type ListFlags = {
  readonly status?: readonly string[];
  readonly allProjects: boolean;
  readonly limit: number;
};

/** `conclaude workflow list` */
export async function listAll(context: CliContext, flags: ListFlags): Promise<View> {
  const { db } = await openStore(context, "read");
  const { limit } = flags;
  const found = listWorkflows(db, {
    statuses: flags.status?.map(checkStatus) ?? null,
    project: projectOfTasks(context, flags),
    limit: limit + 1,
  });
  const workflows = found.slice(0, limit).map((workflow) => ({
    ...workflow,
    taskTitle: readTask(db, workflow.taskId)?.title ?? null,
  }));
  const more = found.length > limit;
  const table = tableText(workflows, WORKFLOW_COLUMNS, {
    empty: "No workflows here.",
    color: context.globals.color,
  });
  return { json: { workflows, more }, text: more ? `${table}\n… and more: --limit` : table };
}

/** `conclaude workflow show ID` */
export async function showWorkflow(
  context: CliContext,
  _flags: object,
  name: string,
): Promise<View> {
  const { db, place } = await openStore(context, "read");
  const row = needWorkflow(db, workflowIdOf(db, name));
  const workflow = wholeWorkflow(db, row, isDaemonHere(context, place));
  const task = readTask(db, row.taskId);
  const questionId = row.status !== "blocked" ? null : listQuestions(db, {
    statuses: ["pending"],
    workflowId: row.id,
  }).findLast(({ stepKey }) => stepKey === row.currentStep)?.id ?? null;
  const text = workflowText(workflow, { task, questionId, nowMs: Date.now() });
  return { json: { workflow }, text };
}

/** `conclaude workflow log ID` */
export async function showLog(context: CliContext, _flags: object, text: string): Promise<View> {
  const { db } = await openStore(context, "read");
  const { id } = needWorkflow(db, workflowIdOf(db, text));
  const events = listEvents(db, {
    afterId: 0,
    sinceMs: null,
    type: null,
    entityId: id,
    limit: Number.MAX_SAFE_INTEGER,
  });
  return {
    json: { workflowId: id, events, steps: listSteps(db, id) },
    text: events.length === 0
      ? "Nothing is kept of what happened in it."
      : events.map(({ type, data, createdAtMs }) =>
        plain(`${new Date(createdAtMs).toISOString()}  ${type}  ${detailOf(data)}`.trimEnd())
      ).join("\n"),
  };
}

/** What an event of a workflow tells beside its type. */
function detailOf(data: Readonly<Record<string, unknown>>): string {
  const { step, by, reason, mergeCommit, workflow } = data as {
    readonly step?: { key: string; attempt: number; outcome?: Parameters<typeof stepWord>[1] };
    readonly by?: string;
    readonly reason?: string;
    readonly mergeCommit?: string | null;
    readonly workflow?: { readonly reason?: string | null; readonly decision?: string | null };
  };
  const outcome = step?.outcome ?? null;
  const told = reason ?? outcome?.error ?? (step === undefined ? workflow?.reason : null);
  return [
    step === undefined ? null : step.key + (step.attempt > 1 ? ` (try ${step.attempt})` : ""),
    outcome === null ? null : stepWord("finished", outcome),
    step === undefined ? workflow?.decision : null,
    mergeCommit,
    told == null ? null : valueText(told),
    by === undefined ? null : `by ${by}`,
  ].filter((text) => text != null).join("  ");
}

function checkStatus(status: string): string {
  if ((STATUSES as readonly string[]).includes(status)) return status;
  throw refusal("INVALID_INPUT", {
    what: `Cannot take the status "${status}"`,
    why: `status must be one of: ${STATUSES.join(", ")}`,
    next: "conclaude workflow list --help",
  });
}

import { needWorkflow } from "../../work/engine/requests.ts";
import {
  listEvents,
  listQuestions,
  listSteps,
  listWorkflows,
  readTask,
  WORKFLOW_FIELDS,
} from "../../work/store.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { ALL_PROJECTS, PAGE_FLAG, wordsFlag, WORKFLOW } from "../flags.ts";
import { listVerb, readVerb } from "../list_and_show.ts";
import { checkWord, projectOfTasks, workflowIdOf } from "../work_lookup.ts";
import { shortTaskId, valueText } from "../task_view.ts";
import { group, lazyFrom } from "../verb.ts";
import { statusText, stepWord, wholeWorkflow, workflowText } from "../workflow_view.ts";

const files = lazyFrom(() => import("./workflow_files_verbs.ts"));
const tasks = lazyFrom(() => import("./task_work_verbs.ts"));
const work = lazyFrom(() => import("./workflow_work_verbs.ts"));

const STATUSES = WORKFLOW_FIELDS.status;

const list = listVerb({
  flags: {
    status: wordsFlag(`Only with this status: ${STATUSES.join(", ")}; a comma is or`, "status"),
    allProjects: ALL_PROJECTS,
    limit: PAGE_FLAG,
  },
  brief: "List workflows",
  about:
    "Lists the workflows of this repository, the newest first; outside of a repository those of all projects.",
  examples: [
    "conclaude workflow list --status pending_merge,blocked",
    "conclaude workflow list --json",
  ],
  name: "workflows",
  rows: ({ db, context }, flags, { limit }) =>
    listWorkflows(db, {
      statuses: flags.status?.map((one) =>
        checkWord(one, { what: "status", words: STATUSES, noun: "workflow" })
      ) ?? null,
      project: projectOfTasks(context, flags),
      limit,
    }).map((workflow) => ({
      ...workflow,
      taskTitle: readTask(db, workflow.taskId)?.title ?? null,
    })),
  columns: {
    ID: ({ id }) => shortTaskId(id),
    WORKFLOW: ({ name }) => name,
    STATUS: statusText,
    STEP: ({ currentStep }) => currentStep,
    TASK: ({ taskId }) => shortTaskId(taskId),
    TITLE: ({ taskTitle }) => taskTitle,
  },
  empty: "No workflows here.",
});

const show = readVerb({
  args: [WORKFLOW],
  brief: "Show a workflow with its steps",
  about:
    "Shows a workflow with its steps, how often each was tried and what came of it, and what you can do with it now.",
  examples: ["conclaude workflow show 1a2b3c4d", "conclaude workflow show 1a2b3c4d --json"],
  run({ db, place, context }, _flags, name) {
    const row = needWorkflow(db, workflowIdOf(db, name));
    const workflow = wholeWorkflow(db, row, isDaemonHere(context, place));
    const task = readTask(db, row.taskId);
    const questionId = row.status !== "blocked" ? null : listQuestions(db, {
      statuses: ["pending"],
      workflowId: row.id,
    }).findLast(({ stepKey }) => stepKey === row.currentStep)?.id ?? null;
    const text = workflowText(workflow, { task, questionId });
    return { json: { workflow }, lines: text.split("\n") };
  },
});

const log = readVerb({
  args: [WORKFLOW],
  brief: "Show what happened in a workflow",
  about: "Shows what happened in a workflow, the oldest first, as far as events are kept.",
  examples: ["conclaude workflow log 1a2b3c4d"],
  run({ db }, _flags, text) {
    const { id } = needWorkflow(db, workflowIdOf(db, text));
    const events = listEvents(db, { entityId: id, limit: Number.MAX_SAFE_INTEGER });
    const lines = events.map(({ type, data, createdAtMs }) =>
      `${new Date(createdAtMs).toISOString()}  ${type}  ${detailOf(data)}`.trimEnd()
    );
    return {
      json: { workflowId: id, events, steps: listSteps(db, id) },
      lines: events.length === 0 ? ["Nothing is kept of what happened in it."] : lines,
    };
  },
});

export const workflow = group({
  verbs: {
    list,
    show,
    log,
    diff: work("Show the work of a workflow", "diff"),
    start: tasks("Have a task worked on", "start"),
    approve: work("Have the work of a workflow merged", "approve"),
    reject: work("Refuse the work of a workflow", "reject"),
    retry: work("Let a workflow go on that has stopped", "retry"),
    cancel: work("End a workflow for good", "cancel"),
    files: files("List the workflows that a task can get", "files"),
    preview: files("Show what a workflow would do", "preview"),
    match: files("Show which workflow a task gets", "match"),
  },
  examples: [
    "conclaude workflow list --status pending_merge",
    "conclaude workflow diff 1a2b3c4d",
    "conclaude workflow approve 1a2b3c4d",
  ],
});

/** The details of an event of a workflow: its step, the outcome, the reason and the author. */
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
  const tried = step === undefined || step.attempt <= 1 ? "" : ` (try ${step.attempt})`;
  return [
    step === undefined ? workflow?.decision : step.key + tried,
    outcome === null ? null : stepWord("finished", outcome),
    mergeCommit,
    told == null ? null : valueText(told),
    by === undefined ? null : `by ${by}`,
  ].filter((text) => text != null).join("  ");
}

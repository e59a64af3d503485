import { plain } from "../../secrets/plain.ts";
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
import { openStore } from "../open_store.ts";
import { pageView } from "../table.ts";
import { checkWord, projectOfTasks, workflowIdOf } from "../work_lookup.ts";
import { shortTaskId, shortTitle, valueText } from "../task_view.ts";
import { group, lazy, verb } from "../verb.ts";
import { statusText, stepWord, wholeWorkflow, workflowText } from "../workflow_view.ts";

const files = () => import("./workflow_files_verbs.ts");
const work = () => import("./workflow_work_verbs.ts");

const STATUSES = WORKFLOW_FIELDS.status;

const list = verb({
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
  async run(context, flags) {
    const { db } = await openStore(context, "read");
    const { limit } = flags;
    const found = listWorkflows(db, {
      statuses: flags.status?.map((one) =>
        checkWord(one, { what: "status", words: STATUSES, noun: "workflow" })
      ) ?? null,
      project: projectOfTasks(context, flags),
      limit: limit + 1,
    });
    const workflows = found.map((workflow) => ({
      ...workflow,
      taskTitle: readTask(db, workflow.taskId)?.title ?? null,
    }));
    return pageView(context, { workflows }, {
      ID: ({ id }) => shortTaskId(id),
      WORKFLOW: ({ name }) => name,
      STATUS: statusText,
      STEP: ({ currentStep }) => currentStep,
      TASK: ({ taskId }) => shortTaskId(taskId),
      TITLE: ({ taskTitle }) => taskTitle === null ? null : shortTitle(taskTitle),
    }, { limit, empty: "No workflows here." });
  },
});

const show = verb({
  args: [WORKFLOW],
  brief: "Show a workflow with its steps",
  about:
    "Shows a workflow with its steps, how often each was tried and what came of it, and what you can do with it now.",
  examples: ["conclaude workflow show 1a2b3c4d", "conclaude workflow show 1a2b3c4d --json"],
  async run(context, _flags, name) {
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
  },
});

const log = verb({
  args: [WORKFLOW],
  brief: "Show what happened in a workflow",
  about: "Shows what happened in a workflow, the oldest first, as far as events are kept.",
  examples: ["conclaude workflow log 1a2b3c4d"],
  async run(context, _flags, text) {
    const { db } = await openStore(context, "read");
    const { id } = needWorkflow(db, workflowIdOf(db, text));
    const events = listEvents(db, { entityId: id, limit: Number.MAX_SAFE_INTEGER });
    return {
      json: { workflowId: id, events, steps: listSteps(db, id) },
      text: events.length === 0
        ? "Nothing is kept of what happened in it."
        : events.map(({ type, data, createdAtMs }) =>
          plain(`${new Date(createdAtMs).toISOString()}  ${type}  ${detailOf(data)}`.trimEnd())
        ).join("\n"),
    };
  },
});

export const workflow = group({
  verbs: {
    list,
    show,
    log,
    diff: lazy("Show the work of a workflow", async () => (await work()).diff),
    start: lazy(
      "Have a task worked on",
      async () => (await import("./task_work_verbs.ts")).startWorkflow,
    ),
    approve: lazy("Have the work of a workflow merged", async () => (await work()).approve),
    reject: lazy("Refuse the work of a workflow", async () => (await work()).reject),
    retry: lazy("Let a workflow go on that has stopped", async () => (await work()).retry),
    cancel: lazy("End a workflow for good", async () => (await work()).cancel),
    files: lazy("List the workflows that a task can get", async () => (await files()).files),
    preview: lazy("Show what a workflow would do", async () => (await files()).preview),
    match: lazy("Show which workflow a task gets", async () => (await files()).match),
  },
  examples: [
    "conclaude workflow list --status pending_merge",
    "conclaude workflow diff 1a2b3c4d",
    "conclaude workflow approve 1a2b3c4d",
  ],
});

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
  const tried = step === undefined || step.attempt <= 1 ? "" : ` (try ${step.attempt})`;
  return [
    step === undefined ? workflow?.decision : step.key + tried,
    outcome === null ? null : stepWord("finished", outcome),
    mergeCommit,
    told == null ? null : valueText(told),
    by === undefined ? null : `by ${by}`,
  ].filter((text) => text != null).join("  ");
}

import { needWorkflow } from "../../work/engine/requests.ts";
import { checkWord } from "../../work/task_input.ts";
import * as work from "../../work/store.ts";
import { isDaemonHere } from "../daemon_here.ts";
import { SHARED, wordsFlag, WORKFLOW } from "../flags.ts";
import { projectOfTasks, workflowIdOf } from "../work_lookup.ts";
import { shortTaskId, valueText, withTaskTitles } from "../task_view.ts";
import { listVerb, readVerb } from "../list_and_show.ts";
import { group, lazyFrom } from "../verb.ts";
import { statusText, stepWord, wholeWorkflow, workflowLines } from "../workflow_view.ts";

const files = lazyFrom(() => import("./workflow_files_verbs.ts"));
const tasks = lazyFrom(() => import("./task_work_verbs.ts"));
const acts = lazyFrom(() => import("./workflow_work_verbs.ts"));

const STATUSES = work.WORKFLOW_FIELDS.status;

const list = listVerb({
  flags: {
    status: wordsFlag(`Only with this status: ${STATUSES.join(", ")}; a comma is or`, "status"),
    allProjects: SHARED.allProjects,
    limit: SHARED.page,
  },
  name: "workflows",
  rows({ db, context }, flags, { limit }) {
    const statuses = flags.status?.map((one) =>
      checkWord(one, STATUSES, { what: "status", next: "conclaude workflow list --help" })
    ) ?? null;
    const project = projectOfTasks(context, flags);
    return withTaskTitles(db, work.listWorkflows(db, { statuses, project, limit }));
  },
  columns: {
    ID: (workflow) =>
      shortTaskId(workflow.id),
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
  run({ db, place, context }, _flags, name) {
    const row = needWorkflow(db, workflowIdOf(db, name));
    const workflow = wholeWorkflow(db, row, isDaemonHere(context, place));
    const task = work.readTask(db, row.taskId);
    const questionId = row.status !== "blocked" ? null : work.listQuestions(db, {
      statuses: ["pending"],
      workflowId: row.id,
    }).findLast(({ stepKey }) => stepKey === row.currentStep)?.id ?? null;
    return { json: { workflow }, text: workflowLines(workflow, { task, questionId }) };
  },
});

const log = readVerb({
  args: [WORKFLOW],
  run({ db }, _flags, text) {
    const { id } = needWorkflow(db, workflowIdOf(db, text));
    const events = work.listEvents(db, { entityId: id, limit: Number.MAX_SAFE_INTEGER });
    const lines = events.map(({ type, data, createdAtMs }) =>
      `${new Date(createdAtMs).toISOString()}  ${type}  ${detailOf(data)}`.trimEnd()
    );
    return {
      json: { workflowId: id, events, steps: work.listSteps(db, id) },
      text: events.length === 0 ? ["Nothing is kept of what happened in it."] : lines,
    };
  },
});

export const workflow = group({
  list,
  show,
  log,
  diff: acts("diff"),
  start: tasks("start"),
  approve: acts("approve"),
  reject: acts("reject"),
  retry: acts("retry"),
  cancel: acts("cancel"),
  files: files("files"),
  preview: files("preview"),
  match: files("match"),
});

/** Describes an event of a workflow: its step, outcome, reason and author. */
function detailOf(data: Readonly<Record<string, unknown>>): string {
  const { step, by, reason, mergeCommit, workflow } = data as {
    readonly step?: { key: string; attempt: number; outcome?: Parameters<typeof stepWord>[1] };
    readonly by?: string;
    readonly reason?: string;
    readonly mergeCommit?: string | null;
    readonly workflow?: { readonly reason?: string | null; readonly decision?: string | null };
  };
  const outcome = step?.outcome ?? null;
  const why = reason ?? outcome?.error ?? (step === undefined ? workflow?.reason : null);
  const tried = step === undefined || step.attempt <= 1 ? "" : ` (try ${step.attempt})`;
  return [
    step === undefined ? workflow?.decision : step.key + tried,
    outcome === null ? null : stepWord("finished", outcome),
    mergeCommit,
    why == null ? null : valueText(why),
    by === undefined ? null : `by ${by}`,
  ].filter((text) => text != null).join("  ");
}

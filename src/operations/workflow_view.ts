/** Shows workflows, and the changes in a working tree, to people and programs. */
import type { DatabaseSync } from "node:sqlite";
import { fitToColumns } from "../base/columns.ts";
import { plain } from "../base/plain.ts";
import { readPlan } from "../work/engine/advance.ts";
import { type StepView, viewSteps } from "../work/progress.ts";
import { actionsOf } from "../work/engine/requests.ts";
import type { Task } from "../work/task.ts";
import { listSteps, readTask, type WorkflowRow } from "../work/store.ts";
import { agoText } from "./list_and_show.ts";
import type { View } from "./verb.ts";
import { section, titledFacts } from "./table.ts";
import { nameOf, shortTaskId, valueText } from "./task_view.ts";
import { count } from "../base/counts.ts";
import type { Review } from "../system/git/merge.ts";
import type { CliContext } from "./context.ts";
import { nextHere } from "./next_command.ts";

/** Adds to a workflow its steps and its possible actions. */
export function wholeWorkflow(
  db: DatabaseSync,
  workflow: WorkflowRow,
  hasDaemon: boolean,
) {
  return {
    ...workflow,
    steps: viewSteps(readPlan(db, workflow.id).workflow, listSteps(db, workflow.id)),
    actions: actionsOf(workflow, hasDaemon),
  };
}

export function changedWorkflowView(
  db: DatabaseSync,
  workflow: WorkflowRow,
  { hasDaemon, text }: { readonly hasDaemon: boolean; readonly text: string },
): View {
  return {
    json: {
      workflow: wholeWorkflow(db, workflow, hasDaemon),
      task: readTask(db, workflow.taskId) ?? null,
    },
    text: [text],
  };
}

/** Formats a workflow as `1a2b3c4d (implement)`. */
export function workflowName({ id, name }: Pick<WorkflowRow, "id" | "name">): string {
  return `${shortTaskId(id)} (${name})`;
}

/** Formats a status as `pending_merge, approve recorded`. */
export function statusText({ status, decision }: WorkflowRow): string {
  return decision === null ? status : `${status}, ${decision} recorded`;
}

export function workflowLines(
  workflow: ReturnType<typeof wholeWorkflow>,
  { task, questionId }: {
    readonly task: Task | undefined;
    /** The question that the workflow waits for; null if it waits for none. */
    readonly questionId: string | null;
  },
): string[] {
  const facts = [
    ["id", workflow.id],
    ["task", task === undefined ? workflow.taskId : `${nameOf(task)} (${task.status})`],
    ["status", statusText(workflow)],
    ["reason", workflow.reason],
    ["worktree", workflow.worktree],
    ["branch", workflow.branch],
    ["merges into", workflow.baseBranch],
    ["merged as", workflow.mergeCommit],
    ["begun", agoText(workflow.createdAtMs)],
    ["changed", agoText(workflow.updatedAtMs)],
    ["asks", questionId && `conclaude question answer ${questionId} TEXT`],
    ["you can", workflow.actions.join(", ") || null],
  ] as const;
  return [
    workflow.name,
    ...titledFacts(facts),
    ...section("Steps", workflow.steps.map((step) => stepLine(step, workflow))),
  ];
}

/** The word for an unfinished step of a workflow that does not run. */
const AT_REST: Readonly<Partial<Record<WorkflowRow["status"], string>>> = {
  pending_merge: "review",
  blocked: "stopped",
};

/** Formats a step as `[done]     implement  agent`. */
function stepLine(
  { key, name, type, depth, outcome, attempts, status }: StepView,
  workflow: Pick<WorkflowRow, "status">,
): string {
  const word = (status === "running" ? AT_REST[workflow.status] : undefined) ??
    stepWord(status, outcome);
  const round = /#(\d+)\/[^/]+$/.exec(key)?.[1];
  const facts = [
    type,
    round === undefined ? null : `round ${round}`,
    attempts > 1 ? `try ${attempts}` : null,
    outcome?.error == null ? null : valueText(outcome.error),
  ].filter((text) => text !== null);
  return `${`[${word}]`.padEnd(10)} ${"  ".repeat(depth)}${name}  ${facts.join(", ")}`;
}

export function stepWord(status: StepView["status"], outcome: StepView["outcome"]): string {
  if (outcome === null) return status;
  if (outcome.skipped) return "skipped";
  return outcome.success ? "done" : outcome.action === "continue" ? "went on" : "stopped";
}

/** The length from which a diff is printed only on request, in characters. */
const MAX_DIFF_CHARS = 10_000;

/** @param whole The command that prints the whole diff; null to print it now. @param target The merge's target. */
export function reviewView(
  { globals }: CliContext,
  { files, diff, conflicts, ...review }: Review,
  { whole, target }: { readonly whole: string | null; readonly target: string },
): View {
  const added = files.reduce((total, file) => total + (file.added ?? 0), 0);
  const removed = files.reduce((total, file) => total + (file.removed ?? 0), 0);
  const summary = `${count(files.length, "file")} changed, +${added}/-${removed} lines`;
  return {
    json: { review: { ...review, summary, files, diff, conflicts } },
    quoted: true,
    text: [
      ...[
        ...files.map(({ path, added, removed }) =>
          `${added === null ? "binary" : `+${added}/-${removed}`}`.padEnd(12) + path
        ),
        summary,
        ...conflicts.length === 0 ? [] : [`Conflicts with ${target} in ${conflicts.join(", ")}`],
      ].map((line) => fitToColumns(plain(line), globals.columns)),
      ...diff === "" ? [] : [
        "",
        whole === null || diff.length < MAX_DIFF_CHARS
          ? diff.trimEnd().split("\n").map(plainLine).join("\n")
          : `The diff has ${diff.length} characters: ${nextHere(whole, globals)}`,
      ],
    ].join("\n"),
  };
}

/** Replaces control characters in a line of a diff, except tabs. */
function plainLine(line: string): string {
  return line.split("\t").map(plain).join("\t");
}

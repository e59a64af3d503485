/** Workflows, familiars (agents) and questions of the older daemon, in our words. */
import { isMapping } from "../field_reader.ts";
import type { StepOutcome } from "../progress.ts";
import type { Step } from "../workflow.ts";
import { OldRecord } from "./old_record.ts";

/** A step that a workflow of old had done. */
export interface OldStep {
  readonly name: string;
  readonly type: Step["type"] | null;
  readonly outcome: StepOutcome;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** A workflow as the older daemon kept it. */
export interface OldWorkflow {
  readonly id: string;
  readonly taskId: string;
  readonly name: string;
  /** As it is written there. */
  readonly status: string;
  /** A name, or a number that counts from 0. */
  readonly currentStep: string | null;
  readonly steps: readonly OldStep[];
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly baseBranch: string | null;
  readonly error: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** A familiar as the older daemon kept it. */
export interface OldAgent {
  readonly id: string;
  readonly taskId: string | null;
  readonly name: string;
  readonly status: string;
  readonly pid: number | null;
  readonly command: readonly string[];
  readonly worktree: string | null;
  readonly outputFile: string | null;
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** A question as the older daemon kept it. */
export interface OldQuestion {
  readonly id: string;
  readonly taskId: string | null;
  readonly type: "confirmation" | "permission" | "choice" | "input";
  readonly text: string;
  readonly options: readonly string[];
  readonly answer: string | null;
  readonly answeredBy: string | null;
  readonly askedAtMs: number | null;
  readonly answeredAtMs: number | null;
}

/** @param id The id where the record has none of its own. @returns A sentence when it is none. */
export function readOldWorkflow(record: OldRecord, id: string | null): OldWorkflow | string {
  const taskId = record.text("task_id", "taskId", "bead_id", "beadId") ?? id;
  const own = record.text("workflow_id", "workflowId", "id") ?? id ?? taskId;
  if (own === null || taskId === null) return "it names no task";
  return {
    id: own,
    taskId,
    name: record.text("grimoire_name", "grimoireName", "grimoire", "name") ?? "unknown",
    status: statusOf(record),
    currentStep: record.text("current_step", "currentStep"),
    steps: stepsOf(
      record.value("completed_steps", "completedSteps", "step_results", "stepResults", "steps"),
    ),
    worktree: record.text("worktree_path", "worktreePath", "worktree"),
    branch: record.text("branch", "branch_name", "branchName"),
    baseBranch: record.text("base_branch", "baseBranch"),
    error: record.text("error", "reason"),
    startedAtMs: record.time("started_at", "startedAt", "created_at", "createdAt"),
    endedAtMs: record.time(
      ...["completed_at", "completedAt", "ended_at", "endedAt", "updated_at", "updatedAt"],
    ),
  };
}

/** @param id The id where the record has none of its own. @returns A sentence when it is none. */
export function readOldAgent(record: OldRecord, id: string | null): OldAgent | string {
  const taskId = record.text("task_id", "taskId");
  const step = record.text("step_task_id", "stepTaskId", "process_id", "processId");
  const own = record.text("id") ?? step ?? id ?? taskId;
  if (own === null) return "it names no task";
  return {
    id: own,
    taskId: taskOfStep(taskId ?? own),
    name: record.text("step_name", "stepName", "step", "name") ?? /step-\d+$/.exec(own)?.[0] ??
      "agent",
    status: statusOf(record),
    pid: record.integer("pid"),
    command: commandOf(record),
    worktree: record.text("worktree", "worktree_path", "worktreePath"),
    outputFile: record.text("output_file", "outputFile"),
    exitCode: record.integer("exit_code", "exitCode"),
    error: record.text("error"),
    startedAtMs: record.time("started_at", "startedAt", "created_at", "createdAt"),
    endedAtMs: record.time(
      ...["ended_at", "endedAt", "completed_at", "completedAt", "updated_at", "updatedAt"],
    ),
  };
}

/** The task of a step: some records name the step's own id where the task's belongs. */
function taskOfStep(id: string): string {
  return id.replace(/-step-\d+$/, "");
}

/** The design's words beside those of the running program. */
const QUESTION_TYPES: Readonly<Record<string, OldQuestion["type"]>> = {
  confirmation: "confirmation",
  permission: "permission",
  choice: "choice",
  decision: "choice",
  input: "input",
  clarification: "input",
  blocked: "input",
};

/** @param id The id where the record has none of its own. @returns A sentence when it is none. */
export function readOldQuestion(record: OldRecord, id: string | null): OldQuestion | string {
  const own = record.text("id", "question_id", "questionId") ?? id;
  const text = record.text("text", "question", "message");
  if (own === null) return "it has no id";
  if (text === null) return "it asks nothing";
  const asker = record.text("task_id", "taskId", "agent_id", "agentId");
  // What we know by the status is known by the answer as well.
  record.value("status");
  return {
    id: own,
    taskId: asker === null ? null : taskOfStep(asker),
    type: QUESTION_TYPES[record.text("type", "question_type")?.toLowerCase() ?? ""] ?? "input",
    text,
    options: record.texts("options", "choices"),
    answer: record.text("answer", "response"),
    answeredBy: record.text("answered_by", "answeredBy"),
    askedAtMs: record.time("asked_at", "askedAt", "created_at", "createdAt"),
    answeredAtMs: record.time("answered_at", "answeredAt"),
  };
}

function statusOf(record: OldRecord): string {
  return (record.text("status", "state") ?? "running").toLowerCase().replace(/[\s-]+/g, "_");
}

/** A list of words, or a program with a list of arguments beside it. */
function commandOf(record: OldRecord): string[] {
  return [...record.texts("command"), ...record.texts("args", "arguments")];
}

const STEP_TYPES: readonly Step["type"][] = ["agent", "script", "loop", "merge"];

/** A list of results with names, or a mapping of names to results. */
function stepsOf(value: unknown): OldStep[] {
  const named: [string | null, unknown][] = Array.isArray(value)
    ? value.map((one) => [null, one])
    : isMapping(value)
    ? Object.entries(value)
    : [];
  return named.flatMap(([name, one]) => isMapping(one) ? stepOf(name, new OldRecord(one)) : []);
}

function stepOf(key: string | null, record: OldRecord): OldStep[] {
  const name = record.text("name", "step", "step_name", "stepName") ?? key;
  const status = record.text("status")?.toLowerCase() ?? null;
  const said = record.truth("success");
  // A step that is only planned, or was being run, has come to nothing.
  if (name === null || (said === null && !["completed", "failed", "skipped"].includes(status!))) {
    return [];
  }
  const type = record.text("type");
  return [{
    name,
    type: STEP_TYPES.find((known) => known === type) ?? null,
    outcome: {
      success: said ?? status !== "failed",
      skipped: record.truth("skipped") ?? status === "skipped",
      output: record.text("output") ?? "",
      outputs: {},
      exitCode: record.integer("exit_code", "exitCode"),
      error: record.text("error"),
      action: ACTIONS.find((known) => known === record.text("action")) ?? "continue",
    },
    startedAtMs: record.time("started_at", "startedAt"),
    endedAtMs: record.time("completed_at", "completedAt", "ended_at", "endedAt"),
  }];
}

const ACTIONS: readonly StepOutcome["action"][] = ["continue", "exit_loop", "block", "fail"];

/** What workflows and familiars of the older daemon become: history. Nothing of them is ever started. */
import type { Workflow } from "../workflow.ts";
import type { OldAgent, OldStep, OldWorkflow } from "./old_runs.ts";

/** A step as it is to be written. */
export interface PlannedStep extends OldStep {
  readonly type: NonNullable<OldStep["type"]>;
  /** From 1; only the last try of a step counts. */
  readonly attempt: number;
  readonly isLast: boolean;
}

/** A workflow as it is to be written, still with the ids of old. */
export interface PlannedWorkflow {
  readonly old: OldWorkflow;
  readonly status: "completed" | "cancelled";
  readonly reason: string | null;
  readonly currentStep: string | null;
  /** Only what it has done is known of its steps. */
  readonly definition: { readonly workflow: Workflow; readonly prompts: Record<string, string> };
  readonly steps: readonly PlannedStep[];
}

/** An agent as it is to be written, still with the ids of old. */
export interface PlannedAgent {
  readonly old: OldAgent;
  readonly status: "completed" | "failed" | "killed";
  readonly error: string | null;
}

/**
 * Plans a workflow. One that had not ended is over: its steps belong to a program that does not run any more.
 *
 * @param typesOf The types of steps by name, as far as the file of the workflow tells.
 */
export function planWorkflow(
  old: OldWorkflow,
  typesOf: (workflow: string) => ReadonlyMap<string, PlannedStep["type"]>,
): PlannedWorkflow {
  const types = typesOf(old.name);
  const tries = new Map<string, number>();
  const all = old.steps.map((step) => {
    const attempt = (tries.get(step.name) ?? 0) + 1;
    tries.set(step.name, attempt);
    return { ...step, attempt, type: step.type ?? types.get(step.name) ?? "script" };
  });
  const steps = all.map((step) => ({ ...step, isLast: tries.get(step.name) === step.attempt }));
  const isCompleted = old.status === "completed";
  const [was, at] = [old.status.replaceAll("_", " "), currentStepOf(old, [...types.keys()])];
  return {
    old,
    status: isCompleted ? "completed" : "cancelled",
    reason: isCompleted ? null : old.status === "cancelled" ? old.error : [
      `imported: it was ${was}${at === null ? "" : ` at step ${at}`}`,
      ...old.error === null ? [] : [old.error],
    ].join(": "),
    currentStep: isCompleted ? null : at,
    definition: {
      workflow: {
        name: old.name,
        description: "Taken over from the older daemon: only the steps that it had done.",
        timeoutMs: null,
        steps: steps.filter(({ isLast }) => isLast).map(stepOf),
      },
      prompts: {},
    },
    steps,
  };
}

/** The older daemon counts steps from 0. */
function currentStepOf({ currentStep }: OldWorkflow, names: readonly string[]): string | null {
  if (currentStep === null || !/^\d+$/.test(currentStep)) return currentStep;
  return names[Number(currentStep)] ?? `${Number(currentStep) + 1}`;
}

function stepOf({ name, type }: PlannedStep): Workflow["steps"][number] {
  const common = { name, when: null, timeoutMs: null, output: null };
  switch (type) {
    case "agent":
      return { ...common, type, prompt: "", input: {} };
    case "script":
      return {
        ...common,
        type,
        command: "",
        onFail: "block",
        exitLoopOnSuccess: false,
        env: {},
        workdir: null,
      };
    case "loop":
      return { ...common, type, steps: [], maxIterations: 1, onMaxIterations: "block" };
    case "merge":
      return { ...common, type, requireReview: true, commitMessage: null, preMerge: [] };
  }
}

/** Plans an agent. One that had not ended has failed, as far as we can know: its process is none of ours. */
export function planAgent(old: OldAgent): PlannedAgent {
  const status = old.status === "completed" || old.status === "killed" ? old.status : "failed";
  const isOver = old.status === "failed" || status !== "failed";
  const process = old.pid === null ? "" : ` as process ${old.pid}`;
  return {
    old,
    status,
    error: isOver
      ? old.error
      : `imported: it was ${old.status}${process}${old.error === null ? "" : `: ${old.error}`}`,
  };
}

/** The steps of a workflow as people see them: in the order of its file, with what became of each. */
import type { StepOutcome } from "../progress.ts";
import type { Step } from "../workflow.ts";
import type { StepRow } from "../workflows_table.ts";
import type { Plan } from "./advance.ts";

/** A step, or one round of it in a loop. */
export interface StepView {
  readonly key: string;
  readonly name: string;
  readonly type: Step["type"];
  /** How many loops it lies in. */
  readonly depth: number;
  /** `pending` also when it is to run again. */
  readonly status: "pending" | "running" | "finished";
  readonly attempts: number;
  /** The outcome of the newest attempt; null while there is none. */
  readonly outcome: StepOutcome | null;
  readonly agentId: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Joins the steps of a plan with what was run. Lists each round of a loop that was begun; without one, the first. */
export function viewSteps({ workflow }: Plan, rows: readonly StepRow[]): StepView[] {
  const tries = Map.groupBy(rows, ({ key }) => key);
  const walk = (steps: readonly Step[], prefix: string, depth: number): StepView[] =>
    steps.flatMap((step) => {
      const key = prefix + step.name;
      const view = viewStep(step, { key, depth, tries: tries.get(key) ?? [] });
      if (step.type !== "loop") return [view];
      const rounds = Math.max(1, ...rows.map((row) => roundIn(row.key, `${key}#`)));
      const below = Array.from({ length: rounds }, (_, index) => {
        const views = walk(step.steps, `${key}#${index + 1}/`, depth + 1);
        const isOver = view.status === "finished" || index + 1 < rounds;
        // The rest of a round that was left will not run.
        return isOver ? views.filter(({ attempts }) => attempts > 0) : views;
      });
      return [view, ...below.flat()];
    });
  return walk(workflow.steps, "", 0);
}

function viewStep(
  { name, type }: Step,
  { key, depth, tries }: {
    readonly key: string;
    readonly depth: number;
    readonly tries: readonly StepRow[];
  },
): StepView {
  const last = tries.toSorted((a, b) => a.attempt - b.attempt).at(-1);
  const counts = last !== undefined && last.status !== "superseded";
  return {
    key,
    name,
    type,
    depth,
    status: last === undefined || last.status === "superseded" ? "pending" : last.status,
    attempts: tries.length,
    outcome: counts ? last.outcome as StepOutcome | null : null,
    agentId: last?.agentId ?? null,
    startedAtMs: last?.startedAtMs ?? null,
    endedAtMs: last?.endedAtMs ?? null,
  };
}

/** The number of the round that a key lies in; 0 for one that lies elsewhere. */
function roundIn(key: string, beginning: string): number {
  return key.startsWith(beginning) ? Number.parseInt(key.slice(beginning.length)) : 0;
}

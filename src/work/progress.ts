/**
 * Decides what comes next in a workflow. Only the records of finished steps are stored: the engine walks the workflow
 * from the top, and the first step without a record is next. So after a crash only the unfinished step runs again, and
 * a retry is a walk without the records of the steps that stopped the workflow.
 */
import { constants } from "node:os";
import { count } from "../base/counts.ts";
import type { Agent } from "./agents_table.ts";
import { evaluateWhen } from "./render_step.ts";
import { readContract } from "./agent_text.ts";
import { type TaskFacts, taskValue } from "./task.ts";
import type { TemplateContext, TemplateValue } from "./template_syntax.ts";
import type { AgentStep, LoopStep, MergeStep, ScriptStep, Step, Workflow } from "./workflow.ts";
import type { StepOutcome, StepRow } from "./workflows_table.ts";

/**
 * An attempt of a step. Its key is the step's name, such as `implement`; in loops `quality-loop#2/run-tests`, with
 * rounds from 1. Loops have records too.
 */
export type StepRecord = Pick<StepRow, "key" | "attempt" | "status" | "outcome">;

export type Move =
  | {
    readonly kind: "run";
    readonly step: AgentStep | ScriptStep | MergeStep;
    readonly key: string;
    readonly attempt: number;
    readonly context: TemplateContext;
  }
  /** Nothing runs: a skipped step, a finished loop, a wrong `when`. The caller stores the record, and asks again. */
  | ({ readonly kind: "record" } & Pick<StepRow, "key" | "attempt"> & Finished)
  | { readonly kind: "blocked"; readonly key: string; readonly reason: string }
  | { readonly kind: "failed"; readonly key: string; readonly reason: string }
  | { readonly kind: "completed" };

interface Finished {
  readonly attempt: number;
  readonly outcome: StepOutcome;
}

/**
 * Returns the next move of a workflow; while a step runs, that step again. The same arguments always give the same move.
 * @param steps All attempts, in any order. The latest finished attempt of each key counts.
 */
export function nextMove(
  workflow: Workflow,
  steps: readonly StepRecord[],
  task: TaskFacts,
): Move {
  const end = new Walk(steps, task).walk(workflow.steps, "");
  return typeof end === "object" ? end : { kind: "completed" };
}

/** Tells whether a retry sets an attempt aside: a step that did not finish, or stopped the workflow. */
export function runsAnew({ status, outcome }: StepRecord): boolean {
  return status === "running" || status === "finished" && stops(outcome!);
}

type End = Move | "done" | "exit_loop";

class Walk {
  /** The latest finished attempt of each key. */
  readonly #finished = new Map<string, Finished>();
  /** The highest attempt of each key, including those that a retry has set aside. */
  readonly #attempts = new Map<string, number>();
  readonly #values = new Map<string, TemplateValue>();
  readonly #task: TemplateValue;
  #previous: TemplateValue = NOTHING_BEFORE;
  #lastOutput = "";

  constructor(steps: readonly StepRecord[], task: TaskFacts) {
    for (const { key, attempt, status, outcome } of steps.toSorted(byAttempt)) {
      if (status === "running") continue;
      this.#attempts.set(key, attempt);
      if (status === "finished") this.#finished.set(key, { attempt, outcome: outcome! });
    }
    this.#task = taskValue(task);
  }

  /** Walks steps. @param prefix The loop and the round at the beginning of the steps' keys. */
  walk(steps: readonly Step[], prefix: string): End {
    for (const step of steps) {
      const end = this.#visit(step, prefix + step.name);
      if (typeof end === "object") return end;
      // Outside of a loop, `exit_loop` has no effect.
      if (end === "exit_loop" && prefix !== "") return end;
    }
    return "done";
  }

  #visit(step: Step, key: string): End {
    const record = this.#finished.get(key);
    if (record === undefined) return this.#begin(step, key);
    const { outcome, attempt } = record;
    if (stops(outcome)) {
      const reason = outcome.error ?? "no reason was given";
      return { kind: outcome.action === "block" ? "blocked" : "failed", key, reason };
    }
    // Later steps also see the values of the steps in the loop.
    if (step.type === "loop" && !outcome.skipped) this.#walkRounds(step, key, attempt);
    this.#remember(step, outcome);
    return outcome.action === "exit_loop" ? "exit_loop" : "done";
  }

  #begin(step: Step, key: string): Move {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    const record = (outcome: StepOutcome) => ({ kind: "record" as const, key, attempt, outcome });
    const context = this.#context();
    const when = evaluateWhen(step.when, context);
    if ("error" in when) return record(failure(when.error, "fail"));
    if (!when.run) return record(SKIPPED);
    if (step.type !== "loop") return { kind: "run", step, key, attempt, context };
    const end = this.#walkRounds(step, key, attempt);
    if ("kind" in end) return end;
    const outputs = { iterations: end.iterations };
    const outcome = end.left ? DONE : limitOutcome(step, end.iterations);
    return record({ ...outcome, output: this.#lastOutput, outputs });
  }

  /** Walks the rounds of a loop. Each attempt adds the loop's limit of rounds. */
  #walkRounds(
    step: LoopStep,
    key: string,
    attempt: number,
  ): Move | { readonly left: boolean; readonly iterations: number } {
    const limit = step.maxIterations * attempt;
    for (let iteration = 1; iteration <= limit; iteration++) {
      this.#values.set(step.name, { iteration });
      const end = this.walk(step.steps, `${key}#${iteration}/`);
      if (typeof end === "object") return end;
      if (end === "exit_loop") return { left: true, iterations: iteration };
    }
    return { left: false, iterations: limit };
  }

  #remember(step: Step, outcome: StepOutcome): void {
    const value = outcomeValue(step, outcome);
    this.#previous = value;
    this.#lastOutput = outcome.output;
    this.#values.set(step.name, value);
    if (step.output === null) return;
    // A skipped step does not change its variable, but sets it when it has no value.
    if (outcome.skipped && step.output !== step.name && this.#values.has(step.output)) return;
    this.#values.set(step.output, variableValue(outcome));
  }

  #context(): TemplateContext {
    return {
      ...Object.fromEntries(this.#values),
      previous: this.#previous,
      task: this.#task,
      bead: this.#task,
    };
  }
}

function stops({ action }: StepOutcome): boolean {
  return action === "block" || action === "fail";
}

const DONE: StepOutcome = {
  success: true,
  skipped: false,
  output: "",
  outputs: {},
  exitCode: null,
  error: null,
  action: "continue",
};

const SKIPPED: StepOutcome = { ...DONE, skipped: true };

/** Returns the outcome of a step that has failed, or could not run. @param action The effect on the workflow. */
export function failure(error: string, action: StepOutcome["action"]): StepOutcome {
  return { ...DONE, success: false, error, action };
}

export function mergedOutcome(commit: string): StepOutcome {
  return { ...DONE, output: commit, outputs: { commit } };
}

function limitOutcome({ name, onMaxIterations }: LoopStep, iterations: number): StepOutcome {
  const error = `loop "${name}" reached its limit of ${count(iterations, "iteration")}`;
  if (onMaxIterations === "continue") return DONE;
  return failure(error, onMaxIterations === "block" ? "block" : "continue");
}

export interface ProcessEnd {
  /** The exit code that the agent's shell wrote; null when the shell did not get that far. */
  readonly code: number | null;
  readonly timedOut: boolean;
  /** Why it was killed; null when nobody asked for that. */
  readonly killed: string | null;
  /** A fault that the exit code does not show; null when there is none. */
  readonly fault: string | null;
}

/** The base of exit codes for signals: a code above it means a signal. */
export const BY_SIGNAL = 128;

/** Names the signal of a shell's exit code, 128 plus its number. Without a code, the shell itself was killed. */
function signalOf(code: number | null): string | null {
  if (code === null) return "SIGKILL";
  const found = Object.entries(constants.signals).find(([, number]) => number === code - BY_SIGNAL);
  return found?.[0] ?? null;
}

/** Words the end of a process. `wasStopped`: something ended it before it came to its own end. */
export function wordEnd(kind: Agent["kind"], { code, timedOut, killed, fault }: ProcessEnd) {
  const signal = signalOf(code);
  const wasStopped = timedOut || killed !== null || signal !== null;
  const words = (status: "completed" | "failed" | "killed", error: string | null) => {
    return { status, error, wasStopped };
  };
  if (timedOut) return words("failed", "execution timed out");
  if (killed !== null) return words("killed", `killed: ${killed}`);
  if (fault !== null) return words("failed", fault);
  if (signal !== null) return words("killed", `${kind} was ended by ${signal}`);
  return code === 0
    ? words("completed", null)
    : words("failed", `${kind} exited with code ${code}`);
}

/** Returns the outcome of a script. A failure waits for a person unless the step says to go on. */
export function outcomeOfScript(
  { onFail, exitLoopOnSuccess }: Pick<ScriptStep, "onFail" | "exitLoopOnSuccess">,
  end: ProcessEnd,
  output: string,
): StepOutcome {
  const { error } = wordEnd("script", end);
  const ended = { ...DONE, output: output.trimEnd(), exitCode: end.code };
  if (error === null) return { ...ended, action: exitLoopOnSuccess ? "exit_loop" : "continue" };
  return { ...ended, success: false, error, action: end.killed === null ? onFail : "block" };
}

/**
 * Returns the outcome of an agent. Its contract counts more than its exit code, unless the agent was stopped. An agent
 * that ends with a question waits for a person.
 */
export function outcomeOfAgent(
  end: ProcessEnd,
  { text, asks }: { readonly text: string; readonly asks: boolean },
): StepOutcome {
  const contract = readContract(text);
  const { error: failed, wasStopped } = wordEnd("agent", end);
  const outputs = contract?.outputs ?? {};
  const ended = { ...DONE, output: text.trimEnd(), outputs, exitCode: end.code };
  let error = wasStopped || contract === null ? failed : null;
  if (error === null && contract !== null && !contract.success) {
    error = contract.error ?? contract.summary ?? "the agent says that it has not succeeded";
  }
  if (error === null && contract === null && asks) {
    error = "the agent has asked a question, and waits for an answer";
  }
  return error === null ? ended : { ...ended, success: false, error, action: "block" };
}

const NOTHING_BEFORE = { success: true, failed: false, skipped: false, output: "", exit_code: 0 };

function outcomeValue(step: Step, outcome: StepOutcome): TemplateValue {
  const { success, skipped, output, outputs, exitCode, error } = outcome;
  return {
    success,
    failed: !success,
    skipped,
    output,
    exit_code: exitCode,
    error,
    outputs: outputs as TemplateValue,
    summary: (step.type === "agent" ? readContract(output)?.summary : null) ?? output,
    ...(step.type === "loop" ? { iteration: outputs.iterations as number ?? 0 } : {}),
  };
}

/** Returns the value of a step's `output` variable: the outputs of a contract, else the printed text. */
function variableValue(outcome: StepOutcome): TemplateValue {
  const hasOutputs = Object.keys(outcome.outputs).length > 0;
  return hasOutputs ? outcome.outputs as TemplateValue : outcome.output;
}

/** A step, or one round of it in a loop. */
export interface StepView
  extends Pick<StepRow, "key" | "type" | "outcome" | "agentId" | "endedAtMs"> {
  readonly name: string;
  /** The number of loops around the step. */
  readonly depth: number;
  /** A step that will run again is `pending`, too. */
  readonly status: "pending" | "running" | "finished";
  readonly attempts: number;
  readonly startedAtMs: number | null;
}

function byAttempt(a: StepRecord, b: StepRecord): number {
  return a.attempt - b.attempt;
}

/** Joins the steps of a plan with their attempts. Lists the begun rounds of a loop, or its first round. */
export function viewSteps(workflow: Workflow, rows: readonly StepRow[]): StepView[] {
  const attempts = Map.groupBy(rows.toSorted(byAttempt), ({ key }) => key);
  const walk = (steps: readonly Step[], prefix: string, depth: number): StepView[] =>
    steps.flatMap((step) => {
      const { name, type } = step;
      const key = prefix + name;
      const tries = attempts.get(key) ?? [];
      const last = tries.at(-1);
      const status = last === undefined || last.status === "superseded" ? "pending" : last.status;
      const view: StepView = {
        key,
        name,
        type,
        depth,
        status,
        attempts: tries.length,
        outcome: status === "pending" ? null : last!.outcome,
        agentId: last?.agentId ?? null,
        startedAtMs: last?.startedAtMs ?? null,
        endedAtMs: last?.endedAtMs ?? null,
      };
      if (type !== "loop") return [view];
      const rounds = Math.max(1, ...rows.map((row) => roundIn(row.key, `${key}#`)));
      const below = Array.from({ length: rounds }, (_, index) => {
        const views = walk(step.steps, `${key}#${index + 1}/`, depth + 1);
        const isOver = status === "finished" || index + 1 < rounds;
        // A finished round will not run its remaining steps.
        return isOver ? views.filter(({ attempts }) => attempts > 0) : views;
      });
      return [view, ...below.flat()];
    });
  return walk(workflow.steps, "", 0);
}

/** Returns the number of the round that a key lies in; 0 for a key elsewhere. */
function roundIn(key: string, beginning: string): number {
  return key.startsWith(beginning) ? Number.parseInt(key.slice(beginning.length)) : 0;
}

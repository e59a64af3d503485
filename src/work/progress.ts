/**
 * Decides what comes next in a workflow. Only the records of finished steps are stored: the engine walks the workflow
 * from the top, and the first step without a record is next. So after a crash only the unfinished step runs again, and
 * a retry is a walk without the records of the steps that stopped the workflow.
 */
import { count } from "../base/counts.ts";
import { evaluateWhen } from "./render_step.ts";
import { readContract } from "./agent_text.ts";
import { type TaskFacts, taskValue } from "./task.ts";
import type { TemplateContext, TemplateValue } from "./template_syntax.ts";
import type { AgentStep, LoopStep, MergeStep, ScriptStep, Step, Workflow } from "./workflow.ts";
import type { StepRow } from "./workflows_table.ts";

export interface StepOutcome {
  readonly success: boolean;
  /** Whether the step did not run because its `when` was false. */
  readonly skipped: boolean;
  readonly output: string;
  /** The outputs of an agent's contract, `iterations` of a loop, or `commit` of a merge. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly exitCode: number | null;
  readonly error: string | null;
  /** The effect on the workflow: `block` lets it wait for a person, `fail` ends it. */
  readonly action: "continue" | "exit_loop" | "block" | "fail";
}

export interface StepRecord {
  /** The step, such as `implement`; in loops `quality-loop#2/run-tests`, with rounds from 1. Loops have records too. */
  readonly key: string;
  readonly attempt: number;
  readonly outcome: StepOutcome;
}

export type Move =
  | {
    readonly kind: "run";
    readonly step: AgentStep | ScriptStep | MergeStep;
    readonly key: string;
    readonly attempt: number;
    readonly context: TemplateContext;
  }
  /** Nothing runs: a skipped step, a finished loop, a wrong `when`. The caller stores the record, and asks again. */
  | ({ readonly kind: "record" } & StepRecord)
  | { readonly kind: "blocked"; readonly key: string; readonly reason: string }
  | { readonly kind: "failed"; readonly key: string; readonly reason: string }
  | { readonly kind: "completed" };

interface ProgressBase {
  readonly task: TaskFacts;
  /** The highest attempt of each key, including records that a retry has set aside. */
  readonly attempts?: ReadonlyMap<string, number>;
}

/**
 * Returns the next move of a workflow. The same arguments always give the same move.
 * @param records The records of finished steps, in any order, without those that a retry has set aside (`keysToRetry`).
 * The latest attempt of each key counts.
 */
export function nextMove(
  workflow: Workflow,
  records: readonly StepRecord[],
  base: ProgressBase,
): Move {
  const end = new Walk(records, base).walk(workflow.steps, "");
  return typeof end === "object" ? end : { kind: "completed" };
}

/**
 * Returns the keys whose records a retry sets aside: the steps that stopped the workflow. A loop at its limit gets as
 * many rounds again.
 */
export function keysToRetry(records: readonly StepRecord[]): string[] {
  return records.filter(({ outcome }) => stops(outcome)).map(({ key }) => key);
}

type End = Move | "done" | "exit_loop";

class Walk {
  readonly #records = new Map<string, StepRecord>();
  readonly #attempts: ReadonlyMap<string, number>;
  readonly #values = new Map<string, TemplateValue>();
  readonly #task: TemplateValue;
  #previous: TemplateValue = NOTHING_BEFORE;
  #lastOutput = "";

  constructor(records: readonly StepRecord[], { task, attempts = new Map() }: ProgressBase) {
    for (const record of records) {
      const other = this.#records.get(record.key);
      if (other === undefined || other.attempt <= record.attempt) {
        this.#records.set(record.key, record);
      }
    }
    this.#attempts = attempts;
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
    const record = this.#records.get(key);
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
    const context = this.#context();
    const when = evaluateWhen(step.when, context);
    if ("error" in when) {
      return { kind: "record", key, attempt, outcome: failedOutcome(when.error) };
    }
    if (!when.run) return { kind: "record", key, attempt, outcome: SKIPPED };
    if (step.type !== "loop") return { kind: "run", step, key, attempt, context };
    const end = this.#walkRounds(step, key, attempt);
    if ("kind" in end) return end;
    const outputs = { iterations: end.iterations };
    const outcome = end.left ? DONE : limitOutcome(step, end.iterations);
    return {
      kind: "record",
      key,
      attempt,
      outcome: { ...outcome, output: this.#lastOutput, outputs },
    };
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

/** Returns the outcome of a step whose template or `when` is wrong: the workflow has failed. */
export function failedOutcome(error: string): StepOutcome {
  return { ...DONE, success: false, error, action: "fail" };
}

/** Returns the outcome of a step that waits for a person, such as a rejected merge. */
export function blockedOutcome(error: string): StepOutcome {
  return { ...DONE, success: false, error, action: "block" };
}

/** Returns the outcome of a script that could not run; its step names the action. */
export function unrunOutcome({ onFail }: Pick<ScriptStep, "onFail">, error: string): StepOutcome {
  return { ...DONE, success: false, error, action: onFail };
}

export function mergedOutcome(commit: string): StepOutcome {
  return { ...DONE, output: commit, outputs: { commit } };
}

function limitOutcome({ name, onMaxIterations }: LoopStep, iterations: number): StepOutcome {
  const error = `loop "${name}" reached its limit of ${count(iterations, "iteration")}`;
  if (onMaxIterations === "block") return blockedOutcome(error);
  return onMaxIterations === "exit" ? { ...DONE, success: false, error } : DONE;
}

export interface ProcessEnd {
  /** The exit code; null when a signal has ended the process. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly signal: string | null;
}

/** Returns the outcome of a script. A failure waits for a person unless the step says to go on. */
export function outcomeOfScript(
  step: Pick<ScriptStep, "onFail" | "exitLoopOnSuccess">,
  end: ProcessEnd & { readonly output: string },
): StepOutcome {
  const error = errorOf("script", end);
  const output = end.output.trimEnd();
  const ended = { ...DONE, output, exitCode: end.exitCode, success: error === null, error };
  if (error !== null) return { ...ended, action: step.onFail };
  return { ...ended, action: step.exitLoopOnSuccess ? "exit_loop" : "continue" };
}

/**
 * Returns the outcome of an agent. Its contract counts more than its exit code, unless the agent was stopped. An agent
 * that ends with a question waits for a person.
 */
export function outcomeOfAgent(
  end: ProcessEnd & {
    readonly text: string;
    readonly question: boolean;
  },
): StepOutcome {
  const contract = readContract(end.text);
  const wasStopped = end.timedOut || end.signal !== null;
  const ended = {
    ...DONE,
    output: end.text.trimEnd(),
    outputs: contract?.outputs ?? {},
    exitCode: end.exitCode,
  };
  let error = wasStopped || contract === null ? errorOf("agent", end) : null;
  if (error === null && contract !== null && !contract.success) {
    error = contract.error ?? contract.summary ?? "the agent says that it has not succeeded";
  }
  if (error === null && contract === null && end.question) {
    error = "the agent has asked a question, and waits for an answer";
  }
  return error === null ? ended : { ...ended, success: false, error, action: "block" };
}

function errorOf(what: string, { exitCode, timedOut, signal }: ProcessEnd): string | null {
  if (timedOut) return "execution timed out";
  if (signal !== null) return `${what} was ended by ${signal}`;
  if (exitCode === null) return `${what} has no exit code`;
  return exitCode === 0 ? null : `${what} exited with code ${exitCode}`;
}

/** The value of `previous` before any step has run. */
const NOTHING_BEFORE = { success: true, failed: false, skipped: false, output: "", exit_code: 0 };

/** Returns a finished step as templates see it. */
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
export interface StepView {
  readonly key: string;
  readonly name: string;
  readonly type: Step["type"];
  /** The number of loops around the step. */
  readonly depth: number;
  /** A step that will run again is `pending`, too. */
  readonly status: "pending" | "running" | "finished";
  readonly attempts: number;
  /** The outcome of the newest attempt; null while that attempt has none. */
  readonly outcome: StepOutcome | null;
  readonly agentId: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Joins the steps of a plan with their attempts. Lists the begun rounds of a loop, or its first round. */
export function viewSteps(workflow: Workflow, rows: readonly StepRow[]): StepView[] {
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
        // A finished round will not run its remaining steps.
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

/** Returns the number of the round that a key lies in; 0 for a key elsewhere. */
function roundIn(key: string, beginning: string): number {
  return key.startsWith(beginning) ? Number.parseInt(key.slice(beginning.length)) : 0;
}

/** Workflows as the rest of the program has them, after `workflow_file.ts` has read and judged their file. */

/** What every step has. */
interface CommonStep {
  /** Unique in the whole workflow, also over its loops. Letters, digits, `-` and `_`. */
  readonly name: string;
  /** Null: it always runs. */
  readonly when: string | null;
  /** Null: the default of its type. */
  readonly timeoutMs: number | null;
  /** The variable that later steps find the result in; null: only under the step's own name. */
  readonly output: string | null;
}

/** A step that an agent does. */
export interface AgentStep extends CommonStep {
  readonly type: "agent";
  /** The prompt itself when it holds a line break, else the name of a prompt. */
  readonly prompt: string;
  /** Templates of values that the prompt finds by these names. */
  readonly input: Readonly<Record<string, string>>;
}

/** A step that a shell does. */
export interface ScriptStep extends CommonStep {
  readonly type: "script";
  readonly command: string;
  readonly onFail: "block" | "continue";
  readonly exitLoopOnSuccess: boolean;
  /** Templates of environment variables; a value needs no quotes there. */
  readonly env: Readonly<Record<string, string>>;
  /** Template of a folder below the worktree; null: the worktree itself. */
  readonly workdir: string | null;
}

/** Steps that are repeated. */
export interface LoopStep extends CommonStep {
  readonly type: "loop";
  readonly steps: readonly LoopedStep[];
  /** 1 and up. */
  readonly maxIterations: number;
  /**
   * What becomes of a loop that nothing has left: the workflow waits for a person; it goes on and the loop counts as
   * failed (`exit`); it goes on and the loop counts as done (`continue`).
   */
  readonly onMaxIterations: "block" | "exit" | "continue";
}

/** The step that brings the work to its target. */
export interface MergeStep extends CommonStep {
  readonly type: "merge";
  readonly requireReview: boolean;
  /** Template; null: the default message. */
  readonly commitMessage: string | null;
  /** Templates of scripts that must pass before the merge. */
  readonly preMerge: readonly string[];
}

/** What can stand in a loop: everything but a merge, which ends the work that a loop repeats. */
export type LoopedStep = AgentStep | ScriptStep | LoopStep;

export type Step = LoopedStep | MergeStep;

/** A workflow as its file says it, complete with defaults. */
export interface Workflow {
  readonly name: string;
  readonly description: string;
  /** Null: the default of the configuration. */
  readonly timeoutMs: number | null;
  readonly steps: readonly Step[];
}

/** Rounds of a loop that does not say how many. */
export const DEFAULT_MAX_ITERATIONS = 10;

/** How long a script or a merge may take when nothing else is said. */
export const DEFAULT_SCRIPT_TIMEOUT_MS = 5 * 60_000;

/**
 * How long a step may take; null: as long as it likes. A loop has no time of its own unless it says so: what is in it
 * has.
 */
export function stepTimeoutMs(
  step: Step,
  defaults: {
    /** For agents, from the configuration. */
    readonly agentMs: number;
  },
): number | null {
  if (step.timeoutMs !== null) return step.timeoutMs;
  switch (step.type) {
    case "agent":
      return defaults.agentMs;
    case "loop":
      return null;
    default:
      return DEFAULT_SCRIPT_TIMEOUT_MS;
  }
}

/** Every step, in the order of the file, those of loops after their loop; with how many loops it lies in. */
export function* allSteps(
  steps: readonly Step[],
  depth = 0,
): Generator<{ readonly step: Step; readonly depth: number }> {
  for (const step of steps) {
    yield { step, depth };
    if (step.type === "loop") yield* allSteps(step.steps, depth + 1);
  }
}

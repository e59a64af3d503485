/** Workflows: what their files may say, with defaults, and what is wrong with one. */
import { FieldReader, isMapping } from "./field_reader.ts";
import { scriptFaults, textFaults } from "./template_check.ts";

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

/** A file that is no workflow. */
export interface FaultyWorkflow {
  readonly errors: readonly string[];
  readonly rest: Workflow | null;
}

/** Rounds of a loop that does not say how many. */
export const DEFAULT_MAX_ITERATIONS = 10;

/** How long a script or a merge may take when nothing else is said. */
export const DEFAULT_SCRIPT_TIMEOUT_MS = 5 * 60_000;

/** Whether an agent's `prompt` is the prompt itself, and not the name of one. */
export function isInlinePrompt(prompt: string): boolean {
  return prompt.includes("\n");
}

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

const STEP_TYPES = ["agent", "script", "loop", "merge"] as const;

/**
 * Reads a workflow from an already parsed YAML value.
 *
 * @returns The workflow, or everything that is wrong with it, each error with the step that it lies in; `rest` is what can
 * be looked at all the same, null where steps are missing that others may name.
 */
export function parseWorkflow(value: unknown): { readonly workflow: Workflow } | FaultyWorkflow {
  if (!isMapping(value)) {
    return { errors: ["a workflow is a mapping with name, description and steps"], rest: null };
  }
  const errors: string[] = [];
  let isWhole = true;
  const drop = () => isWhole = false;
  const fields = new FieldReader(value, (error) => errors.push(error));
  const workflow: Workflow = {
    name: fields.text("name") ?? "",
    description: fields.text("description") ?? "",
    timeoutMs: fields.duration("timeout"),
    steps: readSteps(fields.value("steps"), { isInLoop: false, errors, drop }),
  };
  fields.finish();
  if (workflow.name === "") errors.unshift("name is required");
  else if (/[/\\]/.test(workflow.name)) errors.unshift('name must not contain "/" or "\\"');
  if (workflow.description === "") errors.push("description is required");
  if (isNothing(fields.value("steps"))) errors.push("steps are required: at least one");
  errors.push(...doubleNames([...allSteps(workflow.steps)].map(({ step }) => step)));
  return errors.length > 0 ? { errors, rest: isWhole ? workflow : null } : { workflow };
}

interface Place {
  readonly isInLoop: boolean;
  readonly errors: string[];
  /** Is called for a step that cannot be told what it is. */
  readonly drop: () => void;
}

function readSteps(value: unknown, place: Place & { readonly isInLoop: false }): Step[];
function readSteps(value: unknown, place: Place & { readonly isInLoop: true }): LoopedStep[];
function readSteps(value: unknown, place: Place): Step[] {
  if (value === null) return [];
  if (!Array.isArray(value)) {
    place.errors.push("steps must be a list");
    return [];
  }
  return value.flatMap((one, index) => readStep(one, index + 1, place) ?? []);
}

function readStep(value: unknown, number: number, place: Place): Step | null {
  const name = isMapping(value) && typeof value.name === "string" ? value.name : null;
  const title = name === null ? `step ${number}` : `step "${name}"`;
  const tell = (error: string) => place.errors.push(`${title}: ${error}`);
  if (!isMapping(value)) {
    tell("a step is a mapping with name and type");
    place.drop();
    return null;
  }
  const fields = new FieldReader(value, tell);
  const common: CommonStep = {
    name: fields.text("name") ?? "",
    when: fields.text("when"),
    timeoutMs: fields.duration("timeout"),
    output: fields.text("output"),
  };
  for (const fault of [nameFault(common.name), outputFault(common.output)]) {
    if (fault !== null) tell(fault);
  }
  tellFaults(textFaults(common.when), "when", tell);
  const type = fields.value("type");
  const known = STEP_TYPES.find((one) => one === type);
  if (known === undefined) {
    tell(
      `invalid step type ${JSON.stringify(type ?? "")}, must be one of: [${STEP_TYPES.join(" ")}]`,
    );
    place.drop();
    return null;
  }
  const step = READERS[known](common, fields, { ...place, tell });
  fields.finish();
  return step;
}

/** What each type of step has besides the common fields. */
const READERS: Readonly<
  Record<
    Step["type"],
    (
      common: CommonStep,
      fields: FieldReader,
      place: Place & { readonly tell: (error: string) => void },
    ) => Step | null
  >
> = {
  agent: (common, fields, { tell }) => {
    // `spell` is the name in workflows of old.
    const [own, old] = [fields.text("prompt"), fields.text("spell")];
    const prompt = own ?? old ?? "";
    const isInline = isInlinePrompt(prompt);
    if (prompt.trim() === "") tell("agent step requires a prompt");
    if (isInline) tellFaults(textFaults(prompt), "prompt", tell);
    else if (/[/\\]/.test(prompt)) {
      tell('prompt is a name without "/" or "\\", or a text of several lines');
    }
    const input = fields.textMap("input") ?? {};
    for (const [name, text] of Object.entries(input)) {
      tellFaults(textFaults(text), `input ${name}`, tell);
    }
    return { ...common, type: "agent", prompt, input };
  },
  script: (common, fields, { tell }) => {
    const command = fields.text("command") ?? "";
    if (command.trim() === "") tell("script step requires a command");
    tellFaults(scriptFaults(command), "command", tell);
    const env = fields.textMap("env") ?? {};
    for (const [name, text] of Object.entries(env)) {
      if (!/^[A-Za-z_]\w*$/.test(name)) tell(`env: "${name}" is no name of a variable`);
      tellFaults(textFaults(text), `env ${name}`, tell);
    }
    const workdir = fields.text("workdir");
    tellFaults(textFaults(workdir), "workdir", tell);
    return {
      ...common,
      type: "script",
      command,
      onFail: fields.choice("on_fail", ["block", "continue"]) ?? "block",
      exitLoopOnSuccess: fields.choice("on_success", ["exit_loop"]) !== null,
      env,
      workdir,
    };
  },
  loop: (common, fields, { tell, errors, drop }) => {
    const given = fields.value("steps");
    const steps = readSteps(given, { isInLoop: true, errors, drop });
    if (isNothing(given)) tell("loop step requires at least one nested step");
    const count = fields.integer("max_iterations") ?? 0;
    if (count < 0) tell("max_iterations must be non-negative");
    return {
      ...common,
      type: "loop",
      steps,
      maxIterations: count || DEFAULT_MAX_ITERATIONS, // 0 is as if there were none
      onMaxIterations: fields.choice("on_max_iterations", ["block", "exit", "continue"]) ?? "block",
    };
  },
  merge: (common, fields, { tell, isInLoop }) => {
    if (isInLoop) tell("merge step is not allowed in a loop: put it after the loop");
    // Of old: a merge always takes the newest target, so there is nothing to choose.
    fields.truth("auto_rebase");
    const commitMessage = fields.text("commit_message");
    tellFaults(textFaults(commitMessage), "commit_message", tell);
    const preMerge = fields.texts("pre_merge") ?? [];
    for (const command of preMerge) tellFaults(scriptFaults(command), "pre_merge", tell);
    const requireReview = fields.truth("require_review") ?? true;
    return { ...common, type: "merge", requireReview, commitMessage, preMerge };
  },
};

function isNothing(steps: unknown): boolean {
  return steps === null || (Array.isArray(steps) && steps.length === 0);
}

function tellFaults(
  faults: readonly string[],
  field: string,
  tell: (error: string) => void,
): void {
  for (const fault of faults) tell(`${field}: ${fault}`);
}

/** Names that templates use for something else. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["task", "bead", "previous"]);

/** Why a step cannot have a name; null when it can. */
function nameFault(name: string): string | null {
  if (name === "") return "a step requires a name";
  if (!/^[A-Za-z0-9_][\w-]*$/.test(name)) {
    return 'a step\'s name has letters, digits, "-" and "_" only';
  }
  return RESERVED_NAMES.has(name) ? "templates use this name for something else" : null;
}

/** Why a variable cannot have a name; null when it can, or when there is none. */
function outputFault(output: string | null): string | null {
  if (output === null) return null;
  if (!/^[A-Za-z_][\w-]*$/.test(output)) {
    return 'output must be a name of letters, digits, "-" and "_"';
  }
  if (!RESERVED_NAMES.has(output)) return null;
  return `output must not be "${output}": templates use this name for something else`;
}

/**
 * What is wrong with the names of a whole workflow: templates find steps and variables in one place, so none may be
 * there twice.
 */
function doubleNames(
  all: readonly { readonly name: string; readonly output: string | null }[],
): string[] {
  const errors = new Set<string>();
  const names = new Set<string>();
  for (const { name } of all) {
    if (name !== "" && names.has(name)) errors.add(`duplicate step name "${name}"`);
    names.add(name);
  }
  for (const { name, output } of all) {
    if (output === null || output === name || !names.has(output)) continue;
    errors.add(`step "${name}": output "${output}" is the name of another step`);
  }
  return [...errors];
}

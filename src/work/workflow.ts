/** Reads workflows from parsed YAML, and explains what is wrong with them. */
import * as z from "zod/mini";
import { isMapping } from "../base/mapping.ts";
import { field, readFields } from "./field_reader.ts";
import { scriptFault, textFault } from "./template.ts";

type CommonStep = Readonly<ReturnType<typeof readCommon>>;

export type AgentStep = CommonStep & Readonly<ReturnType<typeof readAgent>>;

export type ScriptStep = CommonStep & Readonly<ReturnType<typeof readScript>>;

export interface LoopStep extends CommonStep {
  readonly type: "loop";
  readonly steps: readonly LoopedStep[];
  readonly maxIterations: number;
  readonly onMaxIterations: "block" | "exit" | "continue";
}

export type MergeStep = CommonStep & Readonly<ReturnType<typeof readMerge>>;

/** The steps of a loop: all but a merge. */
type LoopedStep = AgentStep | ScriptStep | LoopStep;

export type Step = LoopedStep | MergeStep;

export interface Workflow {
  readonly name: string;
  readonly description: string;
  /** The time limit; null for the default of the configuration. */
  readonly timeoutMs: number | null;
  readonly steps: readonly Step[];
}

/** A workflow, or everything that is wrong with its file. */
export type ReadWorkflow =
  | { readonly workflow: Workflow }
  | { readonly errors: readonly string[] };

const DEFAULT_MAX_ITERATIONS = 10;

/** The default time limit of a script, in milliseconds. */
const DEFAULT_SCRIPT_TIMEOUT_MS = 5 * 60_000;

/** Tells whether the `prompt` of an agent is the prompt itself, and not a name. */
export function isInlinePrompt(prompt: string): boolean {
  return prompt.includes("\n");
}

/** Returns the time limit of a step's process, in milliseconds. @param defaults.agentMs From the configuration. */
export function stepTimeoutMs(
  { type, timeoutMs }: AgentStep | ScriptStep,
  defaults: { readonly agentMs: number },
): number {
  return timeoutMs ?? (type === "agent" ? defaults.agentMs : DEFAULT_SCRIPT_TIMEOUT_MS);
}

/** Lists every step in the order of the file, loops before their steps, with the number of loops around it. */
export function* allSteps(
  steps: readonly Step[],
  depth = 0,
): Generator<{ readonly step: Step; readonly depth: number }> {
  for (const step of steps) {
    yield { step, depth };
    if (step.type === "loop") yield* allSteps(step.steps, depth + 1);
  }
}

const WORKFLOW = z.object({
  name: field.text,
  description: field.text,
  timeout: field.duration,
  steps: field.any,
});

const COMMON = {
  type: field.any,
  /** The name, unique in the whole workflow: letters, digits, `-` and `_`. */
  name: field.text,
  /** The condition; null for a step that always runs. */
  when: field.text,
  /**
   * The time limit of the step's process, of each check before a merge, or of each step in a loop that has none; null
   * for the default of the step's type.
   */
  timeout: field.duration,
  /** The variable with the result for later steps; null when only the step's own name holds it. */
  output: field.text,
};

/** The fields of each type of step. Old workflows have `spell` for the prompt, and `auto_rebase`, which is ignored. */
const STEPS = {
  agent: z.object({
    ...COMMON,
    /** The prompt itself when it has a line break, else the name of a prompt. */
    prompt: field.text,
    spell: field.text,
    /** Templates of values for the prompt, by the value's name. */
    input: field.textMap,
  }),
  script: z.object({
    ...COMMON,
    command: field.text,
    /** Templates of environment variables, by name. */
    env: field.textMap,
    /** A template of a folder below the worktree; null for the worktree itself. */
    workdir: field.text,
    on_fail: field.choice(["block", "continue"]),
    on_success: field.choice(["exit_loop"]),
  }),
  loop: z.object({
    ...COMMON,
    steps: field.any,
    max_iterations: field.integer,
    /** At the limit, `block` waits for a person, `exit` goes on with a failed loop, `continue` with a finished one. */
    on_max_iterations: field.choice(["block", "exit", "continue"]),
  }),
  merge: z.object({
    ...COMMON,
    /** A template; null for the default message. */
    commit_message: field.text,
    pre_merge: field.texts,
    require_review: field.truth,
    auto_rebase: field.truth,
  }),
};

const STEP_TYPES = Object.keys(STEPS) as Step["type"][];

/** Reads a workflow from parsed YAML, or all that is wrong with it; an error in a step names the step. */
export function parseWorkflow(value: unknown): ReadWorkflow {
  if (!isMapping(value)) {
    return { errors: ["a workflow is a mapping with name, description and steps"] };
  }
  const { fields, errors: wrong, unknown } = readFields(WORKFLOW, value);
  const errors: string[] = [...wrong];
  const place: Place = { isInLoop: false, timeoutMs: null, errors };
  const steps = readSteps(value["steps"] ?? null, place);
  const [name, description] = [fields?.name ?? "", fields?.description ?? ""];
  if (fields !== null && name === "") errors.unshift("name is required");
  if (/[/\\]/.test(name)) errors.unshift('name must not contain "/" or "\\"');
  errors.push(...unknown);
  if (fields !== null && description === "") errors.push("description is required");
  if (isNothing(value["steps"] ?? null)) errors.push("steps are required: at least one");
  errors.push(...doubleNames([...allSteps(steps)].map(({ step }) => step)));
  const workflow = { name, description, timeoutMs: fields?.timeout ?? null, steps };
  return errors.length > 0 ? { errors } : { workflow };
}

interface Place {
  readonly isInLoop: boolean;
  /** The time limit of the loop around, which each step in it has unless it names its own; null for none. */
  readonly timeoutMs: number | null;
  readonly errors: string[];
}

function readSteps(value: unknown, place: Place): Step[] {
  if (value === null) return [];
  if (!Array.isArray(value)) {
    place.errors.push("steps must be a list");
    return [];
  }
  return value.flatMap((one, index) => readStep(one, index + 1, place) ?? []);
}

function readStep(value: unknown, number: number, place: Place): Step | null {
  const given = isMapping(value) ? value : {};
  const { name, type: wanted } = given;
  const title = typeof name === "string" ? `step "${name}"` : `step ${number}`;
  const tell = (error: string) => void place.errors.push(`${title}: ${error}`);
  const type = STEP_TYPES.find((one) => one === wanted);
  if (type === undefined) {
    const types = `must be one of: [${STEP_TYPES.join(" ")}]`;
    tell(
      isMapping(value)
        ? `invalid step type ${JSON.stringify(wanted ?? "")}, ${types}`
        : "a step is a mapping with name and type",
    );
    return null;
  }
  const { fields, errors, unknown } = readFields<typeof COMMON>(STEPS[type], given);
  errors.forEach(tell);
  const check: StepContext["check"] = (field, templates, faultOf = textFault) => {
    if (typeof templates === "object") {
      for (const [name, text] of Object.entries(templates ?? {})) check(`${field} ${name}`, text);
      return;
    }
    const fault = faultOf(templates);
    if (fault !== null) tell(`${field}: ${fault}`);
  };
  const context = { place, tell, check };
  const step = fields === null
    ? null
    : { ...readCommon(fields, context), ...READERS[type](fields as never, context) };
  unknown.forEach(tell);
  return step as Step | null;
}

type Fields<Type extends Step["type"]> = z.output<typeof STEPS[Type]>;

interface StepContext {
  readonly place: Place;
  readonly tell: (error: string) => void;
  /** Reports the fault of a template, or of each template of a mapping, behind the name of its field. */
  readonly check: (
    field: string,
    templates: string | null | Readonly<Record<string, string>>,
    faultOf?: (template: string) => string | null,
  ) => void;
}

function readAgent({ prompt: given, spell, input }: Fields<"agent">, { tell, check }: StepContext) {
  const prompt = given ?? spell ?? "";
  if (prompt.trim() === "") tell("agent step requires a prompt");
  if (isInlinePrompt(prompt)) check("prompt", prompt);
  else if (/[/\\]/.test(prompt)) {
    tell('prompt is a name without "/" or "\\", or a text of several lines');
  }
  check("input", input);
  return { type: "agent" as const, prompt, input };
}

function readScript(fields: Fields<"script">, { tell, check }: StepContext) {
  const { env, workdir } = fields;
  const command = fields.command ?? "";
  if (command.trim() === "") tell("script step requires a command");
  check("command", command, scriptFault);
  for (const name of Object.keys(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) tell(`env: "${name}" is no name of a variable`);
  }
  check("env", env);
  check("workdir", workdir);
  const exitLoopOnSuccess = fields.on_success !== null;
  const onFail = fields.on_fail ?? "block";
  return { type: "script" as const, command, onFail, exitLoopOnSuccess, env, workdir };
}

function readLoop(fields: Fields<"loop">, { tell, place }: StepContext) {
  const timeoutMs = fields.timeout ?? place.timeoutMs;
  const steps = readSteps(fields.steps, { ...place, isInLoop: true, timeoutMs }) as LoopedStep[];
  if (isNothing(fields.steps)) tell("loop step requires at least one nested step");
  if ((fields.max_iterations ?? 0) < 0) tell("max_iterations must be non-negative");
  // 0 means the default.
  const maxIterations = fields.max_iterations || DEFAULT_MAX_ITERATIONS;
  const onMaxIterations = fields.on_max_iterations ?? "block";
  return { type: "loop" as const, steps, maxIterations, onMaxIterations };
}

function readMerge(fields: Fields<"merge">, { tell, place, check }: StepContext) {
  const { commit_message: commitMessage, pre_merge, require_review } = fields;
  if (place.isInLoop) tell("merge step is not allowed in a loop: put it after the loop");
  check("commit_message", commitMessage);
  const preMerge: readonly string[] = pre_merge ?? [];
  for (const command of preMerge) check("pre_merge", command, scriptFault);
  return { type: "merge" as const, requireReview: require_review ?? true, commitMessage, preMerge };
}

/** Read the fields that one type of step has alone, and report faults other than wrong types of values. */
const READERS = { agent: readAgent, script: readScript, loop: readLoop, merge: readMerge };

/** Names that steps must not have, since templates use them for something else. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(["task", "bead", "previous"]);

function readCommon(
  { name: given, when, timeout, output }: z.output<z.ZodMiniObject<typeof COMMON>>,
  { place, tell, check }: StepContext,
) {
  const name = given ?? "";
  if (name === "") tell("a step requires a name");
  else if (!/^[A-Za-z0-9_][\w-]*$/.test(name)) {
    tell('a step\'s name has letters, digits, "-" and "_" only');
  } else if (RESERVED_NAMES.has(name)) tell("templates use this name for something else");
  if (output !== null && !/^[A-Za-z_][\w-]*$/.test(output)) {
    tell('output must be a name of letters, digits, "-" and "_"');
  } else if (output !== null && RESERVED_NAMES.has(output)) {
    tell(`output must not be "${output}": templates use this name for something else`);
  }
  check("when", when);
  return { name, when, timeoutMs: timeout ?? place.timeoutMs, output };
}

function isNothing(steps: unknown): boolean {
  return steps === null || Array.isArray(steps) && steps.length === 0;
}

/** Reports names that a workflow uses twice: templates find steps and variables by the same names. */
function doubleNames(all: readonly Pick<CommonStep, "name" | "output">[]): string[] {
  const names = all.map(({ name }) => name).filter((name) => name !== "");
  const twice = names.filter((name, index) => names.indexOf(name) < index)
    .map((name) => `duplicate step name "${name}"`);
  const outputs = all.filter(({ name, output }) => output !== name && names.includes(output!))
    .map(({ name, output }) => `step "${name}": output "${output}" is the name of another step`);
  return [...new Set([...twice, ...outputs])];
}

/** Shows what a workflow would do for a task, as far as that is known without running anything. */
import { evaluateWhen, renderPrompt, renderScriptStep } from "./render_step.ts";
import { type TaskFacts, taskValue } from "./task.ts";
import { missingPaths, renderScript, renderText, shownScript } from "./template.ts";
import { type TemplateContext, TemplateError } from "./template_syntax.ts";
import {
  type AgentStep,
  allSteps,
  isInlinePrompt,
  type ScriptStep,
  type Step,
  type Workflow,
} from "./workflow.ts";

/** The length of the shown beginning of a prompt, in characters. */
const EXCERPT_LENGTH = 500;

/** The text of a prompt, and its source: a path, or `built-in`. */
interface PromptText {
  readonly text: string;
  readonly source: string;
}

export interface PreviewStep {
  readonly step: Step;
  /** The number of loops around the step. */
  readonly depth: number;
  /** Whether the step would run; null when that depends on earlier steps. */
  readonly wouldRun: boolean | null;
  /** The source of an agent's prompt, or `inline`; null for other steps and missing prompts. */
  readonly promptSource: string | null;
  /** The beginning of the prompt; null for other steps and missing prompts. */
  readonly promptExcerpt: string | null;
  readonly command: string | null;
  /** False when the preview shows the template itself, since it needs the output of earlier steps. */
  readonly isRendered: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface WorkflowPreview {
  readonly steps: readonly PreviewStep[];
  /** The errors of all steps, each with the name of its step. */
  readonly errors: readonly string[];
  readonly isValid: boolean;
}

export function previewWorkflow(
  workflow: Workflow,
  options: {
    readonly task: TaskFacts;
    readonly prompts: (name: string) => PromptText | null;
  },
): WorkflowPreview {
  const all = [...allSteps(workflow.steps)];
  const task = taskValue(options.task);
  const scene: Scene = {
    context: { task, bead: task },
    known: new Set([
      "previous",
      ...all.flatMap(({ step }) => step.output === null ? [step.name] : [step.name, step.output]),
    ]),
    prompts: options.prompts,
    include: (name) => options.prompts(name)?.text ?? null,
  };
  const steps = all.map(({ step, depth }) => previewStep(step, depth, scene));
  const errors = steps.flatMap((one) =>
    one.errors.map((error) => `step "${one.step.name}": ${error}`)
  );
  return { steps, errors, isValid: errors.length === 0 };
}

interface Scene {
  /** The values that are known before anything has run. */
  readonly context: TemplateContext;
  /** The names of values that steps make. */
  readonly known: ReadonlySet<string>;
  readonly prompts: (name: string) => PromptText | null;
  readonly include: (name: string) => string | null;
}

type Findings = { readonly [Kind in "errors" | "warnings"]: string[] };

/** Returns a text's beginning, cut at a word. */
function excerptOf(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const head = text.slice(0, EXCERPT_LENGTH - 1);
  return `${/^[^]*(?=\s)/.exec(head)?.[0] ?? head}…`;
}

type Shown = Pick<PreviewStep, "promptSource" | "promptExcerpt" | "command" | "isRendered">;

const NOTHING_SHOWN: Shown = {
  promptSource: null,
  promptExcerpt: null,
  command: null,
  isRendered: true,
};

function previewStep(step: Step, depth: number, scene: Scene): PreviewStep {
  const findings: Findings = { errors: [], warnings: [] };
  const wouldRun = attempt(findings, () => previewWhen(step.when, scene, findings)) ?? null;
  let shown = NOTHING_SHOWN;
  if (step.type === "agent") shown = showAgent(step, scene, findings);
  if (step.type === "script") shown = showScript(step, scene, findings);
  for (const command of step.type === "merge" ? step.preMerge : []) {
    attempt(findings, () => findings.warnings.push(...renderScript(command, {}).warnings));
  }
  return { step, depth, wouldRun, ...shown, ...findings };
}

function previewWhen(when: string | null, scene: Scene, { errors }: Findings): boolean | null {
  if (when === null) return true;
  const isKnown = hasValues(when, scene, { errors, place: "when: " });
  if (errors.length > 0 || !isKnown) return null;
  const result = evaluateWhen(when, scene.context);
  if ("run" in result) return result.run;
  errors.push(result.error);
  return null;
}

function showAgent(step: AgentStep, scene: Scene, findings: Findings): Shown {
  const { errors } = findings;
  const name = isInlinePrompt(step.prompt) ? undefined : step.prompt;
  const found = name === undefined ? { text: step.prompt, source: "inline" } : scene.prompts(name);
  if (found === null) {
    errors.push(`there is no prompt "${name}"`);
    return NOTHING_SHOWN;
  }
  const rendered = attempt(findings, () => {
    // Finds faults that do not depend on values, such as missing includes.
    renderText(found.text, {}, { missing: "empty", include: scene.include, name });
    const isKnown = [
      ...Object.entries(step.input).map(([key, text]) =>
        hasValues(text, scene, { errors, place: `input ${key}: ` })
      ),
      hasValues(found.text, scene, { errors, own: step.input }),
    ].every((known) => known);
    if (errors.length > 0 || !isKnown) return undefined;
    return renderPrompt(step, scene.context, scene.include);
  });
  return {
    ...NOTHING_SHOWN,
    promptSource: found.source,
    promptExcerpt: excerptOf(rendered ?? found.text),
    isRendered: rendered !== undefined,
  };
}

function showScript(step: ScriptStep, scene: Scene, findings: Findings): Shown {
  const command = attempt(findings, () => {
    // In a script a missing value is an empty word, which is no error but hardly meant.
    const isKnown = hasValues(step.command, scene, { errors: findings.warnings });
    const { command, env, warnings } = renderScriptStep(step, scene.context);
    findings.warnings.push(...warnings);
    return isKnown ? shownScript({ command, variables: env }) : undefined;
  });
  return {
    ...NOTHING_SHOWN,
    command: command ?? step.command,
    isRendered: command !== undefined,
  };
}

/**
 * Tells whether the task alone has all values that a template names.
 * @param options.errors Receives a line for each name that neither the task nor any step has. @param options.own The
 * values that the step gives to the template, by name.
 */
function hasValues(
  template: string,
  scene: Scene,
  { errors, place = "", own = {} }: {
    readonly errors: string[];
    readonly place?: string;
    readonly own?: TemplateContext;
  },
): boolean {
  const paths = missingPaths(template, { ...scene.context, ...own }, scene.include);
  for (const { path, mayBeMissing } of paths) {
    if (mayBeMissing || scene.known.has(path[0]!)) continue;
    errors.push(`${place}.${path.join(".")}: nothing has the name "${path[0]}"`);
  }
  return paths.length === 0;
}

function attempt<Result>({ errors }: Findings, action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    errors.push(error.message);
    return undefined;
  }
}

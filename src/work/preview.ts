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

const EXCERPT_LENGTH = 500;

/** The text of a prompt, and its source: a path, or `built-in`. */
interface PromptText {
  readonly text: string;
  readonly source: string;
}

export interface PreviewStep {
  readonly step: Step;
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

/** @returns `errors`: those of all steps, each with the name of its step. */
export function previewWorkflow(
  workflow: Workflow,
  { task, prompts }: {
    readonly task: TaskFacts;
    readonly prompts: (name: string) => PromptText | null;
  },
) {
  const all = [...allSteps(workflow.steps)];
  const value = taskValue(task);
  const scene: Scene = {
    context: { task: value, bead: value },
    known: new Set(["previous", ...all.flatMap(({ step }) => [step.name, step.output ?? ""])]),
    prompts,
    include: (name) => prompts(name)?.text ?? null,
  };
  const steps = all.map(({ step, depth }) => ({ step, depth, ...new StepLook(scene).of(step) }));
  const errors = steps.flatMap((one) =>
    one.errors.map((error) => `step "${one.step.name}": ${error}`)
  );
  return { steps, errors, isValid: errors.length === 0 };
}

interface Scene {
  readonly context: TemplateContext;
  readonly known: ReadonlySet<string>;
  readonly prompts: (name: string) => PromptText | null;
  readonly include: (name: string) => string | null;
}

function excerptOf(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const head = text.slice(0, EXCERPT_LENGTH - 1);
  return `${/^[^]*(?=\s)/.exec(head)?.[0] ?? head}…`;
}

/** Looks at one step, and collects what is wrong with it. */
class StepLook {
  readonly #errors: string[] = [];
  readonly #warnings: string[] = [];
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  of(step: Step): Omit<PreviewStep, "step" | "depth"> {
    const wouldRun = this.#attempt(() => this.#wouldRun(step.when)) ?? null;
    const nothing = { promptSource: null, promptExcerpt: null, command: null, isRendered: true };
    const shown = { ...nothing, ...this.#show(step) };
    return { wouldRun, ...shown, errors: this.#errors, warnings: this.#warnings };
  }

  /** Tells whether a step with this `when` would run; null when that depends on earlier steps. */
  #wouldRun(when: string | null): boolean | null {
    if (when === null) return true;
    const isKnown = this.#hasValues(when, { place: "when: " });
    if (this.#errors.length > 0 || !isKnown) return null;
    const result = evaluateWhen(when, this.#scene.context);
    if ("run" in result) return result.run;
    this.#errors.push(result.error);
    return null;
  }

  #show(step: Step): Partial<PreviewStep> {
    if (step.type === "agent") return this.#showAgent(step);
    if (step.type === "script") return this.#showScript(step);
    for (const command of step.type === "merge" ? step.preMerge : []) {
      this.#attempt(() => this.#warnings.push(...renderScript(command, {}).warnings));
    }
    return {};
  }

  #showAgent(step: AgentStep): Partial<PreviewStep> {
    const { context, prompts, include } = this.#scene;
    const name = isInlinePrompt(step.prompt) ? undefined : step.prompt;
    const found = name === undefined ? { text: step.prompt, source: "inline" } : prompts(name);
    if (found === null) {
      this.#errors.push(`there is no prompt "${name}"`);
      return {};
    }
    const rendered = this.#attempt(() => {
      // Finds faults that do not depend on values, such as missing includes.
      renderText(found.text, {}, { missing: "empty", include, name });
      const isKnown = [
        ...Object.entries(step.input).map(([key, text]) =>
          this.#hasValues(text, { place: `input ${key}: ` })
        ),
        this.#hasValues(found.text, { own: step.input }),
      ].every((known) => known);
      if (this.#errors.length > 0 || !isKnown) return undefined;
      return renderPrompt(step, context, include);
    });
    const promptExcerpt = excerptOf(rendered ?? found.text);
    return { promptSource: found.source, promptExcerpt, isRendered: rendered !== undefined };
  }

  #showScript(step: ScriptStep): Partial<PreviewStep> {
    const shown = this.#attempt(() => {
      // In a script a missing value is an empty word, which is no error but probably a mistake.
      const isKnown = this.#hasValues(step.command, { into: this.#warnings });
      const { command, env, warnings } = renderScriptStep(step, this.#scene.context);
      this.#warnings.push(...warnings);
      return isKnown ? shownScript({ command, variables: env }) : undefined;
    });
    return { command: shown ?? step.command, isRendered: shown !== undefined };
  }

  /**
   * Tells whether the task alone has all values that a template names.
   * @param options.into Receives a line for each name that neither the task nor any step has. @param options.own The
   * values that the step gives to the template, by name.
   */
  #hasValues(
    template: string,
    { into = this.#errors, place = "", own = {} }: {
      readonly into?: string[];
      readonly place?: string;
      readonly own?: TemplateContext;
    },
  ): boolean {
    const { context, known, include } = this.#scene;
    const paths = missingPaths(template, { ...context, ...own }, include);
    for (const { path, mayBeMissing } of paths) {
      if (mayBeMissing || known.has(path[0]!)) continue;
      into.push(`${place}.${path.join(".")}: nothing has the name "${path[0]}"`);
    }
    return paths.length === 0;
  }

  #attempt<Result>(action: () => Result): Result | undefined {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.#errors.push(error.message);
      return undefined;
    }
  }
}

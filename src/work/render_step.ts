/** Puts the values into the templates of a step, and evaluates its `when`. */
import { renderScript, renderText, renderValue } from "./template.ts";
import { type TemplateContext, TemplateError, type TemplateValue } from "./template_syntax.ts";
import { type AgentStep, isInlinePrompt, type MergeStep, type ScriptStep } from "./workflow.ts";

export interface RenderedPrompt {
  readonly text: string;
  /** `inline`, or the name of the prompt. */
  readonly source: string;
}

export interface RenderedScript {
  readonly command: string;
  /** Added to the environment, where values need no quotes. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder below the worktree; null for the worktree itself. */
  readonly workdir: string | null;
  readonly warnings: readonly string[];
}

export interface RenderedMerge {
  /** Null for the default message. */
  readonly commitMessage: string | null;
  readonly preMerge: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The prompt of a step. The prompt finds the `input` of the step too; a missing value is an error.
 *
 * @param prompts The text of a prompt by its name, also for includes; null when there is none.
 *
 * @throws TemplateError
 */
export function renderPrompt(
  step: AgentStep,
  context: TemplateContext,
  prompts: (name: string) => string | null,
): RenderedPrompt {
  const isInline = isInlinePrompt(step.prompt);
  const template = isInline ? step.prompt : prompts(step.prompt);
  if (template === null) throw new TemplateError(`there is no prompt "${step.prompt}"`);
  const input = mapTexts(
    step.input,
    (text) => renderText(text, context, { missing: "error" }).text,
  );
  const { text } = renderText(template, { ...context, ...input }, {
    missing: "error",
    include: prompts,
    name: isInline ? undefined : step.prompt,
  });
  return { text, source: isInline ? "inline" : step.prompt };
}

/**
 * The script of a step. A missing value is an empty word, also in its environment.
 *
 * @throws TemplateError Also when the folder lies outside of the worktree.
 */
export function renderScriptStep(step: ScriptStep, context: TemplateContext): RenderedScript {
  const { text, warnings } = renderScript(step.command, context);
  const env = mapTexts(step.env, (value) => plainText(value, context));
  const nul = Object.keys(env).find((name) => env[name]!.includes("\0"));
  if (nul !== undefined) throw new TemplateError(`env ${nul}: the value holds NUL`);
  const workdir = step.workdir === null ? null : plainText(step.workdir, context);
  if (workdir !== null && (/^[/~]|\0/.test(workdir) || workdir.split("/").includes(".."))) {
    throw new TemplateError(`workdir "${workdir}" must lie below the worktree`);
  }
  return { command: text, env, workdir: workdir || null, warnings };
}

/**
 * The texts of a merge. A missing value is empty: finished work must not fail for its message.
 *
 * @throws TemplateError
 */
export function renderMergeStep(step: MergeStep, context: TemplateContext): RenderedMerge {
  const message = step.commitMessage === null ? "" : plainText(step.commitMessage, context).trim();
  const scripts = step.preMerge.map((command) => renderScript(command, context));
  return {
    commitMessage: message || null,
    preMerge: scripts.map(({ text }) => text),
    warnings: scripts.flatMap(({ warnings }) => warnings),
  };
}

function plainText(template: string, context: TemplateContext): string {
  return renderText(template, context, { missing: "empty" }).text;
}

function mapTexts(
  texts: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
}

type WhenResult = { readonly run: boolean } | { readonly error: string };

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
]);

/**
 * Evaluates a `when`: `true`, `false`, or a template that gives one of them, `1`, `0` or nothing. Anything else is an
 * error, also a missing value; `{{ default false .plan.outputs.needed }}` allows one.
 *
 * @param when Null for a step that always runs.
 */
export function evaluateWhen(when: string | null, context: TemplateContext): WhenResult {
  if (when === null) return { run: true };
  try {
    const value = renderValue(when, context);
    const run = truthOf(value);
    if (run !== undefined) return { run };
    return { error: `when "${when}" must come to true or false, not ${describe(value)}` };
  } catch (error) {
    if (error instanceof TemplateError) return { error: `when: ${error.message}` };
    throw error;
  }
}

function truthOf(value: TemplateValue): boolean | undefined {
  if (value !== null && typeof value === "object") return undefined;
  return TRUTHS.get(String(value ?? "").trim().toLowerCase());
}

/** The type of a value, and as much of it as fits into a message. */
function describe(value: TemplateValue): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return `the number ${value}`;
  const text = String(value).trim();
  return `the text "${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

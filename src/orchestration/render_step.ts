/** What a step comes to when it is run: its templates with the values put in. */
import { renderScript, renderText, renderValue } from "./template.ts";
import { type TemplateContext, TemplateError, type TemplateValue } from "./template_syntax.ts";
import { type AgentStep, isInlinePrompt, type MergeStep, type ScriptStep } from "./workflow.ts";

/** A prompt, ready for an agent. */
export interface RenderedPrompt {
  readonly text: string;
  /** `inline`, or the name of the prompt. */
  readonly source: string;
}

/** A script, ready for `sh -c`. */
export interface RenderedScript {
  readonly command: string;
  /** To be added to the environment. The values are as they are: an environment needs no quotes. */
  readonly env: Readonly<Record<string, string>>;
  /** Below the worktree; null: the worktree itself. */
  readonly workdir: string | null;
  readonly warnings: readonly string[];
}

/** The texts of a merge. */
export interface RenderedMerge {
  /** Null: the default message. */
  readonly commitMessage: string | null;
  /** Scripts, ready for `sh -c`. */
  readonly preMerge: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * The prompt of a step. Its `input` is added to what the prompt finds; a value that does not exist is an error.
 *
 * @param prompts The text of a prompt by its name, for the step and for what it includes; null when there is none.
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
 * The script of a step. A value that does not exist is an empty word, also in its environment.
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
 * The texts of a merge. A value that does not exist is empty: work that is done is not to fail for its message.
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

/** What a `when` comes to. */
type WhenResult = { readonly run: boolean } | { readonly error: string };

const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["", false],
]);

/**
 * Evaluates a `when`: `true`, `false` or a template that comes to one of them (`1`, `0` and nothing at all count too).
 *
 * Anything else is an error, never a guess: also a value that does not exist. A workflow that means "false when there is none"
 * writes `{{ default false .plan.outputs.needed }}`.
 *
 * @param when Null: the step always runs.
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

/** A value's type, and as much of it as fits into a message. */
function describe(value: TemplateValue): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return `the number ${value}`;
  const text = String(value).trim();
  return `the text "${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

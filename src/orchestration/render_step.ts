/** What a step comes to when it is run: its templates with the values put in. */
import { renderScript, renderText } from "./template.ts";
import { type TemplateContext, TemplateError } from "./template_syntax.ts";
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

/** Renders the templates of a step, and evaluates its `when`. */
import { renderScript, renderText, renderValue } from "./template.ts";
import { type TemplateContext, TemplateError, type TemplateValue } from "./template_syntax.ts";
import { type AgentStep, isInlinePrompt, type MergeStep, type ScriptStep } from "./workflow.ts";

/**
 * Renders the prompt of a step, which also sees the step's `input`. A missing value is an error.
 * @param prompts Returns the text of a prompt or include by its name; null when there is none.
 * @throws TemplateError
 */
export function renderPrompt(
  step: AgentStep,
  context: TemplateContext,
  prompts: (name: string) => string | null,
): string {
  const name = isInlinePrompt(step.prompt) ? undefined : step.prompt;
  const template = name === undefined ? step.prompt : prompts(name);
  if (template === null) throw new TemplateError(`there is no prompt "${name}"`);
  const input = mapTexts(step.input, (text) => renderText(text, context, { missing: "error" }));
  const values = { ...context, ...input };
  return renderText(template, values, { missing: "error", include: prompts, name });
}

/**
 * Renders the script of a step: its command, its environment, and its folder below the worktree, null for the worktree
 * itself. A missing value is an empty word, also in the environment.
 * @throws TemplateError Also when the folder lies outside of the worktree.
 */
export function renderScriptStep(step: ScriptStep, context: TemplateContext) {
  const { command, variables, warnings } = renderScript(step.command, context);
  const env = mapTexts(step.env, (value) => plainText(value, context));
  const nul = Object.keys(env).find((name) => env[name]!.includes("\0"));
  if (nul !== undefined) throw new TemplateError(`env ${nul}: the value holds NUL`);
  const workdir = step.workdir === null ? null : plainText(step.workdir, context);
  if (workdir !== null && (/^[/~]|\0/.test(workdir) || workdir.split("/").includes(".."))) {
    throw new TemplateError(`workdir "${workdir}" must lie below the worktree`);
  }
  return { command, env: { ...variables, ...env }, workdir: workdir || null, warnings };
}

/**
 * Renders the message of a merge, null for the default one, and the scripts before it. A missing value is empty, since
 * finished work must not fail for its message.
 * @throws TemplateError
 */
export function renderMergeStep(step: MergeStep, context: TemplateContext) {
  const message = step.commitMessage === null ? "" : plainText(step.commitMessage, context).trim();
  const preMerge = step.preMerge.map((command) => renderScript(command, context));
  return { commitMessage: message || null, preMerge };
}

function plainText(template: string, context: TemplateContext): string {
  return renderText(template, context, { missing: "empty" });
}

function mapTexts(
  texts: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]));
}

type WhenResult = { readonly run: boolean } | { readonly error: string };

/**
 * Evaluates a `when`: `true`, `false`, or a template that gives one of them, `1`, `0` or nothing. Anything else is an
 * error, also a missing value; `{{ default false .plan.outputs.needed }}` allows one.
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
  const text = String(value ?? "").trim().toLowerCase();
  if (["true", "1"].includes(text)) return true;
  return ["false", "0", ""].includes(text) ? false : undefined;
}

/** Describes a value for a message: its type, and the beginning of a text. */
function describe(value: TemplateValue): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return `the number ${value}`;
  const text = String(value).trim();
  return `the text "${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

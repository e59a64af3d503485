/** Whether a step is to run: its `when`. */
import { renderValue } from "./template.ts";
import { type TemplateContext, TemplateError, type TemplateValue } from "./template_syntax.ts";

/** What a `when` comes to. */
export type WhenResult = { readonly run: boolean } | { readonly error: string };

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

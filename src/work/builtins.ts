/**
 * The workflows and prompts of the program, as texts. A project's file of the same name goes before them. They work in
 * any repository; a project's own check is the command in the variable `CONCLAUDE_CHECK`, and scripts pass without one.
 */
import implementWorkflow from "./builtin/implement.yaml" with { type: "text" };
import planWorkflow from "./builtin/plan.yaml" with { type: "text" };
import preparePrWorkflow from "./builtin/prepare-pr.yaml" with { type: "text" };
import analyzeSpec from "./builtin/analyze-spec.md" with { type: "text" };
import applyReviewFixes from "./builtin/apply-review-fixes.md" with { type: "text" };
import createTasks from "./builtin/create-tasks.md" with { type: "text" };
import fixTests from "./builtin/fix-tests.md" with { type: "text" };
import implement from "./builtin/implement.md" with { type: "text" };
import isActionable from "./builtin/is-actionable.md" with { type: "text" };
import review from "./builtin/review.md" with { type: "text" };
import verdict from "./builtin/verdict.md" with { type: "text" };

/** The workflow of a task that names none. */
export const DEFAULT_WORKFLOW = "implement";

/** The environment variable with the project's own check. */
export const CHECK_VARIABLE = "CONCLAUDE_CHECK";

export const BUILTIN_WORKFLOWS: ReadonlyMap<string, string> = new Map([
  ["implement", implementWorkflow],
  ["prepare-pr", preparePrWorkflow],
  ["plan", planWorkflow],
]);

/** Markdown by name. The other prompts include `verdict`: how an agent ends. */
export const BUILTIN_PROMPTS: ReadonlyMap<string, string> = new Map([
  ["implement", implement],
  ["fix-tests", fixTests],
  ["review", review],
  ["is-actionable", isActionable],
  ["apply-review-fixes", applyReviewFixes],
  ["analyze-spec", analyzeSpec],
  ["create-tasks", createTasks],
  ["verdict", verdict],
]);

/** Old names, and the names of today. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["implement-bead", "implement"],
  ["spec-to-beads", "plan"],
  ["create-beads", "create-tasks"],
]);

/** The YAML of a workflow of the program, also by its old name; null when there is none. */
export function builtinWorkflow(name: string): string | null {
  return BUILTIN_WORKFLOWS.get(ALIASES.get(name) ?? name) ?? null;
}

/** A prompt of the program, also by its old name; null when there is none. */
export function builtinPrompt(name: string): string | null {
  return BUILTIN_PROMPTS.get(ALIASES.get(name) ?? name) ?? null;
}

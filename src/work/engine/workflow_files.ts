/** Finds and reads the workflows and prompts of a project and of the program. */
import { parse as parseYaml } from "yaml";
import { foldersOf, leftOutText, OWN_FOLDER as FOLDER, whyNotOf } from "../../config/left_out.ts";
import { messageOf } from "../../base/errors.ts";
import { refusal } from "../refusal.ts";
import { allSteps, isInlinePrompt, parseWorkflow, type ReadWorkflow } from "../workflow.ts";
import { joinPath } from "../../base/paths.ts";
import { allNamesIn, exists } from "../../system/on_disk.ts";
import type { Plan } from "./advance.ts";
import { previewWorkflow } from "../preview.ts";
import type { TaskFacts } from "../task.ts";
import { readTextFileSync, statSync } from "../../system/files.ts";
import implementWorkflow from "../builtin/implement.yaml" with { type: "text" };
import planWorkflow from "../builtin/plan.yaml" with { type: "text" };
import preparePrWorkflow from "../builtin/prepare-pr.yaml" with { type: "text" };
import analyzeSpec from "../builtin/analyze-spec.md" with { type: "text" };
import applyReviewFixes from "../builtin/apply-review-fixes.md" with { type: "text" };
import createTasks from "../builtin/create-tasks.md" with { type: "text" };
import fixTests from "../builtin/fix-tests.md" with { type: "text" };
import implement from "../builtin/implement.md" with { type: "text" };
import isActionable from "../builtin/is-actionable.md" with { type: "text" };
import review from "../builtin/review.md" with { type: "text" };
import verdict from "../builtin/verdict.md" with { type: "text" };

const MAX_FILE_BYTES = 1 << 20;

export interface WorkflowFile {
  readonly name: string;
  /** The path of the file; null for a workflow of the program. */
  readonly path: string | null;
  readonly text: string;
  /** Why the file cannot be read; its text is empty then. */
  readonly problem?: string;
}

/** Lists the workflows that a project can use, by name. A project's workflow hides the program's of the same name. */
export function listWorkflowFiles(projectDir: string): WorkflowFile[] {
  const found = new Map<string, WorkflowFile>();
  for (const folder of foldersOf(projectDir)) {
    for (const file of allNamesIn(joinPath(folder, "workflows"))) {
      // Hidden files are those of editors.
      const name = /^([^.].*)\.ya?ml$/.exec(file)?.[1];
      if (name === undefined || found.has(name)) continue;
      const path = joinPath(folder, `workflows/${file}`);
      found.set(name, { name, path, ...readText(path, projectDir) });
    }
  }
  for (const [name, text] of BUILTIN_WORKFLOWS) {
    if (!found.has(name)) found.set(name, { name, path: null, text });
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Reads a workflow, with all prompts that it may need.
 * @throws {UserError} WORKFLOW_NOT_FOUND; WORKFLOW_INVALID with every fault.
 */
export function loadPlan(name: string, projectDir: string): Plan & { readonly file: WorkflowFile } {
  const file = findWorkflowFile(name, projectDir);
  const parsed = parseFile(file);
  if ("errors" in parsed) throw invalid(file, parsed.errors.join("; "));
  const prompts: Record<string, string> = {};
  const missing: string[] = [];
  const wanted = [...allSteps(parsed.workflow.steps)]
    .flatMap(({ step }) => step.type === "agent" ? [step.prompt] : []);
  for (let prompt = wanted.pop(); prompt !== undefined; prompt = wanted.pop()) {
    if (Object.hasOwn(prompts, prompt)) continue;
    const isInline = isInlinePrompt(prompt);
    const text = isInline ? prompt : findPrompt(prompt, projectDir)?.text;
    if (text === undefined) missing.push(prompt);
    else {
      if (!isInline) prompts[prompt] = text;
      // Only rendering shows all includes of a prompt; this finds the quoted names.
      wanted.push(...includedIn(text));
    }
  }
  if (missing.length > 0) {
    const leftOut = missing.flatMap((prompt) => promptFiles(prompt, projectDir))
      .map(({ path, problem }) => `; ${path}: ${problem}`);
    const names = missing.map((prompt) => `"${prompt}"`).join(", ");
    const why = `there is no prompt ${names} (looked for ${FOLDER}/prompts/NAME.md)`;
    throw invalid(file, why + leftOut.join(""));
  }
  return { workflow: parsed.workflow, prompts, file };
}

/** Finds the workflow of a name or an old name; `undefined` when there is none. */
export function lookForWorkflow(name: string, projectDir: string): WorkflowFile | undefined {
  const found = listWorkflowFiles(projectDir).find((file) => file.name === name);
  const old = found === undefined ? builtinWorkflow(name) : null;
  return old === null ? found : { name, path: null, text: old };
}

/** Finds the workflow of a name or an old name. @throws {UserError} WORKFLOW_NOT_FOUND */
export function findWorkflowFile(name: string, projectDir: string): WorkflowFile {
  const found = lookForWorkflow(name, projectDir);
  if (found !== undefined) return found;
  const names = listWorkflowFiles(projectDir).map((file) => file.name);
  throw refusal("WORKFLOW_NOT_FOUND", {
    what: `There is no workflow "${name}"`,
    why: `there are ${names.join(", ")}; a project's own lie in ` +
      `${FOLDER}/workflows/NAME.yaml`,
    next: "conclaude workflow files",
    details: { workflow: name },
  });
}

/** Finds a prompt of the project, else of the program, and its source; null when there is none. */
function findPrompt(
  name: string,
  projectDir: string,
): { readonly text: string; readonly source: string } | null {
  const found = promptFiles(name, projectDir).find(({ problem }) => problem === undefined);
  if (found !== undefined) return { text: found.text, source: found.path };
  const text = builtinPrompt(name);
  return text === null ? null : { text, source: "built-in" };
}

/** Reads the project's files of a prompt, the nearest first, including files that must not be used. */
function promptFiles(name: string, projectDir: string) {
  if (/[\\/]|^\.\.?$/.test(name)) return [];
  return foldersOf(projectDir).map((folder) => joinPath(folder, `prompts/${name}.md`))
    .filter(exists)
    .map((path) => ({ path, ...readText(path, projectDir) }));
}

function includedIn(text: string): string[] {
  return [...text.matchAll(/\{\{[^}]*\binclude\s+"([^"]+)"/g)].map(([, name]) => name!);
}

export function parseFile({ text, problem }: WorkflowFile): ReadWorkflow {
  if (problem !== undefined) return { errors: [problem] };
  try {
    return parseWorkflow(parseYaml(text));
  } catch (thrown) {
    return { errors: [messageOf(thrown)] };
  }
}

function invalid(file: WorkflowFile, why: string) {
  return refusal("WORKFLOW_INVALID", {
    what: `Cannot use workflow "${file.name}"`,
    why: `${file.path ?? "a part of the program"}: ${why}`,
    next: `conclaude workflow preview ${file.name}`,
    details: { workflow: file.name },
  });
}

/** Reads a file. Never throws, since an unreadable file must not hide the others. */
function readText(path: string, projectDir: string): Pick<WorkflowFile, "text" | "problem"> {
  const unread = (problem: string) => ({ text: "", problem });
  try {
    const leftOut = whyNotOf(projectDir, path);
    if (leftOut !== null) return unread(leftOutText(leftOut));
    const { isFile, size } = statSync(path);
    if (!isFile) return unread("it is no file");
    if (size > MAX_FILE_BYTES) return unread("the file is larger than 1 MiB");
    const text = readTextFileSync(path);
    return text.includes("\0") ? unread("the file holds no text") : { text };
  } catch (thrown) {
    return unread(`the file cannot be read: ${messageOf(thrown)}`);
  }
}

const NO_TASK: TaskFacts = {
  id: "00000000-0000-7000-8000-000000000000",
  title: "An example",
  body: "What there is to know of it.",
  type: "task",
  priority: 2,
  tags: [],
};

/**
 * Shows what a workflow would do for a task, without running anything.
 * @param task Null for an example. @returns `warnings`: remarks about content that works but is probably a mistake.
 */
export function previewFile(
  file: WorkflowFile,
  { projectDir, task }: { readonly projectDir: string; readonly task: TaskFacts | null },
) {
  const parsed = parseFile(file);
  if ("errors" in parsed) {
    return { workflow: null, steps: [], errors: parsed.errors, warnings: [], isValid: false };
  }
  const { workflow } = parsed;
  const isOther = file.path !== null && workflow.name !== file.name;
  const warnings = isOther
    ? [`its file says name: ${workflow.name}, but the file's name counts: ${file.name}`]
    : [];
  const prompts = (name: string) => findPrompt(name, projectDir);
  return { workflow, warnings, ...previewWorkflow(workflow, { task: task ?? NO_TASK, prompts }) };
}

export const DEFAULT_WORKFLOW = "implement";

export const CHECK_VARIABLE = "CONCLAUDE_CHECK";

export const BUILTIN_WORKFLOWS: ReadonlyMap<string, string> = new Map([
  ["implement", implementWorkflow],
  ["prepare-pr", preparePrWorkflow],
  ["plan", planWorkflow],
]);

/** The prompts in Markdown, by name. The others include `verdict`, which says how an agent reports its result. */
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

/** The current names, by old name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["implement-bead", "implement"],
  ["spec-to-beads", "plan"],
  ["create-beads", "create-tasks"],
]);

/** Returns the YAML of the program's workflow of a name or an old name; null when there is none. */
export function builtinWorkflow(name: string): string | null {
  return BUILTIN_WORKFLOWS.get(ALIASES.get(name) ?? name) ?? null;
}

/** Returns the program's prompt of a name or an old name; null when there is none. */
export function builtinPrompt(name: string): string | null {
  return BUILTIN_PROMPTS.get(ALIASES.get(name) ?? name) ?? null;
}

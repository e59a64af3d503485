/** Finds and reads workflows: a project's own files, and those that come with the program. */
import { parse as parseYaml } from "yaml";
import { foldersOf, leftOutText, OWN_FOLDER as FOLDER, whyNotOf } from "../config/left_out.ts";
import { messageOf } from "../errors.ts";
import { BUILTIN_WORKFLOWS, builtinPrompt, builtinWorkflow } from "../orchestration/builtins.ts";
import { refusal } from "../orchestration/refusal.ts";
import {
  allSteps,
  type FaultyWorkflow,
  isInlinePrompt,
  parseWorkflow,
  type Workflow,
} from "../orchestration/workflow.ts";
import { joinPath } from "../paths.ts";
import type { Plan } from "./plan.ts";

/** A larger file is not read, in bytes. */
const MAX_FILE_BYTES = 1 << 20;

/** A workflow that can be begun. */
export interface WorkflowFile {
  readonly name: string;
  /** The file; null for one that comes with the program. */
  readonly path: string | null;
  /** As it is written. */
  readonly text: string;
  /** Why it cannot be read; its text is empty then. */
  readonly problem?: string;
}

/** Every workflow that a project can use, by name; its own come before those of the program. */
export function listWorkflowFiles(projectDir: string): WorkflowFile[] {
  const found = new Map<string, WorkflowFile>();
  for (const folder of foldersOf(projectDir)) {
    for (const { name, path } of filesIn(joinPath(folder, "workflows"), /^(.+)\.ya?ml$/)) {
      if (!found.has(name)) found.set(name, { name, path, ...readText(path, projectDir) });
    }
  }
  for (const [name, text] of BUILTIN_WORKFLOWS) {
    if (!found.has(name)) found.set(name, { name, path: null, text });
  }
  return [...found.values()].sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Reads a workflow, with all prompts that it could need.
 *
 * @throws {UserError} WORKFLOW_NOT_FOUND, WORKFLOW_INVALID naming every fault.
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
    const text = isInlinePrompt(prompt)
      ? prompt
      : prompts[prompt] ?? findPrompt(prompt, projectDir)?.text ?? null;
    if (text === null) missing.push(prompt);
    else {
      const isNew = !isInlinePrompt(prompt) && prompts[prompt] === undefined;
      if (isNew) prompts[prompt] = text;
      // What a prompt includes is only known for sure when it is rendered; names in quotes are what can be meant.
      if (isNew || isInlinePrompt(prompt)) wanted.push(...includedIn(text));
    }
  }
  if (missing.length > 0) {
    const leftOut = missing.flatMap((prompt) => promptsLeftOut(prompt, projectDir));
    throw invalid(
      file,
      `there is no prompt ${missing.map((prompt) => `"${prompt}"`).join(", ")} ` +
        `(looked for ${FOLDER}/prompts/NAME.md)${leftOut.join("")}`,
    );
  }
  return { workflow: parsed.workflow, prompts, file };
}

/** The workflow of this name, also by a name of old; `undefined` when there is none. */
export function lookForWorkflow(name: string, projectDir: string): WorkflowFile | undefined {
  const found = listWorkflowFiles(projectDir).find((file) => file.name === name);
  const old = found === undefined ? builtinWorkflow(name) : null;
  return old === null ? found : { name, path: null, text: old };
}

/** The workflow of this name. @throws {UserError} WORKFLOW_NOT_FOUND */
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

/** A prompt of the project, or of the program, and where it comes from; null when there is none. */
export function findPrompt(
  name: string,
  projectDir: string,
): { readonly text: string; readonly source: string } | null {
  if (/[\\/]|^\.\.?$/.test(name)) return null;
  for (const folder of foldersOf(projectDir)) {
    const source = joinPath(joinPath(folder, "prompts"), `${name}.md`);
    try {
      if (whyNotOf(projectDir, source) !== null) continue;
      return { text: Deno.readTextFileSync(source), source };
    } catch {
      // The next place.
    }
  }
  const text = builtinPrompt(name);
  return text === null ? null : { text, source: "built-in" };
}

/** The files of a prompt that are there and must not count. */
function promptsLeftOut(name: string, projectDir: string): string[] {
  return foldersOf(projectDir)
    .map((folder) => joinPath(folder, `prompts/${name}.md`))
    .flatMap((path) => {
      const leftOut = whyNotOf(projectDir, path);
      return leftOut === null ? [] : [`; ${path}: ${leftOutText(leftOut)}`];
    });
}

function includedIn(text: string): string[] {
  return [...text.matchAll(/\{\{[^}]*\binclude\s+"([^"]+)"/g)].map(([, name]) => name!);
}

/** What a file says, or all that is wrong with it. */
export function parseFile(
  file: WorkflowFile,
): { readonly workflow: Workflow } | FaultyWorkflow {
  if (file.problem !== undefined) return { errors: [file.problem], rest: null };
  let value: unknown;
  try {
    value = parseYaml(file.text);
  } catch (thrown) {
    return { errors: [messageOf(thrown)], rest: null };
  }
  return parseWorkflow(value);
}

function invalid(file: WorkflowFile, why: string) {
  return refusal("WORKFLOW_INVALID", {
    what: `Cannot use workflow "${file.name}"`,
    why: `${file.path ?? "a part of the program"}: ${why}`,
    next: `conclaude workflow preview ${file.name}`,
    details: { workflow: file.name },
  });
}

/** The files of a folder; hidden ones are those of editors. */
function filesIn(folder: string, pattern: RegExp): { name: string; path: string }[] {
  try {
    return [...Deno.readDirSync(folder)]
      .filter((entry) => !entry.name.startsWith("."))
      .map((entry) => ({ name: pattern.exec(entry.name)?.[1], path: joinPath(folder, entry.name) }))
      .filter((file): file is { name: string; path: string } => file.name !== undefined)
      .sort((a, b) => a.path < b.path ? -1 : 1);
  } catch {
    return [];
  }
}

/** Never throws: a file that cannot be read is no obstacle for the others. */
function readText(path: string, projectDir: string): Pick<WorkflowFile, "text" | "problem"> {
  try {
    const leftOut = whyNotOf(projectDir, path);
    if (leftOut !== null) return { text: "", problem: leftOutText(leftOut) };
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return { text: "", problem: "it is no file" };
    if (size > MAX_FILE_BYTES) return { text: "", problem: "the file is larger than 1 MiB" };
    const text = Deno.readTextFileSync(path);
    return text.includes("\0") ? { text: "", problem: "the file holds no text" } : { text };
  } catch (thrown) {
    return { text: "", problem: `the file cannot be read: ${messageOf(thrown)}` };
  }
}

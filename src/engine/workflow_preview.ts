/** What a workflow's file would do for a task. Nothing is executed. */
import { previewWorkflow, type WorkflowPreview } from "../orchestration/preview.ts";
import type { TaskFacts } from "../orchestration/task_facts.ts";
import type { Workflow } from "../orchestration/workflow.ts";
import { findPrompt, parseFile, type WorkflowFile } from "./workflow_files.ts";

/** A file that was looked at. */
export interface FilePreview extends WorkflowPreview {
  /** Null when the file cannot be read as a workflow. */
  readonly workflow: Workflow | null;
  /** Things that work, but are probably not meant. */
  readonly warnings: readonly string[];
}

/** Stands for a task where none is named. */
const NO_TASK: TaskFacts = {
  id: "00000000-0000-7000-8000-000000000000",
  title: "An example",
  body: "What there is to know of it.",
  type: "task",
  priority: 2,
  tags: [],
};

/** Looks at a workflow with all that its prompts and templates name. @param task Null: an example. */
export function previewFile(
  file: WorkflowFile,
  { projectDir, task }: { readonly projectDir: string; readonly task: TaskFacts | null },
): FilePreview {
  const parsed = parseFile(file);
  const look = (workflow: Workflow) =>
    previewWorkflow(workflow, {
      task: task ?? NO_TASK,
      prompts: (name) => findPrompt(name, projectDir),
    });
  if ("errors" in parsed) {
    const { errors, rest } = parsed;
    const more = rest === null ? [] : errorsBeside(errors, look(rest));
    return {
      workflow: null,
      steps: [],
      errors: [...errors, ...more],
      warnings: [],
      isValid: false,
    };
  }
  const { workflow } = parsed;
  const isOther = file.path !== null && workflow.name !== file.name;
  const warnings = isOther
    ? [`its file says name: ${workflow.name}, but the file's name counts: ${file.name}`]
    : [];
  return { workflow, warnings, ...look(workflow) };
}

/** What a look at the steps finds beside what was found when they were read. */
function errorsBeside(errors: readonly string[], { steps }: WorkflowPreview): string[] {
  return steps.flatMap(({ step, errors: found }) => {
    const title = `step "${step.name}": `;
    const own = errors.filter((error) => error.startsWith(title));
    const isEmpty = step.name === "" || (step.type === "agent" && step.prompt.trim() === "");
    return isEmpty
      ? []
      : found.filter((error) => !own.some((one) => one.endsWith(error))).map((one) => title + one);
  });
}

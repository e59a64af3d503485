/** What a workflow's file would do for a task. Nothing is executed. */
import { previewWorkflow, type WorkflowPreview } from "../orchestration/preview.ts";
import type { TaskFacts } from "../orchestration/task_facts.ts";
import type { Workflow } from "../orchestration/workflow.ts";
import { findPrompt, parseFile, type WorkflowFile } from "./workflow_files.ts";

/** A file that was looked at. */
export interface FilePreview extends WorkflowPreview {
  /** Null when the file cannot be read as a workflow. */
  readonly workflow: Workflow | null;
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
  if ("errors" in parsed) {
    return { workflow: null, steps: [], errors: parsed.errors, isValid: false };
  }
  const preview = previewWorkflow(parsed.workflow, {
    task: task ?? NO_TASK,
    prompts: (name) => findPrompt(name, projectDir),
  });
  return { workflow: parsed.workflow, ...preview };
}

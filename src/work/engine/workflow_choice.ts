/** Chooses the workflow of a task with the project's matchers and the configuration. */
import type { DatabaseSync } from "node:sqlite";
import { parse as parseYaml } from "yaml";
import { foldersOf, leftOutText, MATCHERS, whyNotOf } from "../../config/left_out.ts";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import { messageOf } from "../../base/errors.ts";
import { DEFAULT_WORKFLOW } from "../builtins.ts";
import {
  chooseWorkflow,
  type MatcherFile,
  parseMatchers,
  type WorkflowChoice,
} from "../matchers.ts";
import type { Task } from "../task.ts";
import { joinPath } from "../../base/paths.ts";
import { readWorkflowOfTask } from "../workflows_table.ts";
import { isNotFound, readTextFileSync } from "../../system/files.ts";

export interface ProjectMatchers extends MatcherFile {
  readonly path: string | null;
}

/** Reads the matchers of a project. A change counts from the next task on. Never throws: faults are warnings. */
export function readMatchers(projectDir: string): ProjectMatchers {
  const leftOut: string[] = [];
  for (const folder of foldersOf(projectDir)) {
    const path = joinPath(folder, MATCHERS);
    const why = whyNotOf(projectDir, path);
    if (why !== null) {
      leftOut.push(`${path}: ${leftOutText(why)}`);
      continue;
    }
    try {
      const { matchers, warnings } = parseMatchers(parseYaml(readTextFileSync(path)));
      return { path, matchers, warnings: [...leftOut, ...told(warnings, path)] };
    } catch (thrown) {
      if (isNotFound(thrown)) continue;
      return { path, matchers: [], warnings: [...leftOut, ...told([messageOf(thrown)], path)] };
    }
  }
  return { path: null, matchers: [], warnings: leftOut };
}

function told(warnings: readonly string[], path: string): string[] {
  return warnings.map((warning) => `${path}: ${warning}`);
}

/** The workflow of a task, why it was chosen, and the faults of the project's matchers. */
export function chooseFor(
  db: DatabaseSync,
  task: Task & { readonly projectDir: string },
  { defaultWorkflow }: Pick<OrchestrationSettings, "defaultWorkflow">,
): WorkflowChoice & Omit<ProjectMatchers, "matchers"> {
  const { path, matchers, warnings } = readMatchers(task.projectDir);
  const facts = { ...task, workflowHint: task.workflow, hasParent: task.parentId !== null };
  const choice = chooseWorkflow(facts, matchers, {
    parentWorkflow: task.parentId === null
      ? null
      : readWorkflowOfTask(db, task.parentId)?.name ?? null,
    default: defaultWorkflow ?? DEFAULT_WORKFLOW,
  });
  return { ...choice, path, warnings };
}

/** Which workflow a task gets: by what it says itself, by the project's matchers, or as the configuration says. */
import type { DatabaseSync } from "node:sqlite";
import { parse as parseYaml } from "yaml";
import { foldersOf, leftOutText, MATCHERS, whyNotOf } from "../config/left_out.ts";
import type { OrchestrationSettings } from "../orchestration/orchestration_section.ts";
import { messageOf } from "../errors.ts";
import { DEFAULT_WORKFLOW } from "../orchestration/builtins.ts";
import { type MatcherFile, parseMatchers } from "../orchestration/matcher_file.ts";
import { chooseWorkflow, type WorkflowChoice } from "../orchestration/matchers.ts";
import type { Task } from "../orchestration/task.ts";
import { joinPath } from "../paths.ts";
import { readWorkflowOfTask } from "../store/workflows.ts";

/** The matchers of a project, as they are now. */
export interface ProjectMatchers extends MatcherFile {
  /** Null when there is no file. */
  readonly path: string | null;
}

/** Reads the matchers of a project; the file counts from the next task on. Never throws: what is wrong is a warning. */
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
      const { matchers, warnings } = parseMatchers(parseYaml(Deno.readTextFileSync(path)));
      return { path, matchers, warnings: [...leftOut, ...told(warnings, path)] };
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) continue;
      return { path, matchers: [], warnings: [...leftOut, ...told([messageOf(thrown)], path)] };
    }
  }
  return { path: null, matchers: [], warnings: leftOut };
}

function told(warnings: readonly string[], path: string): string[] {
  return warnings.map((warning) => `${path}: ${warning}`);
}

/** The workflow of a task, why, and what is wrong with the project's matchers. */
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

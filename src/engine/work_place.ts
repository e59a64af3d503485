/** Whether a workflow can be worked on where its task is: asked before anything is begun. */
import { findRepository, lookUpwards } from "../git/repository.ts";
import { refusal } from "../orchestration/refusal.ts";
import type { Task } from "../orchestration/task.ts";
import type { Workflow } from "../orchestration/workflow.ts";
import { parentOf } from "../paths.ts";

/** The folder in which a task is worked on. */
export interface WorkPlace {
  readonly projectDir: string;
  /** The user's; null when there is none. */
  readonly home: string | null;
}

/**
 * Why a workflow cannot be run in a folder; null when it can. Outside of a repository agents work in the folder itself:
 * there is nothing to merge, and where everything else of a user lies is no place for them.
 */
export function placeFault(
  { steps }: Pick<Workflow, "steps">,
  { projectDir, home }: WorkPlace,
): string | null {
  if (findRepository(lookUpwards(projectDir)) !== undefined) return null;
  const outside = `${projectDir} is in no git repository`;
  const merge = steps.find(({ type }) => type === "merge");
  if (merge !== undefined) return `${outside}, so its step "${merge.name}" has nothing to merge`;
  const real = realPath(projectDir);
  if (parentOf(real) === real) return `${outside}, and agents do not work in the whole file system`;
  return home !== null && real === realPath(home)
    ? `${outside}, and agents do not work in the home folder itself`
    : null;
}

/** @throws {UserError} INVALID_INPUT when a workflow cannot be run where its task is. */
export function checkPlace({ id }: Task, workflow: Workflow, place: WorkPlace): void {
  const fault = placeFault(workflow, place);
  if (fault === null) return;
  throw refusal("INVALID_INPUT", {
    what: `Cannot work on task ${id} by the workflow "${workflow.name}"`,
    why: fault,
    next: "make the folder a repository with `git init` and a first commit, or choose another " +
      `workflow: conclaude task update ${id} --workflow NAME`,
    details: { taskId: id, workflow: workflow.name },
  });
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

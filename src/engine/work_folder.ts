/** Where the steps of a workflow are run: a working tree of its own, or the project where there is no repository. */
import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import type { OrchestrationSettings } from "../orchestration/orchestration_section.ts";
import { findRepository, lookUpwards, type Repository } from "../git/repository.ts";
import { runGit } from "../git/run_git.ts";
import { ensureTree, excludeFolder, lookAtTree, removeTree } from "../git/task_trees.ts";
import { branchName } from "../orchestration/branch.ts";
import type { Task } from "../orchestration/task.ts";
import { isAbsolutePath, joinPath, parentOf } from "../paths.ts";
import { exists } from "../project/on_disk.ts";
import { transaction } from "../store/database.ts";
import { changeWorkflow, type WorkflowRow } from "../store/workflows.ts";
import { lossBefore } from "./lost_tree.ts";
import { inTurn } from "./tree_turns.ts";

/** The folder of the working trees when the configuration names none. */
const TREES = ".conclaude/worktrees";

/** So much of a task's id names its folder: the end, which differs from task to task. */
const ID_CHARS = 12;

/** The folder, or why there is none. */
export type WorkFolder =
  | { readonly kind: "ready"; readonly folder: string }
  | { readonly kind: "failed"; readonly why: string };

/** Makes the folder of a workflow, or finds the one that it has. What it is, is written down with the workflow. */
export async function ensureFolder(
  db: DatabaseSync,
  { workflow, task, config, atMs }: {
    readonly workflow: WorkflowRow;
    readonly task: Task;
    readonly config: OrchestrationSettings;
    readonly atMs: number;
  },
): Promise<WorkFolder> {
  const { projectDir } = workflow;
  if (projectDir === null) return { kind: "failed", why: "the task belongs to no project" };
  const repository = findRepository(lookUpwards(projectDir));
  if (repository === undefined) {
    return exists(projectDir)
      ? { kind: "ready", folder: projectDir }
      : { kind: "failed", why: `the folder of the project, ${projectDir}, does not exist` };
  }
  const base = await baseOf(repository, workflow, config);
  if (base.kind === "failed") return base;
  const root = mainRoot(repository);
  const trees = config.worktreePath ?? TREES;
  const folder = isAbsolutePath(trees) ? trees : joinPath(root, trees);
  if (!isAbsolutePath(trees)) excludeFolder(repository, `/${trees.replace(/^\.?\/|\/$/g, "")}/`);
  const tree = workflow.worktree !== null && workflow.branch !== null
    ? { path: workflow.worktree, branch: workflow.branch }
    : {
      path: joinPath(folder, task.id.replaceAll("-", "").slice(-ID_CHARS)),
      branch: branchName(task.id, task.title),
    };
  const loss = await lossBefore(db, workflow);
  if (loss !== null) return { kind: "failed", why: loss.why };
  transaction(db, () =>
    changeWorkflow(db, workflow.id, {
      repository: repository.commonDir,
      worktree: tree.path,
      branch: tree.branch,
      baseBranch: base.branch,
      baseCommit: base.commit,
    }, { event: null, atMs }));
  // What was merged is there, also when its branch has been taken away since.
  const begin = workflow.mergeCommit ?? base.commit;
  const made = await inTurn(repository.commonDir, () => ensureTree(repository, tree, begin));
  return made.kind === "failed" ? made : { kind: "ready", folder: tree.path };
}

async function baseOf(
  repository: Repository,
  workflow: WorkflowRow,
  { baseBranch }: OrchestrationSettings,
): Promise<
  | { readonly kind: "found"; readonly branch: string; readonly commit: string }
  | { readonly kind: "failed"; readonly why: string }
> {
  if (workflow.baseBranch !== null && workflow.baseCommit !== null) {
    return { kind: "found", branch: workflow.baseBranch, commit: workflow.baseCommit };
  }
  const branch = baseBranch ?? repository.branch;
  if (branch === null) {
    return {
      kind: "failed",
      why:
        `no branch is checked out in ${repository.root}, so there is none to work for; check one out, or ` +
        "name one in orchestration.baseBranch",
    };
  }
  const found = await runGit(
    ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`],
    {
      folder: repository.commonDir,
    },
  );
  return found.code === 0
    ? { kind: "found", branch, commit: found.stdout.trim() }
    : { kind: "failed", why: `branch ${branch} has no commit` };
}

/** The top of the main working tree; of a bare repository the working tree that was found. */
function mainRoot({ commonDir, root }: Repository): string {
  return /[\\/]\.git$/.test(commonDir) ? parentOf(commonDir) : root;
}

/**
 * Takes the working tree of a workflow that is over away, where nothing would be lost with it.
 *
 * @returns Why it stays; null when it is gone.
 */
export async function removeFolder(workflow: WorkflowRow): Promise<string | null> {
  const { worktree, branch, baseBranch, repository } = workflow;
  if (worktree === null || branch === null || baseBranch === null || repository === null) {
    return null;
  }
  const state = await lookAtTree(worktree, `refs/heads/${baseBranch}`);
  if (state === null && exists(worktree)) return `${worktree} stays: git cannot tell what is in it`;
  if (state?.isDirty) return `${worktree} stays: there is work in it that is not committed`;
  if (state !== null && state.ahead > 0) {
    return `${worktree} stays: ${branch} has ${
      count(state.ahead, "commit")
    } that ${baseBranch} has not`;
  }
  await inTurn(
    repository,
    () => removeTree({ commonDir: repository }, { path: worktree, branch }, baseBranch),
  );
  return null;
}

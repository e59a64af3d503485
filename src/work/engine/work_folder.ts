/** Makes, restores and removes the folder of a workflow's steps: its own working tree, or a project outside of git. */
import { count } from "../../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import {
  findRepository,
  hasBranch,
  lookUpwards,
  type Repository,
} from "../../system/git/repository.ts";
import { runGit } from "../../system/git/run_git.ts";
import { ensureTree, excludeFolder, lookAtTree, removeTree } from "../../system/git/task_trees.ts";
import type { Task } from "../task.ts";
import { isAbsolutePath, joinPath, parentOf } from "../../base/paths.ts";
import { exists } from "../../system/on_disk.ts";
import { transaction } from "../../db/transaction.ts";
import * as work from "../store.ts";
import { refusal } from "../refusal.ts";
import type { Workflow } from "../workflow.ts";
import { realOr } from "../../system/files.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { type Review, reviewTree } from "../../system/git/merge.ts";

const TREES = ".conclaude/worktrees";

/** How many last characters of a task's id name its folder: the end differs from task to task. */
const ID_CHARS = 12;

/** Makes or finds the folder of a workflow, and stores it with the workflow. */
export async function ensureFolder(
  db: DatabaseSync,
  { workflow, task, config, atMs }: {
    readonly workflow: work.WorkflowRow;
    readonly task: Task;
    readonly config: OrchestrationSettings;
    readonly atMs: number;
  },
): Promise<{ readonly folder: string } | { readonly why: string }> {
  const { projectDir } = workflow;
  if (projectDir === null) return { why: "the task belongs to no project" };
  const repository = findRepository(lookUpwards(projectDir));
  if (repository === undefined) {
    return exists(projectDir)
      ? { folder: projectDir }
      : { why: `the folder of the project, ${projectDir}, does not exist` };
  }
  const base = await baseOf(repository, workflow, config);
  if ("why" in base) return base;
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
  const loss = lossBefore(db, workflow);
  if (loss !== null) return loss;
  transaction(db, () =>
    work.changeWorkflow(db, workflow.id, {
      repository: repository.commonDir,
      worktree: tree.path,
      branch: tree.branch,
      baseBranch: base.branch,
      baseCommit: base.commit,
    }, { event: null, atMs }));
  // After a merge, the merge commit is the base even when the branch is gone.
  const begin = workflow.mergeCommit ?? base.commit;
  const made = await inTurn(repository.commonDir, () => ensureTree(repository, tree, begin));
  return made.kind === "failed" ? made : { folder: tree.path };
}

/** Finds the branch that the work will be merged into, and its commit; else explains why there is none. */
async function baseOf(
  { root, branch: checkedOut, commonDir }: Repository,
  workflow: work.WorkflowRow,
  { baseBranch }: OrchestrationSettings,
): Promise<{ readonly branch: string; readonly commit: string } | { readonly why: string }> {
  if (workflow.baseBranch !== null && workflow.baseCommit !== null) {
    return { branch: workflow.baseBranch, commit: workflow.baseCommit };
  }
  const branch = baseBranch ?? checkedOut;
  if (branch === null) {
    const why =
      `no branch is checked out in ${root}, so there is none to work for; check one out, or ` +
      "name one in orchestration.baseBranch";
    return { why };
  }
  const commit = `refs/heads/${branch}^{commit}`;
  const found = await runGit(["rev-parse", "--verify", "--quiet", commit], { folder: commonDir });
  return found.code === 0
    ? { branch, commit: found.stdout.trim() }
    : { why: `branch ${branch} has no commit` };
}

/** Returns the top of the main working tree; in a bare repository, the current working tree. */
function mainRoot({ commonDir, root }: Repository): string {
  return /[\\/]\.git$/.test(commonDir) ? parentOf(commonDir) : root;
}

/** Removes a completed workflow's working tree, unless work would be lost. @returns Why it stays; null if gone. */
export async function removeFolder(workflow: work.WorkflowRow): Promise<string | null> {
  const tree = treeOf(workflow);
  const { baseBranch } = workflow;
  if (tree === null || baseBranch === null) return null;
  const { path, branch } = tree;
  const state = await lookAtTree(path, `refs/heads/${baseBranch}`);
  if (state === null && exists(path)) return `${path} stays: git cannot tell what is in it`;
  if (state?.isDirty) return `${path} stays: there is work in it that is not committed`;
  if (state !== null && state.ahead > 0) {
    const commits = count(state.ahead, "commit");
    return `${path} stays: ${branch} has ${commits} that ${baseBranch} has not`;
  }
  await inTurn(tree.commonDir, () => removeTree(tree, tree, baseBranch));
  return null;
}

interface WorkPlace {
  readonly projectDir: string;
  readonly home: string | null;
}

/**
 * Explains why a workflow cannot run in a folder; null when it can. Outside of a repository, agents work in the folder
 * itself, so there is nothing to merge, and they must not work in the home folder or the root.
 */
export function placeFault(
  { steps }: Pick<Workflow, "steps">,
  { projectDir, home }: WorkPlace,
): string | null {
  if (findRepository(lookUpwards(projectDir)) !== undefined) return null;
  const outside = `${projectDir} is in no git repository`;
  const merge = steps.find(({ type }) => type === "merge");
  if (merge !== undefined) return `${outside}, so its step "${merge.name}" has nothing to merge`;
  const real = realOr(projectDir);
  if (parentOf(real) === real) return `${outside}, and agents do not work in the whole file system`;
  return home !== null && real === realOr(home)
    ? `${outside}, and agents do not work in the home folder itself`
    : null;
}

/** Checks the folder of a task. @throws {UserError} INVALID_INPUT when the workflow cannot run there. */
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

/** Names the branch of a task: `conclaude/<id>`, then words of the title. */
export function branchName(taskId: string, title = ""): string {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-|-$/g, "");
  return `conclaude/${taskId}${words === "" ? "" : `-${words}`}`;
}

interface Obstacle {
  readonly why: string;
  readonly next: string;
}

/** Returns the working tree of a workflow, its branch and its repository; null when it has none. */
export function treeOf({ worktree: path, branch, repository: commonDir }: work.WorkflowRow) {
  return path === null || branch === null || commonDir === null
    ? null
    : { path, branch, commonDir };
}

/**
 * Restores the missing working tree of a workflow from its branch, which holds the commits.
 * @returns Why the work cannot be shown or merged; null when the tree exists, or there never was one.
 */
async function restoreTree(workflow: work.WorkflowRow): Promise<Obstacle | null> {
  const tree = treeOf(workflow);
  if (tree === null || exists(joinPath(tree.path, ".git"))) return null;
  const { path, branch, commonDir } = tree;
  if (!hasBranch(tree, branch)) {
    return lost(workflow, `its working tree ${path} and its branch ${branch} are gone`);
  }
  const range = `${workflow.baseCommit}..refs/heads/${branch}`;
  const count = await runGit(["rev-list", "--count", range], { folder: commonDir });
  if (workflow.mergeCommit === null && count.stdout.trim() === "0") {
    const why = `its working tree ${path} is gone, and nothing was committed on ${branch}`;
    return lost(workflow, why);
  }
  const made = await inTurn(commonDir, () => ensureTree(tree, tree, branch));
  return made.kind === "failed" ? lost(workflow, made.why) : null;
}

/** Restores a missing working tree. Returns why the work cannot be merged; null when it can. */
export async function mergeObstacle(workflow: work.WorkflowRow): Promise<Obstacle | null> {
  const { repository, baseBranch, baseCommit } = workflow;
  const obstacle = await restoreTree(workflow);
  if (obstacle !== null || repository === null || baseBranch === null) return obstacle;
  if (hasBranch({ commonDir: repository }, baseBranch)) return null;
  return {
    why: `there is no branch ${baseBranch} any more; the work began at ${baseCommit}`,
    next: `git -C ${quoteWord(repository)} branch ${quoteWord(baseBranch)} ${baseCommit}`,
  };
}

/** Reports lost work of earlier steps, without which a later step must not begin; null when nothing is lost. */
function lossBefore(db: DatabaseSync, workflow: work.WorkflowRow): Obstacle | null {
  const tree = treeOf(workflow);
  if (tree === null || workflow.mergeCommit !== null) return null;
  const { path, branch } = tree;
  if (exists(joinPath(path, ".git")) || hasBranch(tree, branch)) return null;
  const hasWorked = work.listSteps(db, workflow.id)
    .some(({ status, agentId }) => status === "finished" && agentId !== null);
  const why = `its working tree ${path} and its branch ${branch} are gone`;
  return hasWorked ? lost(workflow, why) : null;
}

/** Makes the obstacle of lost work. A retry runs no finished step, so only a new workflow can do the work anew. */
function lost({ id, taskId }: work.WorkflowRow, why: string): Obstacle {
  return {
    why: `${why}; to have the work done anew, cancel the workflow and start the task again`,
    next: `conclaude workflow cancel ${id} && conclaude workflow start ${taskId}`,
  };
}

/** The running change of each repository's working trees, since git cannot make two changes at once. */
const TURNS = new Map<string, Promise<unknown>>();

/** Changes the working trees of a repository after its earlier changes have ended. */
function inTurn<Result>(commonDir: string, job: () => Promise<Result>): Promise<Result> {
  const turn = (TURNS.get(commonDir) ?? Promise.resolve()).then(job, job);
  TURNS.set(commonDir, turn);
  return turn;
}

/** Reviews all work of a workflow since its start. @throws {UserError} INVALID_STATUS when there is nothing to show. */
export async function reviewWorkflow(workflow: work.WorkflowRow): Promise<Review> {
  const { worktree, branch, baseBranch, baseCommit, mergeCommit } = workflow;
  if (worktree === null || branch === null || baseBranch === null || baseCommit === null) {
    if (mergeCommit === null) throw nothingToSee(workflow, "it has no working tree");
    const why = `its work was merged as ${mergeCommit}, and its working tree is gone`;
    throw nothingToSee(workflow, why, `git show -m --first-parent ${mergeCommit}`);
  }
  const obstacle = await restoreTree(workflow);
  if (obstacle !== null) throw nothingToSee(workflow, obstacle.why, obstacle.next);
  const review = await reviewTree({ path: worktree }, { base: baseCommit, target: baseBranch });
  if ("kind" in review) throw nothingToSee(workflow, review.why);
  return review;
}

/**
 * Reviews all work in the working tree of a sub-agent, committed or not, compared with the main working tree's commit.
 * @throws {UserError} INVALID_STATUS when there is nothing to show.
 */
export async function reviewAgent(agent: work.Agent): Promise<Review> {
  const { worktree, sessionId } = agent;
  const next = sessionId === null
    ? `conclaude agent show ${agent.id}`
    : `conclaude session log ${sessionId}`;
  if (worktree === null) throw nothingToSee(agent, "it had no working tree of its own", next);
  const repository = exists(worktree) ? findRepository(lookUpwards(worktree)) : undefined;
  if (repository === undefined) {
    throw nothingToSee(agent, `its working tree ${worktree} is gone`, next);
  }
  const main = await runGit(["rev-parse", "HEAD"], { folder: repository.commonDir });
  const commit = main.stdout.trim();
  const review = await reviewTree({ path: repository.root }, { base: commit, target: commit });
  if ("kind" in review) throw nothingToSee(agent, review.why, next);
  return review;
}

function nothingToSee(subject: work.WorkflowRow | work.Agent, why: string, next?: string) {
  const { id, status } = subject;
  const kind = "pid" in subject ? "agent" : "workflow";
  return refusal("INVALID_STATUS", {
    what: `There is no work of ${kind} ${id} to be shown`,
    why,
    next: next ?? `conclaude ${kind} show ${id}`,
    details: { ...kind === "agent" ? { agentId: id } : {}, currentStatus: status },
  });
}

/** Merges a task's branch into another one. When it fails, the other branch stays as it was. */
import { joinPath } from "../../base/paths.ts";
import { exists, isFolder } from "../on_disk.ts";
import { removeQuietly } from "../write_file.ts";
import { gitFolders, type Repository } from "./repository.ts";
import { gitIn, runGit } from "./run_git.ts";
import type { TaskTree } from "./task_trees.ts";
import { operationIn, workingTreeOf } from "./working_trees.ts";

export type MergeResult =
  /** `commit` is null when there was nothing to merge. */
  | { readonly kind: "merged"; readonly commit: string | null }
  | { readonly kind: "conflicts"; readonly files: readonly string[] }
  | { readonly kind: "failed"; readonly why: string };

/** How often a merge is tried: the target may move meanwhile. */
const ROUNDS = 5;

/**
 * Commits all changes of the working tree, and merges them into the target.
 *
 * `git merge-tree` makes the merge in git's object store, so a conflict touches no file. Then the target moves to the
 * finished commit. Where a working tree has the target checked out, the move is a fast-forward, which git refuses if it
 * would overwrite uncommitted changes. Otherwise only the branch moves, if nobody else has moved it.
 */
export async function mergeTree(
  repository: Pick<Repository, "commonDir">,
  { path }: Pick<TaskTree, "path">,
  { target, message, workMessage }: {
    readonly target: string;
    readonly message: string;
    /** The message for the commit of the uncommitted changes. */
    readonly workMessage: string;
  },
): Promise<MergeResult> {
  if (!exists(path)) return { kind: "failed", why: `its working tree ${path} is gone` };
  const { commonDir } = repository;
  const committed = await commitAll(path, { message: workMessage, target, commonDir });
  if (committed !== null) return { kind: "failed", why: committed };
  // The person reviewed HEAD, even if the agent has switched to another branch.
  const work = await revision(path, "HEAD");
  if (work === null) return { kind: "failed", why: `${path} has no commit` };
  for (let round = 0; round < ROUNDS; round++) {
    const result = await mergeOnce(repository, { work, target, message });
    if (result === "moved") continue;
    // Later work in the tree starts from the new target.
    if (result.kind === "merged") {
      await gitIn(path, "merge", "--ff-only", "--quiet", target);
    }
    return result;
  }
  return { kind: "failed", why: `${target} keeps moving` };
}

async function mergeOnce(
  repository: Pick<Repository, "commonDir">,
  { work, target, message }: Readonly<{ work: string; target: string; message: string }>,
): Promise<MergeResult | "moved"> {
  const folder = repository.commonDir;
  const into = await revision(folder, `refs/heads/${target}`);
  if (into === null) return { kind: "failed", why: `there is no branch ${target}` };
  const contained = await gitIn(folder, "merge-base", "--is-ancestor", work, into);
  if (contained.code === 0) {
    return { kind: "merged", commit: await mergeCommitOf(folder, { work, into }) };
  }
  const tree = await mergeTrees(folder, into, work);
  if (tree.kind !== "tree") return tree;
  const words = ["commit-tree", tree.id, "-p", into, "-p", work, "-m", message];
  const commit = await gitIn(folder, ...await authorFlags(folder), ...words);
  if (commit.code !== 0) return { kind: "failed", why: commit.complaint };
  return await move(repository, { target, from: into, to: commit.stdout.trim() });
}

/** Merges two commits in git's object store; no file changes. */
async function mergeTrees(folder: string, into: string, work: string) {
  const merged = await gitIn(folder, "merge-tree", "--write-tree", "--name-only", "-z", into, work);
  const [id = "", ...rest] = merged.stdout.split("\0");
  if (merged.code === 0) return { kind: "tree", id } as const;
  if (merged.code !== 1) return { kind: "failed", why: merged.complaint } as const;
  // The names of the files in conflict end with an empty one; messages follow.
  return { kind: "conflicts", files: rest.slice(0, rest.indexOf("")) } as const;
}

async function move(
  repository: Pick<Repository, "commonDir">,
  { target, from, to }: { readonly target: string; readonly from: string; readonly to: string },
): Promise<MergeResult | "moved"> {
  const tree = workingTreeOf(repository, target);
  const ref = `refs/heads/${target}`;
  const moved = tree === undefined
    ? await gitIn(repository.commonDir, "update-ref", "-m", "merge", ref, to, from)
    : await gitIn(tree.root, "merge", "--ff-only", "--quiet", to);
  if (moved.code === 0) return { kind: "merged", commit: to };
  const now = await revision(repository.commonDir, ref);
  if (now !== from && now !== null) return "moved";
  const where = tree === undefined ? "" : ` in ${tree.root}`;
  return { kind: "failed", why: `git could not move ${target}${where}: ${moved.complaint}` };
}

/** Commits everything in a working tree. @returns Why that fails; null when all is committed. */
async function commitAll(
  folder: string,
  { message, target, commonDir }: Pick<Repository, "commonDir"> & {
    readonly message: string;
    readonly target: string;
  },
): Promise<string | null> {
  const unfinished = await unfinishedIn(folder, commonDir);
  if (unfinished !== null) return unfinished;
  const added = await gitIn(folder, "add", "--all");
  if (added.code !== 0) return added.complaint;
  const nested = await nestedRepositories(folder, `refs/heads/${target}`);
  if (nested.length > 0) {
    await gitIn(folder, "reset", "--quiet", "--", ...nested);
    return `${nested.join(", ")} in ${folder} is a repository of its own, and its files would be ` +
      "lost: move it elsewhere, take its .git away, or ignore it";
  }
  const clean = await gitIn(folder, "diff", "--cached", "--quiet");
  if (clean.code === 0) return null;
  const flags = await authorFlags(folder);
  const committed = await gitIn(folder, ...flags, "commit", "--quiet", "-m", message);
  return committed.code === 0 ? null : `git commit: ${committed.complaint}`;
}

/** Returns flags that make conclaude the author where git knows none. */
async function authorFlags(folder: string): Promise<string[]> {
  const known = await gitIn(folder, "var", "GIT_COMMITTER_IDENT");
  return known.code === 0
    ? []
    : ["-c", "user.name=conclaude", "-c", "user.email=conclaude@localhost"];
}

async function revision(folder: string, name: string): Promise<string | null> {
  const found = await gitIn(folder, "rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  return found.code === 0 ? found.stdout.trim() : null;
}

/** Returns the merge commit that brought a commit in; null where there is none. */
async function mergeCommitOf(
  folder: string,
  { work, into }: { readonly work: string; readonly into: string },
): Promise<string | null> {
  const words = ["rev-list", "--merges", "--parents", "--ancestry-path"];
  const found = await gitIn(folder, ...words, `${work}..${into}`);
  for (const line of found.stdout.split("\n")) {
    const [commit, , ...brought] = line.split(" ");
    if (brought.includes(work)) return commit!;
  }
  return null;
}

export interface Review {
  /** `3 files changed, 10 insertions(+), 2 deletions(-)`; empty where nothing is different. */
  readonly summary: string;
  readonly files: readonly {
    readonly path: string;
    /** Null for a binary file. */
    readonly added: number | null;
    readonly removed: number | null;
  }[];
  readonly diff: string;
  /** Files that would conflict with the target as it is now. */
  readonly conflicts: readonly string[];
}

/** Shows all work of a task since its base: committed, uncommitted and new files. */
export async function reviewTree(
  { path: folder }: Pick<TaskTree, "path">,
  { base, target }: { readonly base: string; readonly target: string },
): Promise<Review | { readonly kind: "failed"; readonly why: string }> {
  const index = Deno.makeTempFileSync({ prefix: "conclaude-index-" });
  const variables = { GIT_INDEX_FILE: index };
  try {
    // Git works on a temporary index, so the review changes nothing.
    Deno.removeSync(index);
    await runGit(["read-tree", "HEAD"], { folder, variables });
    const added = await runGit(["add", "--all"], { folder, variables });
    if (added.code !== 0) return { kind: "failed", why: added.complaint };
    const tree = (await runGit(["write-tree"], { folder, variables })).stdout.trim();
    const since = (await gitIn(folder, "merge-base", base, "HEAD")).stdout.trim() || base;
    const options = ["diff", "--no-color", "--no-ext-diff", "-M"];
    const diff = await gitIn(folder, ...options, since, tree);
    const counts = await gitIn(folder, ...options, "--numstat", "-z", "--no-renames", since, tree);
    const summary = await gitIn(folder, ...options, "--shortstat", since, tree);
    if (diff.code !== 0) return { kind: "failed", why: diff.complaint };
    const unresolved = await unresolvedFiles(folder);
    return {
      summary: summary.stdout.trim(),
      files: counts.stdout.split("\0").filter((line) => line !== "").map((line) => {
        const [plus, minus, ...name] = line.split("\t");
        return { path: name.join("\t"), added: numberOf(plus), removed: numberOf(minus) };
      }),
      diff: diff.stdout,
      conflicts: [...new Set([...unresolved, ...await conflictsOf(folder, { tree, target })])],
    };
  } finally {
    removeQuietly(index);
    removeQuietly(`${index}.lock`);
  }
}

async function conflictsOf(
  folder: string,
  { tree, target }: { readonly tree: string; readonly target: string },
): Promise<readonly string[]> {
  const flags = await authorFlags(folder);
  const commit = await gitIn(folder, ...flags, "commit-tree", tree, "-p", "HEAD", "-m", "review");
  if (commit.code !== 0) return [];
  const merged = await mergeTrees(folder, target, commit.stdout.trim());
  return merged.kind === "conflicts" ? merged.files : [];
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === "-" ? null : Number(text);
}

async function unresolvedFiles(folder: string): Promise<readonly string[]> {
  const { stdout } = await gitIn(folder, "ls-files", "--unmerged", "-z");
  const names = stdout.split("\0").filter((line) => line !== "")
    .map((line) => line.slice(line.indexOf("\t") + 1));
  return [...new Set(names)];
}

/** Describes what is unfinished in a working tree; null when nothing is. */
async function unfinishedIn(root: string, commonDir: string): Promise<string | null> {
  const files = await unresolvedFiles(root);
  if (files.length > 0) return `conflicts in ${files.join(", ")} are not resolved in ${root}`;
  const operation = operationIn(gitFolders({ root, commonDir }).at(-1)!);
  if (operation !== "rebase" && operation !== "am") return null;
  return `${operation === "am" ? "git am" : "a rebase"} is under way in ${root}`;
}

/** Returns repositories inside of a working tree that git would store without their files. */
async function nestedRepositories(folder: string, target: string): Promise<readonly string[]> {
  const { stdout } = await gitIn(folder, "diff", "--cached", "--raw", "-z", "--no-renames", target);
  const parts = stdout.split("\0");
  const nested: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [, mode] = parts[i]!.split(" ");
    const git = joinPath(folder, `${parts[i + 1]}/.git`);
    if (mode === "160000" && isFolder(git)) nested.push(parts[i + 1]!);
  }
  return nested;
}

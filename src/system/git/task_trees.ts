/** Makes, inspects and removes the working tree and the branch of a task. */
import { quietly } from "../../base/errors.ts";
import { joinPath, parentOf } from "../../base/paths.ts";
import { exists } from "../on_disk.ts";
import { realPath } from "../real_paths.ts";
import { hasBranch, type Repository } from "./repository.ts";
import { gitIn } from "./run_git.ts";

export type TaskTree = Readonly<{ path: string; branch: string }>;

export interface GitFailure {
  readonly kind: "failed";
  /** The reason in git's words. */
  readonly why: string;
}

/** Makes the working tree of a task, unless it exists. An empty folder at its path is removed. */
export async function ensureTree(
  repository: Pick<Repository, "commonDir">,
  tree: TaskTree,
  base: string,
): Promise<{ readonly kind: "ready" } | GitFailure> {
  for (let attempt = 1;; attempt++) {
    const made = await makeTree(repository, tree, base);
    if (made.kind === "ready" || attempt >= ATTEMPTS) return made;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
  }
}

/** How often making a tree is tried: another git, or one of a killed daemon, may be making a tree at the same time. */
const ATTEMPTS = 5;
const PAUSE_MS = 200;

async function makeTree(
  { commonDir }: Pick<Repository, "commonDir">,
  { path, branch }: TaskTree,
  base: string,
): Promise<{ readonly kind: "ready" } | GitFailure> {
  if (await isTreeOf(path, commonDir)) return { kind: "ready" };
  await gitIn(commonDir, "worktree", "prune");
  try {
    // A half-made tree of an earlier try has a `.git` that leads nowhere.
    if (exists(path) && !exists(joinPath(path, ".git"))) Deno.removeSync(path);
  } catch {
    return { kind: "failed", why: `${path} is in the way: it is no working tree, and not empty` };
  }
  const words = hasBranch({ commonDir }, branch)
    ? ["--force", path, branch]
    : ["--no-track", "-b", branch, path, base];
  const made = await gitIn(commonDir, "worktree", "add", ...words);
  return made.code === 0 ? { kind: "ready" } : { kind: "failed", why: made.complaint };
}

/** Tells whether a folder is a working tree of the repository, whatever branch is checked out there. */
async function isTreeOf(path: string, commonDir: string): Promise<boolean> {
  if (!exists(joinPath(path, ".git"))) return false;
  const found = await gitIn(path, "rev-parse", "--path-format=absolute", "--git-common-dir");
  return found.code === 0 && realPath(found.stdout.trim()) === commonDir;
}

/** Hides the folder of the working trees from `git status`. The repository's own files stay as they are. */
export function excludeFolder({ commonDir }: Pick<Repository, "commonDir">, pattern: string): void {
  const path = joinPath(commonDir, "info/exclude");
  try {
    const text = exists(path) ? Deno.readTextFileSync(path) : "";
    if (text.split("\n").includes(pattern)) return;
    Deno.mkdirSync(parentOf(path), { recursive: true });
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    Deno.writeTextFileSync(path, `${gap}${pattern}\n`, { append: true });
  } catch {
    // Git then shows the folder as untracked, which does no harm.
  }
}

/**
 * Tells whether anything in a working tree is not committed, and how many commits the target does not have; null when
 * git cannot read the tree. @param sinceMs Counts only commits from then on.
 */
export async function lookAtTree(
  path: string,
  target: string,
  sinceMs = 0,
): Promise<{ readonly isDirty: boolean; readonly ahead: number } | null> {
  if (!exists(joinPath(path, ".git"))) return null;
  // No lock is taken, because an agent may be at work there.
  const status = await gitIn(path, "--no-optional-locks", "status", "--porcelain");
  const since = `--max-age=${Math.floor(sinceMs / 1000)}`;
  const count = await gitIn(path, "rev-list", "--count", since, `${target}..HEAD`);
  if (status.code !== 0 || count.code !== 0) return null;
  return { isDirty: status.stdout.trim() !== "", ahead: Number(count.stdout.trim()) };
}

/** Removes a working tree, and its branch when the target has all of it. Never throws. */
export async function removeTree(
  { commonDir }: Pick<Repository, "commonDir">,
  { path, branch }: TaskTree,
  target: string,
): Promise<void> {
  await gitIn(commonDir, "worktree", "remove", "--force", path);
  quietly(() => Deno.removeSync(path, { recursive: true }));
  await gitIn(commonDir, "worktree", "prune");
  const ends = [branch, target].map((name) => `refs/heads/${name}`);
  const merged = await gitIn(commonDir, "merge-base", "--is-ancestor", ...ends);
  if (merged.code === 0) await gitIn(commonDir, "branch", "-D", branch);
}

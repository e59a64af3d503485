import { joinPath, resolvePath } from "../paths.ts";
import { type FolderLook, lookUpwards } from "../project/look.ts";

/** What the `.git` files say of a folder, read without starting git. */
export interface Repository {
  /** The common git directory, links resolved: the same for the main checkout and every worktree. */
  readonly commonDir: string;
  /** The working tree's top folder. */
  readonly root: string;
  /** The exact branch name (`feature/auth`); null when HEAD is detached or names no branch. */
  readonly branch: string | null;
}

/**
 * The git repository that a folder lies in.
 *
 * @param looks The folders from there upwards.
 * @returns `undefined` outside a repository, or where its files cannot be read.
 */
export function findRepository(looks: readonly FolderLook[]): Repository | undefined {
  const top = looks.find(({ names }) => names.includes(".git"));
  return top === undefined ? undefined : readRepository(top);
}

/**
 * The repository of a project; where the work is done in another worktree of it, as that one has it checked out.
 *
 * @param folder Where the work is done; null when it was not told. @param project `looks`: as for
 * {@linkcode findRepository}.
 */
export function repositoryAt(
  folder: string | null,
  project: { readonly projectDir: string | null; readonly looks: readonly FolderLook[] },
): Repository | undefined {
  const repository = findRepository(project.looks);
  if (repository === undefined || folder === null || folder === project.projectDir) {
    return repository;
  }
  const here = findRepository(lookUpwards(folder));
  return here?.commonDir === repository.commonDir ? here : repository;
}

/**
 * Where a branch stands: the id of its commit.
 *
 * @param ref `heads/main`. @returns The empty text where there is no such branch, null where that cannot be read.
 */
export function readRef({ commonDir }: Pick<Repository, "commonDir">, ref: string): string | null {
  const loose = readOrEmpty(joinPath(commonDir, `refs/${ref}`));
  if (loose === null || loose !== "") return COMMIT_ID.exec(loose ?? "")?.[0] ?? null;
  const packed = readOrEmpty(joinPath(commonDir, "packed-refs"));
  const line = packed?.split("\n").find((line) => line.endsWith(` refs/${ref}`));
  return packed === null ? null : line?.split(" ", 1)[0] ?? "";
}

const COMMIT_ID = /^[\da-f]{40,64}(?=\s*$)/;

/** The empty text where there is no such file; null where it cannot be read. */
function readOrEmpty(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? "" : null;
  }
}

function readRepository({ path: root, gitIsFile }: FolderLook): Repository | undefined {
  const dotGit = joinPath(root, ".git");
  try {
    const gitDir = gitIsFile ? worktreeGitDir(root, dotGit) : dotGit;
    const commonDir = gitIsFile ? commonGitDir(gitDir) : gitDir;
    return { commonDir: Deno.realPathSync(commonDir), root, branch: branchOf(gitDir) };
  } catch {
    return undefined;
  }
}

/** What git keeps of each working tree beside the main one. */
export function worktreeDirs({ commonDir }: Pick<Repository, "commonDir">): string[] {
  const folder = joinPath(commonDir, "worktrees");
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => joinPath(folder, name));
  } catch {
    // No folder, no other working tree.
    return [];
  }
}

/** The folder or file `.git` of a working tree, and the folder that it leads to: there `HEAD` says what is checked out. */
export function gitFolders({ root, commonDir }: Pick<Repository, "root" | "commonDir">): string[] {
  const dotGit = joinPath(root, ".git");
  try {
    const real = Deno.realPathSync(dotGit);
    return [dotGit, real === commonDir ? real : worktreeGitDir(root, dotGit)];
  } catch {
    // It is gone, or a file that leads nowhere.
    return [dotGit];
  }
}

/** A worktree's or submodule's `.git` is a file with one line: `gitdir: <path>`. */
function worktreeGitDir(root: string, dotGit: string): string {
  const line = Deno.readTextFileSync(dotGit).split("\n", 1)[0]!.trim();
  return resolvePath(line.replace(/^gitdir:\s*/, ""), { folder: root });
}

/** A worktree names the main repository's git directory in `commondir`; a submodule has none and is its own. */
function commonGitDir(gitDir: string): string {
  try {
    return resolvePath(Deno.readTextFileSync(joinPath(gitDir, "commondir")).trim(), {
      folder: gitDir,
    });
  } catch {
    return gitDir;
  }
}

/** The branch that a git directory has checked out. @throws {Error} When it cannot be read. */
export function branchOf(gitDir: string): string | null {
  const head = Deno.readTextFileSync(joinPath(gitDir, "HEAD")).trim();
  const name = /^ref:\s*refs\/heads\/(.+)$/.exec(head)?.[1];
  // A repository with the reftable format keeps this placeholder in HEAD.
  return name === undefined || name === ".invalid" ? null : name;
}

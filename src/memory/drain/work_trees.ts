/** Finds the working tree of a capture. All worktrees of a repository are one project. */
import { branchIn, treesOf, type WorkingTree } from "../../system/git/working_trees.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { workFolder } from "../observe/command_folder.ts";
import { textIn } from "../text.ts";
import { realPath } from "../../system/real_paths.ts";
import type { ClaimedCapture } from "../../db/queue_work.ts";
import { realPathSync } from "../../system/files.ts";

type Captured = Pick<ClaimedCapture, "project" | "projectDir" | "branch">;

export interface WorkPlace {
  /** The folder that paths are relative to; null when it is not known. */
  readonly root: string | null;
  readonly branch: string | null;
  /** Whether the capture belongs to another project: to a repository outside of this one. */
  readonly isForeign: boolean;
}

/** Matches a `cd` with only `..` steps, which the shell may have taken already. */
const GOES_UP = /(?:^|[\s;&|({])(?:cd|pushd)\s+["']?\.\.(?:\/\.\.)*\/?["']?\s*(?:[;&|)]|$)/;

/** The working trees of repositories, read once for all captures of a drain. */
export class WorkTrees {
  readonly #home: string | null;
  readonly #trees = new Map<string, readonly WorkingTree[]>();
  /** The git directory by folder; null for a folder outside of repositories, or one that is gone. */
  readonly #repositories = new Map<string, string | null>();

  /** @param home The user's home, which `~` in a command means. */
  constructor(home: string | null) {
    this.#home = home;
  }

  /**
   * The place of a tool use: the working tree of the session, or another one to which the command has changed, with the
   * branch that is checked out there now.
   */
  placeOf(
    { project, projectDir, branch }: Captured,
    payload: Readonly<Record<string, unknown>>,
  ): WorkPlace {
    const folder = textIn(payload, "project_dir") || projectDir;
    const top = project?.endsWith("/.git") ? project.slice(0, -"/.git".length) : null;
    if (folder === null || project === null) {
      return { root: folder ?? top, branch, isForeign: false };
    }
    const shellFolder = textIn(payload, "cwd") || folder;
    const command = textIn(payload["tool_input"], "command");
    const works = command === "" ? folder : workFolder(command, shellFolder, this.#home) ?? folder;
    if (works === top && shellFolder === top) return { root: top, branch, isForeign: false };
    const own = this.#holding(project, folder);
    const there = this.#holding(project, works);
    const tree = there ?? own;
    // For the shell's own tree, the capture names the branch of that time.
    const isTold = tree === undefined || tree === this.#holding(project, shellFolder);
    return {
      root: tree?.root ?? (top !== null && isIn(folder, top) ? top : folder),
      branch: isTold ? branch : branchIn(tree.gitDir),
      isForeign: there === undefined && !isIn(works, folder) && !GOES_UP.test(command) &&
        this.#isOfAnother(project, works),
    };
  }

  /** Whether a folder lies in a repository that is not the project's. */
  #isOfAnother(project: string, folder: string): boolean {
    let repository = this.#repositories.get(folder);
    if (repository === undefined) {
      repository = repositoryOf(folder);
      this.#repositories.set(folder, repository);
    }
    return repository !== null && repository !== realPath(project);
  }

  /** The innermost working tree that a folder lies in. */
  #holding(project: string, folder: string): WorkingTree | undefined {
    const trees = this.#trees.get(project) ?? treesOf(project);
    this.#trees.set(project, trees);
    return trees.filter(({ root }) => isIn(folder, root))
      .reduce<WorkingTree | undefined>(
        (inner, one) => inner === undefined || one.root.length > inner.root.length ? one : inner,
        undefined,
      );
  }
}

function isIn(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}

/** The git directory of a folder; null outside of a repository, and for a folder that is gone. */
function repositoryOf(folder: string): string | null {
  try {
    return findRepository(lookUpwards(realPathSync(folder)))?.commonDir ?? null;
  } catch {
    return null;
  }
}

/** Finds the working tree of a capture. All working trees of a repository are one project. */
import { treesOf, type WorkingTree } from "../../system/git/working_trees.ts";
import { branchIn, findRepository, lookUpwards } from "../../system/git/repository.ts";
import { workFolder } from "../observe/command_folder.ts";
import { textIn } from "../text.ts";
import { quietly } from "../../base/errors.ts";
import { realPath } from "../../system/real_paths.ts";
import type { ClaimedCapture } from "../../db/queue_work.ts";
import { realPathSync } from "../../system/files.ts";

type Captured = Pick<ClaimedCapture, "project" | "projectDir" | "branch">;

export interface WorkPlace {
  /** The folder to which paths are relative; null when it is unknown. */
  readonly root: string | null;
  readonly branch: string | null;
  /** Whether the capture belongs to another repository, outside of this project. */
  readonly isForeign: boolean;
}

/** Matches a `cd` with only `..` steps. The shell may have taken these steps already. */
const GOES_UP = /(?:^|[\s;&|({])(?:cd|pushd)\s+["']?\.\.(?:\/\.\.)*\/?["']?\s*(?:[;&|)]|$)/;

/** Caches the working trees of repositories for all captures of a drain. */
export class WorkTrees {
  readonly #home: string | null;
  readonly #trees = new Map<string, readonly WorkingTree[]>();
  /** The git directory by folder; null for a missing folder, or one outside of repositories. */
  readonly #repositories = new Map<string, string | null>();

  /** @param home The user's home folder, which `~` in a command means. */
  constructor(home: string | null) {
    this.#home = home;
  }

  /**
   * Returns the place of a tool use: the working tree of the session, or another one to which the command has changed,
   * with the branch that is checked out there now.
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
    const cwd = command === "" ? folder : workFolder(command, shellFolder, this.#home) ?? folder;
    if (cwd === top && shellFolder === top) return { root: top, branch, isForeign: false };
    const own = this.#holding(project, folder);
    const there = this.#holding(project, cwd);
    const tree = there ?? own;
    // For the shell's own tree, the capture holds the branch of its time.
    const isShellTree = tree === undefined || tree === this.#holding(project, shellFolder);
    return {
      root: tree?.root ?? (top !== null && isIn(folder, top) ? top : folder),
      branch: isShellTree ? branch : branchIn(tree.gitDir),
      isForeign: there === undefined && !isIn(cwd, folder) && !GOES_UP.test(command) &&
        this.#isOfAnother(project, cwd),
    };
  }

  /** Tells whether a folder lies in a repository that is not the project's. */
  #isOfAnother(project: string, folder: string): boolean {
    let repository = this.#repositories.get(folder);
    if (repository === undefined) {
      repository = repositoryOf(folder);
      this.#repositories.set(folder, repository);
    }
    return repository !== null && repository !== realPath(project);
  }

  /** Returns the innermost working tree that contains a folder. */
  #holding(project: string, folder: string): WorkingTree | undefined {
    const trees = this.#trees.get(project) ?? treesOf(project);
    this.#trees.set(project, trees);
    return trees.filter(({ root }) => isIn(folder, root))
      .sort((one, other) => other.root.length - one.root.length)[0];
  }
}

function isIn(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}

/** Returns the git directory of a folder; null for a missing folder, or one outside of repositories. */
function repositoryOf(folder: string): string | null {
  return quietly(() => findRepository(lookUpwards(realPathSync(folder)))?.commonDir) ?? null;
}

/** In which working tree of its repository a capture was made: worktrees of one repository are one project. */
import { branchIn, treesOf, type WorkingTree } from "../git/working_trees.ts";
import { workFolder } from "../memory/observe/work_folder.ts";
import { textIn } from "../memory/text.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";

/** What is asked of a capture. */
type Captured = Pick<ClaimedCapture, "project" | "projectDir" | "branch">;

/** Where something was done. */
export interface WorkPlace {
  /** The folder that paths are told from; null when it is not known. */
  readonly root: string | null;
  readonly branch: string | null;
}

/** The working trees of repositories, looked for once for all captures of a drain. */
export class WorkTrees {
  readonly #trees = new Map<string, readonly WorkingTree[]>();

  /**
   * Where something was done: in the working tree of the session, or in another one that a command has gone to, on the
   * branch that is checked out there by now.
   */
  placeOf(
    { project, projectDir, branch }: Captured,
    payload: Readonly<Record<string, unknown>>,
  ): WorkPlace {
    const folder = textIn(payload, "project_dir") || projectDir;
    const top = project?.endsWith("/.git") ? project.slice(0, -"/.git".length) : null;
    if (folder === null || project === null) return { root: folder ?? top, branch };
    const shellFolder = textIn(payload, "cwd") || folder;
    const command = textIn(payload["tool_input"], "command");
    const works = command === "" ? folder : workFolder(command, shellFolder) ?? folder;
    if (works === top && shellFolder === top) return { root: top, branch };
    const own = this.#holding(project, folder);
    const tree = this.#holding(project, works) ?? own;
    // Of the tree that the shell stood in the branch was told then.
    const isTold = tree === undefined || tree === this.#holding(project, shellFolder);
    return {
      root: tree?.root ?? (top !== null && isIn(folder, top) ? top : folder),
      branch: isTold ? branch : branchIn(tree.gitDir),
    };
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

/** Which branch each working tree of a repository has checked out, as the commands of a script come one after the other. */
import { findRepository, lookUpwards, readRef, type Repository } from "../git/repository.ts";
import { isCheckedOut } from "../git/working_trees.ts";
import type { BashStep } from "../guard/bash.ts";
import type { BranchSwitch } from "../guard/shell/switching.ts";
import { joinPath } from "../paths.ts";
import { exists } from "../project/exists.ts";
import { realPath } from "../project/real_paths.ts";

/** What a working tree has checked out. */
export interface Standing {
  /** With the branch that is checked out by then. */
  readonly repository: Repository;
  /** The branch that stands now where this one will begin: itself, unless the command makes it; null when unknown. */
  readonly startsAt: string | null;
}

/** What a command does to branches and working trees. */
type Branching = Pick<BashStep, "checksOut" | "makesBranch" | "makesTree">;

/**
 * The working trees of the repository of an event. Each is known as it is before the script begins; what the script has
 * done to it until now is its standing.
 */
export class WorkingTrees {
  readonly #treeAt: (folder: string | null) => Repository | undefined;
  /** Those that the script makes. */
  readonly #made: Repository[] = [];
  /** By the top of the working tree. */
  readonly #standings = new Map<string, Standing>();
  /** The branches that the script makes, each with the one that stands now where it begins. */
  readonly #begun = new Map<string, string | null>();
  /** The branches that a working tree had checked out, and now has no more. */
  readonly #left = new Set<string>();

  constructor(home: Repository) {
    this.#treeAt = treesAround(home);
  }

  /** The working tree of a folder; `undefined` where it is none of this repository. */
  treeOf(folder: string | null): Repository | undefined {
    if (folder === null || this.#made.length === 0) return this.#treeAt(folder);
    const real = `${realPath(folder)}/`;
    return this.#made.findLast(({ root }) => real.startsWith(`${root}/`)) ?? this.#treeAt(folder);
  }

  standingOf(tree: Repository): Standing {
    return this.#standings.get(tree.root) ?? { repository: tree, startsAt: tree.branch };
  }

  /** Whether the script makes it. */
  isNew(tree: Repository): boolean {
    return this.#made.includes(tree);
  }

  /** Goes on behind a command that runs in one of them. */
  follow({ checksOut, makesBranch, makesTree }: Branching, tree: Repository): void {
    const { repository, startsAt } = this.standingOf(tree);
    if (makesBranch !== null && readRef(repository, `heads/${makesBranch.branch}`) === "") {
      this.#begun.set(makesBranch.branch, makesBranch.startsElsewhere ? null : startsAt);
    }
    if (checksOut !== null) this.#checkOut(checksOut, tree, startsAt);
    if (makesTree === null || exists(joinPath(makesTree.folder, ".git"))) return;
    const made = { ...repository, root: realPath(makesTree.folder), branch: null };
    if (makesTree.checksOut === null || this.#checkOut(makesTree.checksOut, made, startsAt)) {
      this.#made.push(made);
    }
  }

  /** @returns False where git refuses it, or nobody can tell. */
  #checkOut(
    { branch, makes, startsElsewhere }: BranchSwitch,
    tree: Repository,
    from: string | null,
  ): boolean {
    if (this.#isTaken(branch, tree)) return false;
    const isMade = this.#begun.has(branch);
    const standsAt = isMade ? null : readRef(tree, `heads/${branch}`);
    const isMissing = standsAt === "" && makes === "missing";
    if (makes === "new" && standsAt !== "") return false;
    if (makes === "new" || makes === "anew" || isMissing) {
      this.#begun.set(branch, startsElsewhere ? null : from);
    } else if (!isMade && !standsAt && !readRef(tree, `remotes/origin/${branch}`)) {
      // git makes one of the same name as a branch of the remote repository; there is none.
      return false;
    }
    const startsAt = this.#begun.has(branch) ? this.#begun.get(branch)! : branch;
    if (tree.branch !== null && tree.branch !== branch) this.#left.add(tree.branch);
    this.#standings.set(tree.root, { repository: { ...tree, branch }, startsAt });
    return true;
  }

  /** Whether another working tree has a branch checked out: git lets no other one have it then. */
  #isTaken(branch: string, tree: Repository): boolean {
    const isTakenBy = ([root, { repository }]: readonly [string, Standing]) =>
      root !== tree.root && repository.branch === branch;
    return [...this.#standings].some(isTakenBy) ||
      (branch !== tree.branch && !this.#left.has(branch) && isCheckedOut(tree, branch));
  }
}

/** The working trees of a repository, by folders in them; `undefined` for a folder that is in none of them. */
export function treesAround(home: Repository): (folder: string | null) => Repository | undefined {
  // Where nobody knows the folder, it is that of the event.
  const byFolder = new Map<string | null, Repository | undefined>([[null, home], [
    home.root,
    home,
  ]]);
  const byRoot = new Map([[realPath(home.root), home]]);
  return (folder) => {
    if (byFolder.has(folder)) return byFolder.get(folder);
    const found = findRepository(lookUpwards(folder!));
    const root = found === undefined ? "" : realPath(found.root);
    const tree = byRoot.get(root) ?? (found?.commonDir === home.commonDir ? found : undefined);
    byFolder.set(folder, tree);
    if (tree !== undefined && tree === found) byRoot.set(root, tree);
    return tree;
  };
}

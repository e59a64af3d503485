/** Where the steps of a shell command happen: each in a working tree, on the branch that the steps before have left there. */
import { findRepository, readRef, type Repository } from "../git/repository.ts";
import { isCheckedOut } from "../git/working_trees.ts";
import type { BashStep } from "../guard/bash.ts";
import type { BranchSwitch } from "../guard/shell/switching.ts";
import { parentOf } from "../paths.ts";
import { realPath } from "../project/real_paths.ts";
import { lookUpwards } from "../project/look.ts";
import { type CommandText, commandText } from "../requirement/triggers.ts";

/** A branch in a working tree, and what a command does there. */
export interface Place {
  /** With the branch that is checked out by then. */
  readonly repository: Repository;
  /** The branch that stands now where this one will begin: itself, unless the command makes it; null when unknown. */
  readonly startsAt: string | null;
  /** Whether it is checked out before the command has begun. */
  readonly isCheckedOut: boolean;
  /** Whether the working tree shows now what the branch will begin with. */
  readonly showsBranch: boolean;
  readonly commands: readonly CommandText[];
  readonly changesFiles: boolean;
}

/** A step with the files that count as edited, links followed. */
export type EditingStep = Omit<BashStep, "changed"> & { readonly edited: readonly string[] };

/** The branch on which a working tree is. */
type Standing = Pick<Place, "repository" | "startsAt">;

/** What was done at a place until now. */
type Doing = Omit<Place, "commands" | "changesFiles"> & {
  readonly commands: CommandText[];
  changesFiles: boolean;
};

/**
 * The places of a command, in the order in which they are first come to; at least the one where it starts. Where it cannot
 * be told which branch is checked out, the one before stays.
 */
export function placesOf(steps: readonly EditingStep[], home: Repository): Place[] {
  const branches = new Map<string, Standing>();
  const places = new Map<string, Doing>();
  const treeOf = treesAround(home);
  const standing = (tree: Repository): Standing =>
    branches.get(tree.root) ?? { repository: tree, startsAt: tree.branch };
  const doingAt = (tree: Repository): Doing => {
    const at = standing(tree);
    const key = JSON.stringify([tree.root, at.repository.branch]);
    const known = places.get(key) ?? {
      ...at,
      isCheckedOut: at.repository.branch === tree.branch,
      showsBranch: at.startsAt === tree.branch,
      commands: [],
      changesFiles: false,
    };
    places.set(key, known);
    return known;
  };
  const waiting: CommandText[] = [];
  for (const { commands, edited, folder, onlyGoes, checksOut } of steps) {
    const texts = commands.map(commandText);
    for (const file of edited) doingAt(treeOf(parentOf(file))).changesFiles = true;
    if (onlyGoes) {
      waiting.push(...texts);
      continue;
    }
    const tree = treeOf(folder);
    if (texts.length > 0) doingAt(tree).commands.push(...waiting.splice(0), ...texts);
    if (checksOut !== null) {
      const next = afterSwitch(checksOut, { ...standing(tree), tree, branches });
      if (next !== null) branches.set(tree.root, next);
    }
  }
  if (waiting.length > 0 || places.size === 0) doingAt(home).commands.push(...waiting);
  return [...places.values()];
}

/** What happens in a working tree as it is. */
export function placeAt(repository: Repository): Place {
  return {
    repository,
    startsAt: repository.branch,
    isCheckedOut: true,
    showsBranch: true,
    commands: [],
    changesFiles: true,
  };
}

/** The working tree of a folder; that of the event where it is none of the same repository. */
export function treesAround(home: Repository): (folder: string | null) => Repository {
  const byFolder = new Map<string | null, Repository>([[null, home], [home.root, home]]);
  const byRoot = new Map([[realPath(home.root), home]]);
  return (folder) => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const found = findRepository(lookUpwards(folder!));
    const root = found === undefined ? "" : realPath(found.root);
    const tree = byRoot.get(root) ?? (found?.commonDir === home.commonDir ? found : home);
    byFolder.set(folder, tree);
    if (tree === found) byRoot.set(root, tree);
    return tree;
  };
}

/** Null where git refuses it, or nobody can tell. */
function afterSwitch(
  { branch, makes, startsElsewhere }: BranchSwitch,
  { repository, startsAt, tree, branches }: Standing & {
    /** As it is before the command begins. */
    readonly tree: Repository;
    /** What the command has checked out by now. */
    readonly branches: ReadonlyMap<string, Standing>;
  },
): Standing | null {
  if (branch !== tree.branch && isCheckedOut(repository, branch)) return null;
  const isMade = [...branches.values()].some((one) => one.repository.branch === branch);
  const standsAt = isMade ? null : readRef(repository, `heads/${branch}`);
  const next = { ...repository, branch };
  if (makes === "no") {
    // git makes one of the same name as a branch of the remote repository.
    const isThere = isMade || standsAt || readRef(repository, `remotes/origin/${branch}`);
    return isThere ? { repository: next, startsAt: isMade ? null : branch } : null;
  }
  if (makes === "new" && standsAt !== "") return null;
  return { repository: next, startsAt: startsElsewhere ? null : startsAt };
}

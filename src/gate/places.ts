/** Where the steps of a shell command happen: each in a working tree, on the branch that the steps before have left there. */
import type { Repository } from "../git/repository.ts";
import type { BashStep } from "../guard/bash.ts";
import { parentOf } from "../paths.ts";
import { type CommandText, commandText } from "../requirement/triggers.ts";
import { WorkingTrees } from "./working_trees.ts";

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
  const trees = new WorkingTrees(home);
  const places = new Map<string, Doing>();
  const doingAt = (tree: Repository): Doing => {
    const at = trees.standingOf(tree);
    const key = JSON.stringify([tree.root, at.repository.branch]);
    const known = places.get(key) ?? {
      ...at,
      isCheckedOut: at.repository.branch === tree.branch,
      showsBranch: !trees.isNew(tree) && at.startsAt === tree.branch,
      commands: [],
      changesFiles: false,
    };
    places.set(key, known);
    return known;
  };
  const waiting: CommandText[] = [];
  for (const step of steps) {
    const tree = trees.treeOf(step.folder);
    const isElsewhere = step.folder === null || tree === undefined;
    const texts = step.commands.map((words) => commandText(words, isElsewhere));
    for (const file of step.edited) {
      doingAt(trees.treeOf(parentOf(file)) ?? home).changesFiles = true;
    }
    if (step.onlyGoes) {
      waiting.push(...texts);
      continue;
    }
    // Of a commit in another repository the requirements of this one are asked as well.
    if (texts.length > 0) doingAt(tree ?? home).commands.push(...waiting.splice(0), ...texts);
    if (tree !== undefined) trees.follow(step, tree);
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

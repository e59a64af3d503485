/** Finds the requirements that a tool use falls under, and where: in which working tree, on which branch. */
import { readWildcard } from "../../base/wildcard.ts";
import { joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { commandOf, EDITING_TOOLS, filesNamed, SHELL_TOOLS } from "../../claude/payload.ts";
import { askIgnored } from "../../system/git/file_status.ts";
import {
  findRepository,
  lookUpwards,
  readRef,
  type Repository,
} from "../../system/git/repository.ts";
import { exists } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import type { BashStep } from "../guards/bash.ts";
import type { AskedUse } from "../guards/judge_use.ts";
import { pushedBySettings } from "../shell/git_branches.ts";
import { mayBeRequired } from "./requirement_look.ts";
import type { Requirement } from "./requirement_policy.ts";
import {
  type CommandText,
  commandText,
  type Doubt,
  mayTrigger,
  triggeredBy,
  usesOf,
} from "./trigger_match.ts";

/** A branch in a working tree, and what a tool use does there. */
interface Place {
  /** The working tree, with the branch that is checked out at that step. */
  readonly repository: Repository;
  /** Whether the branch was checked out before the command began. */
  readonly isCheckedOut: boolean;
  /** Whether the working tree already shows the branch's state, so that the branch's size can be measured. */
  readonly showsBranch: boolean;
  readonly commands: readonly CommandText[];
  readonly changesFiles: boolean;
  /** Set where the command only moves the branch; if the branch is protected, that counts as a commit. */
  readonly isMoved?: true;
}

/** A place at which a tool use falls, or may fall, under requirements. */
export interface TriggeredPlace extends Place {
  readonly triggered: readonly Requirement[];
  readonly doubts: readonly Doubt[];
}

/**
 * Finds the requirements that a tool use falls under, and where. Plan files are exempt, since many requirements need a
 * plan. Files outside of the repository and ignored files are exempt when a shell command changes them.
 */
export async function requirementsFor(
  requirements: readonly Requirement[],
  use: AskedUse,
  repository: Repository,
): Promise<TriggeredPlace[]> {
  const { tool, input, home, gitAliases } = use;
  const folder = use.folder ?? repository.root;
  const real = (path: string) => realPath(resolvePath(path, { folder, home: home ?? undefined }));
  if (!SHELL_TOOLS.has(tool)) {
    const [file] = EDITING_TOOLS.has(tool) ? filesNamed(tool, input).map(real) : [];
    if (file !== undefined && PLAN_FOLDER.test(file)) return [];
    const triggered = triggeredBy(requirements, { tool, commands: [], changesFiles: false });
    if (triggered.length === 0) return [];
    const tree = file === undefined ? undefined : treesAround(repository)(parentOf(file));
    const asItIs = { isCheckedOut: true, showsBranch: true, commands: [], changesFiles: true };
    return [{ ...asItIs, repository: tree ?? repository, triggered, doubts: [] }];
  }
  const command = commandOf(input);
  if (command === null || !mayBeRequired(usesOf(requirements), use)) return [];
  const { readShellUse } = await import("../files/shell_lookup.ts");
  const { steps, untold } = await readShellUse(command, { tool, folder, home, gitAliases });
  const inProject = steps.map(({ changed, ...step }) => ({
    ...step,
    changed: changed.map(real).filter((path) => isOfProject(path, repository)),
  }));
  const told = steps.some(({ moves }) => moves.length > 0)
    ? await toldByGit(repository, use)
    : { settings: [], branches: [] };
  const placesWithout = (ignored: ReadonlyMap<string, unknown>) =>
    placesOf(
      inProject.map(({ changed, ...step }) => ({
        ...step,
        changed: changed.filter((path) => !ignored.has(path)),
      })),
      repository,
      told,
    );
  let places = placesWithout(new Map());
  // Git runs only where its answer decides. Where git cannot answer, no file counts as ignored.
  if (places.some((place) => dependsOnFiles(requirements, { tool, ...place }))) {
    const { ignored } = await askIgnored(
      inProject.flatMap(({ changed }) => changed),
      use.environment,
    );
    places = placesWithout(ignored);
  }
  const found = places.map((place): TriggeredPlace => ({
    ...place,
    triggered: triggeredBy(requirements, { tool, ...place }).filter(({ condition }) =>
      !place.isMoved || condition.type === "protected_branch"
    ),
    doubts: [],
  }));
  const doubts = mayTrigger(requirements, { tool, ...untold }).filter(({ requirement }) =>
    !found.some(({ triggered }) => triggered.includes(requirement))
  );
  // Doubts about unknown parts of a command count where its last step runs.
  return [...found.slice(0, -1), { ...found.at(-1)!, doubts }]
    .filter((place) => place.triggered.length + place.doubts.length > 0);
}

/** Tells whether only changed files trigger, at a place, some requirement that may be open on its branch. */
function dependsOnFiles(
  requirements: readonly Requirement[],
  { repository: { branch }, ...use }: Place & { readonly tool: string },
): boolean {
  const anyway = triggeredBy(requirements, { ...use, changesFiles: false });
  return triggeredBy(requirements, use).some((one) =>
    !anyway.includes(one) && (branch === null || one.condition.type !== "protected_branch" ||
      one.condition.branches.includes(branch))
  );
}

/** Tells whether a file lies in any working tree of the repository and is no plan. The path has no symbolic links. */
function isOfProject(path: string, { root, commonDir }: Repository): boolean {
  if (PLAN_FOLDER.test(path) || path.startsWith(`${commonDir}/`)) return false;
  return path.startsWith(`${realPath(root)}/`) ||
    findRepository(lookUpwards(parentOf(path)))?.commonDir === commonDir;
}

/** Folders of plans, in paths without symbolic links: no requirement stops Claude from planning. */
const PLAN_FOLDER = /\/(?:\.claude\/plans|docs\/plans)\//;

type GrowingPlace = Omit<Place, "commands" | "changesFiles"> & {
  readonly commands: CommandText[];
  changesFiles: boolean;
};

/**
 * Returns the places of a command in the order of its steps. The paths of changed files have no symbolic links. A step
 * whose branch is unknown counts on the branch of the step before.
 */
function placesOf(steps: readonly BashStep[], home: Repository, told: ToldByGit): Place[] {
  const trees = new WorkingTrees(home);
  const places = new Map<string, GrowingPlace>();
  const placeIn = (tree: Repository): GrowingPlace => {
    const at = trees.standingOf(tree);
    const key = JSON.stringify([tree.root, at.repository.branch]);
    const known = places.get(key) ?? {
      repository: at.repository,
      isCheckedOut: at.repository.branch === tree.branch,
      showsBranch: at.showsBranch,
      commands: [],
      changesFiles: false,
    };
    places.set(key, known);
    return known;
  };
  const waiting: CommandText[] = [];
  const moved: Place[] = [];
  const own: string[] = [];
  for (const step of steps) {
    own.push(...step.settings);
    const tree = trees.treeOf(step.folder);
    const isElsewhere = step.folder === null || tree === undefined;
    const texts = step.commands.map((words) => commandText(words, isElsewhere));
    for (const file of step.changed.filter((file) => !trees.isNew(file))) {
      placeIn(trees.treeOf(parentOf(file)) ?? home).changesFiles = true;
    }
    const isNew = trees.isNew(step.folder);
    if (step.onlyGoes) {
      waiting.push(...texts);
      continue;
    }
    // A commit in another repository also falls under the requirements of this repository.
    if (texts.length > 0 && !isNew) {
      placeIn(tree ?? home).commands.push(...waiting.splice(0), ...texts);
    }
    const { repository } = trees.standingOf(tree ?? home);
    const named = step.moves.flatMap((name) => {
      const [first, except] = name.split("^");
      if (first !== "HEAD") return [name];
      return isNew || repository.branch === except ? [] : repository.branch ?? [];
    });
    const names = step.pushes ? [...named, ...pushedBySettings(named, told.settings, own)] : named;
    for (const branch of names.flatMap((name) => branchesLike(name, told))) {
      if (!readRef(repository, `heads/${branch}`)) continue;
      moved.push({ ...MOVED, repository: { ...repository, branch } });
    }
    if (tree !== undefined && !isNew) trees.follow(step, tree);
  }
  if (waiting.length > 0 || places.size === 0) placeIn(home).commands.push(...waiting);
  return [...moved, ...places.values()];
}

/** What git's files say about the branches that a command may move. */
interface ToldByGit {
  readonly settings: readonly string[];
  readonly branches: readonly string[];
}

async function toldByGit(
  { commonDir }: Repository,
  { home, environment }: Pick<AskedUse, "home" | "environment">,
): Promise<ToldByGit> {
  const { configuredSettings } = await import("../../system/git/configured_aliases.ts");
  const { branchNames } = await import("../../system/git/branches.ts");
  return {
    settings: configuredSettings({ commonDir, home, environment }),
    branches: [...branchNames({ commonDir }) ?? []],
  };
}

/** Returns the branches that a name means; `*` in it stands for any text. */
function branchesLike(name: string, { branches }: ToldByGit): readonly string[] {
  if (!name.includes("*")) return [name];
  const matches = readWildcard(name);
  return branches.filter((one) => matches?.(one) ?? true);
}

/** A branch that a command only moves; its requirements are asked as for a commit. */
const MOVED: Omit<Place, "repository"> = {
  isCheckedOut: false,
  showsBranch: false,
  changesFiles: false,
  isMoved: true,
  commands: [commandText(["git", "commit"], false)],
};

interface CheckedOut {
  readonly repository: Repository;
  /** Whether the working tree already shows the branch's state. */
  readonly showsBranch: boolean;
}

/** Follows which branches a script has checked out so far in the working trees of a repository. */
class WorkingTrees {
  /** Returns the working tree of a folder; `undefined` outside of this repository. */
  readonly treeOf: (folder: string | null) => Repository | undefined;
  /** By the top folder of the working tree. */
  readonly #checkedOut = new Map<string, CheckedOut>();
  /** Branches that the script has made. */
  readonly #begun = new Set<string>();
  /** The folders of working trees that the script has made. */
  readonly #made: string[] = [];

  constructor(home: Repository) {
    this.treeOf = treesAround(home);
  }

  standingOf(tree: Repository): CheckedOut {
    return this.#checkedOut.get(tree.root) ?? { repository: tree, showsBranch: true };
  }

  /** Tells whether a path lies in a working tree that the script makes; git reports its branch afterwards. */
  isNew(path: string | null): boolean {
    return path !== null && this.#made.some((made) => `${realPath(path)}/`.startsWith(made));
  }

  /** Notes which branches and working trees a step makes, and what it checks out. */
  follow({ checksOut, makesBranch, makesTree }: BashStep, tree: Repository): void {
    if (makesBranch !== null) this.#begun.add(makesBranch);
    if (makesTree !== null && !exists(joinPath(makesTree, ".git"))) {
      this.#made.push(`${realPath(makesTree)}/`);
    }
    if (checksOut === null) return;
    const { branch, makes, startsElsewhere } = checksOut;
    const standsAt = this.#begun.has(branch) ? "made" : readRef(tree, `heads/${branch}`);
    // Git refuses to make a branch that exists, and to check out one that exists neither here nor on the remote.
    if (makes === "new" && standsAt !== "") return;
    if (makes === "no" && !standsAt && !readRef(tree, `remotes/origin/${branch}`)) return;
    const { showsBranch } = this.standingOf(tree);
    if (makes !== "no") this.#begun.add(branch);
    this.#checkedOut.set(tree.root, {
      repository: { ...tree, branch },
      showsBranch: makes === "no" ? branch === tree.branch : showsBranch && !startsElsewhere,
    });
  }
}

/** Returns a function that finds a folder's working tree of the repository; `undefined` outside of the repository. */
function treesAround(home: Repository): (folder: string | null) => Repository | undefined {
  const root = realPath(home.root);
  // An unknown folder counts as the folder of the event.
  const known = new Map<string | null, Repository | undefined>([[null, home], [home.root, home]]);
  return (folder) => {
    if (!known.has(folder)) {
      const found = findRepository(lookUpwards(folder!));
      const isHome = found !== undefined && realPath(found.root) === root;
      known.set(folder, isHome ? home : found?.commonDir === home.commonDir ? found : undefined);
    }
    return known.get(folder);
  };
}

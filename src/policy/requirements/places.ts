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
import { pushedBySettings } from "../shell/refspecs.ts";
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
  /** With the branch that is checked out at that step. */
  readonly repository: Repository;
  /** Whether it was checked out before the command began. */
  readonly isCheckedOut: boolean;
  /** Whether the working tree shows the state with which the branch begins. */
  readonly showsBranch: boolean;
  readonly commands: readonly CommandText[];
  readonly changesFiles: boolean;
  /** The command only moves this branch, which counts as a commit on it where the branch is protected. */
  readonly isMoved?: true;
}

/** A place on which a tool use falls, or may fall, under requirements. */
export interface MeantPlace extends Place {
  readonly triggered: readonly Requirement[];
  readonly doubts: readonly Doubt[];
}

/**
 * Finds the requirements that a tool use falls under, and where. Plan files are exempt, since many requirements ask for
 * a plan. So are files outside of the repository and files that git ignores, when a shell command changes them.
 */
export async function requirementsFor(
  requirements: readonly Requirement[],
  use: AskedUse,
  repository: Repository,
): Promise<MeantPlace[]> {
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
  // Git is started only where its answer decides. Where it cannot be asked, nothing is ignored.
  if (places.some((place) => dependsOnFiles(requirements, { tool, ...place }))) {
    const { ignored } = await askIgnored(
      inProject.flatMap(({ changed }) => changed),
      use.environment,
    );
    places = placesWithout(ignored);
  }
  const meant = places.map((place): MeantPlace => ({
    ...place,
    triggered: triggeredBy(requirements, { tool, ...place }).filter(({ condition }) =>
      !place.isMoved || condition.type === "protected_branch"
    ),
    doubts: [],
  }));
  const doubts = mayTrigger(requirements, { tool, ...untold }).filter(({ requirement }) =>
    !meant.some(({ triggered }) => triggered.includes(requirement))
  );
  // What a command may do beside the known steps is counted where its last step runs.
  return [...meant.slice(0, -1), { ...meant.at(-1)!, doubts }]
    .filter((place) => place.triggered.length + place.doubts.length > 0);
}

/** Whether a requirement that its branch leaves open counts at a place only because files are changed there. */
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

/** Whether a file belongs to the repository, in any of its working trees, and is not a plan. The path has no links. */
function isOfProject(path: string, { root, commonDir }: Repository): boolean {
  if (PLAN_FOLDER.test(path) || path.startsWith(`${commonDir}/`)) return false;
  return path.startsWith(`${realPath(root)}/`) ||
    findRepository(lookUpwards(parentOf(path)))?.commonDir === commonDir;
}

/** Where Claude keeps plans: no requirement stops it from planning. For paths without links. */
const PLAN_FOLDER = /\/(?:\.claude\/plans|docs\/plans)\//;

type Doing = Omit<Place, "commands" | "changesFiles"> & {
  readonly commands: CommandText[];
  changesFiles: boolean;
};

/**
 * The places of a command in the order of its steps, whose changed files have no links. A step whose branch is unknown
 * stays on the branch before.
 */
function placesOf(
  steps: readonly BashStep[],
  home: Repository,
  told: ToldByGit,
): Place[] {
  const trees = new WorkingTrees(home);
  const places = new Map<string, Doing>();
  const doingAt = (tree: Repository): Doing => {
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
  const settings = [...told.settings];
  for (const step of steps) {
    settings.push(...step.settings);
    const tree = trees.treeOf(step.folder);
    const isElsewhere = step.folder === null || tree === undefined;
    const texts = step.commands.map((words) => commandText(words, isElsewhere));
    for (const file of step.changed.filter((file) => !trees.isNew(file))) {
      doingAt(trees.treeOf(parentOf(file)) ?? home).changesFiles = true;
    }
    const isNew = trees.isNew(step.folder);
    if (step.onlyGoes) {
      waiting.push(...texts);
      continue;
    }
    // A commit in another repository is asked about by the requirements of this one, too.
    if (texts.length > 0 && !isNew) {
      doingAt(tree ?? home).commands.push(...waiting.splice(0), ...texts);
    }
    const { repository } = trees.standingOf(tree ?? home);
    const named = step.moves.flatMap((name) =>
      name !== "HEAD" ? [name] : isNew ? [] : repository.branch ?? []
    );
    const names = step.pushes ? [...named, ...pushedBySettings(named, settings)] : named;
    for (const branch of names.flatMap((name) => branchesLike(name, told))) {
      if (!readRef(repository, `heads/${branch}`)) continue;
      moved.push({ ...MOVED, repository: { ...repository, branch } });
    }
    if (tree !== undefined && !isNew) trees.follow(step, tree);
  }
  if (waiting.length > 0 || places.size === 0) doingAt(home).commands.push(...waiting);
  return [...moved, ...places.values()];
}

/** What git's files say where a command moves branches. */
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

/** The branches of a name, in which `*` stands for any text. */
function branchesLike(name: string, { branches }: ToldByGit): readonly string[] {
  if (!name.includes("*")) return [name];
  const matches = readWildcard(name);
  return branches.filter((one) => matches?.(one) ?? true);
}

/** A branch that a command only moves; its requirements are asked as for a commit. */
const MOVED: Omit<Place, "repository"> = {
  ...{ isCheckedOut: false, showsBranch: false, changesFiles: false, isMoved: true },
  commands: [commandText(["git", "commit"], false)],
};

interface Standing {
  readonly repository: Repository;
  /** Whether the working tree shows the state with which the branch begins. */
  readonly showsBranch: boolean;
}

/** The working trees of a repository, and what a script has checked out there so far. */
class WorkingTrees {
  /** The working tree of a folder; `undefined` outside of this repository. */
  readonly treeOf: (folder: string | null) => Repository | undefined;
  /** By the top folder of the working tree. */
  readonly #standings = new Map<string, Standing>();
  /** Branches that the script has made. */
  readonly #begun = new Set<string>();
  /** The folders of new working trees. */
  readonly #made: string[] = [];

  constructor(home: Repository) {
    this.treeOf = treesAround(home);
  }

  standingOf(tree: Repository): Standing {
    return this.#standings.get(tree.root) ?? { repository: tree, showsBranch: true };
  }

  /** Whether a path lies in a working tree that the script makes: on which branch, git tells afterwards. */
  isNew(path: string | null): boolean {
    return path !== null && this.#made.some((made) => `${realPath(path)}/`.startsWith(made));
  }

  /** Takes over what a command does in one of them. */
  follow({ checksOut, makesBranch, makesTree }: BashStep, tree: Repository): void {
    if (makesBranch !== null) this.#begun.add(makesBranch);
    if (makesTree !== null && !exists(joinPath(makesTree, ".git"))) {
      this.#made.push(`${realPath(makesTree)}/`);
    }
    if (checksOut === null) return;
    const { branch, makes, startsElsewhere } = checksOut;
    const standsAt = this.#begun.has(branch) ? "made" : readRef(tree, `heads/${branch}`);
    // git refuses it, or would make it from the branch of the same name on the remote, and there is none.
    if (makes === "new" && standsAt !== "") return;
    if (makes === "no" && !standsAt && !readRef(tree, `remotes/origin/${branch}`)) return;
    const { showsBranch } = this.standingOf(tree);
    if (makes !== "no") this.#begun.add(branch);
    this.#standings.set(tree.root, {
      repository: { ...tree, branch },
      showsBranch: makes === "no" ? branch === tree.branch : showsBranch && !startsElsewhere,
    });
  }
}

/** Finds the working tree of the repository that a folder lies in; `undefined` outside of it. */
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

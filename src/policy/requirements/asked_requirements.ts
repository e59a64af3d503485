/** Finds the requirements that a tool use falls under, and where. */
import { EDITING_TOOLS, filesNamed, SHELL_TOOLS } from "../../claude/payload.ts";
import type { Environment } from "../../system/environment.ts";
import { askIgnored } from "../../system/git/file_status.ts";
import { findRepository, lookUpwards, type Repository } from "../../system/git/repository.ts";
import { parentOf, resolvePath } from "../../base/paths.ts";
import { realPath } from "../../system/real_paths.ts";
import { mayBeRequired } from "./requirement_look.ts";
import type { Requirement } from "./requirement_policy.ts";
import { type Doubt, mayTrigger, triggeredBy, usesOf } from "./trigger_match.ts";
import { type AskedUse, commandOf } from "../guards/judge_use.ts";
import { type Place, placeAt, placesOf, treesAround } from "./places.ts";

/** A branch in a working tree on which a tool use falls, or may fall, under requirements. */
export interface MeantPlace extends Omit<Place, "changesFiles"> {
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
    if (file !== undefined && isPlanFile(file)) return [];
    const triggered = triggeredBy(requirements, { tool, commands: [], changesFiles: false });
    if (triggered.length === 0) return [];
    const tree = file === undefined ? undefined : treesAround(repository)(parentOf(file));
    return [{ ...placeAt(tree ?? repository), triggered, doubts: [] }];
  }
  const command = commandOf(input);
  const uses = usesOf(requirements);
  if (command === null || !mayBeRequired(uses, use)) return [];
  const { readShellUse } = await import("../files/shell_lookup.ts");
  const { steps, untold } = await readShellUse(command, { tool, folder, home, gitAliases });
  const inProject = steps.map(({ changed }) =>
    changed.map(real).filter((path) => isOfProject(path, repository))
  );
  const files = inProject.flat();
  const counting = new Set(
    files.length > 0 && uses.edits ? await unignored(files, use.environment) : files,
  );
  const places = placesOf(
    steps.map((step, i) => ({
      ...step,
      edited: inProject[i]!.filter((path) => counting.has(path)),
    })),
    repository,
  );
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

/** Whether a file belongs to the repository, in any of its working trees, and is no plan. The path has no links. */
function isOfProject(path: string, { root, commonDir }: Repository): boolean {
  if (isPlanFile(path) || path.startsWith(`${commonDir}/`)) return false;
  return path.startsWith(`${realPath(root)}/`) ||
    findRepository(lookUpwards(parentOf(path)))?.commonDir === commonDir;
}

/** The paths that git does not ignore; all of them where git cannot be asked. */
async function unignored(paths: readonly string[], environment: Environment): Promise<string[]> {
  const { ignored } = await askIgnored(paths, environment);
  return paths.filter((path) => !ignored.has(path));
}

const PLAN_FOLDER = /\/(?:\.claude\/plans|docs\/plans)\//;

/** Whether Claude keeps a plan in this file: no requirement stops it from planning. The path has no links. */
function isPlanFile(path: string): boolean {
  return PLAN_FOLDER.test(path);
}

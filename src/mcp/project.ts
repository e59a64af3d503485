import { UserError } from "../errors.ts";
import { findRepository, lookUpwards } from "../git/repository.ts";
import { folderOfProject } from "../memory/paths.ts";
import type { Observation } from "../store/observations.ts";

/** The project that answers are for. It is looked up for each call, since a folder may become a repository. */
export interface Project {
  /** The common git directory, or the folder where there is none. */
  readonly key: string;
  /** The folder that paths are told from. */
  readonly root: string;
  /** The folder that answers name it by: a model sees at once when the server was started in another project. */
  readonly folder: string;
}

/** The project around a folder. */
export function projectAround(folder: string): Project {
  const repository = findRepository(lookUpwards(folder));
  const key = repository?.commonDir ?? folder;
  return { key, root: repository?.root ?? folder, folder: folderOfProject(key) };
}

/**
 * The observation that a number names.
 *
 * @param found The rows with that number: none or one. @throws {UserError} When there is none, or it is of another project
 *   and `everywhere` is not set.
 */
export function tellable(
  found: readonly Observation[],
  id: number,
  { project, everywhere }: { readonly project: Project; readonly everywhere: boolean },
): Observation {
  const [observation] = found;
  if (observation === undefined) {
    throw new UserError(`Cannot find the observation #${id}`, {
      why: "no observation has this number",
      next: "find it with `recall`",
    });
  }
  if (!everywhere && observation.project !== project.key) {
    throw new UserError(`Cannot tell of the observation #${id}`, {
      why: "it is of another project",
      next: "Call it again with `everywhere: true` if that is meant",
    });
  }
  return observation;
}

/** How answers name the project of an observation. */
export function folderOf({ project }: Pick<Observation, "project">): string {
  return project === null ? "no project" : folderOfProject(project);
}

/** Finds the project around another one: the repository around a submodule, or a workspace around plain folders. */
import type { DatabaseSync } from "node:sqlite";
import { withParents } from "../../base/paths.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { folderOfProject } from "../project_paths.ts";
import { nearestKnown } from "../search/known_names_table.ts";
import type { ContextPlace } from "./told_rows.ts";

/** Begins what a session is told about the surrounding project. The project's folder follows. */
export const FROM_AROUND = "from the repository around: ";

/** Returns the nearest known project around another one, or null. The home folder does not count as a project. */
export function surroundingProject(
  db: DatabaseSync,
  { project, root, home }: Pick<ContextPlace, "project" | "root" | "home">,
): Pick<ContextPlace, "project" | "root" | "branch"> | null {
  if (root === null) return null;
  const above = withParents(root).slice(1, -1).filter((folder) => folder !== home);
  // The git directory of a submodule lies in that of the surrounding repository.
  const superproject = /^.*?\/\.git(?=\/)/.exec(project)?.[0];
  const candidates = project === root
    ? above
    : [...superproject === undefined ? [] : [superproject], ...above.map((one) => `${one}/.git`)];
  const found = nearestKnown(db, candidates.filter((one) => one !== project));
  if (found === null) return null;
  const folder = folderOfProject(found);
  const branch = found === folder ? null : findRepository(lookUpwards(folder))?.branch ?? null;
  return { project: found, root: folder, branch };
}

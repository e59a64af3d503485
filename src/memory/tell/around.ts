/** Finds the project that surrounds another one: that of a submodule's repository, or of a workspace with plain folders. */
import type { DatabaseSync } from "node:sqlite";
import { withParents } from "../../base/paths.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { folderOfProject } from "../project_paths.ts";
import { nearestKnown } from "../search/known_project_table.ts";
import type { ContextPlace } from "./told_rows.ts";

/** What is told of the surroundings begins with this, and the folder follows. */
export const FROM_AROUND = "from the repository around: ";

/** The nearest known project around another one; null where there is none. The home folder surrounds nothing. */
export function surroundingProject(
  db: DatabaseSync,
  { project, root, home }: Pick<ContextPlace, "project" | "root" | "home">,
): Pick<ContextPlace, "project" | "root" | "branch"> | null {
  if (root === null) return null;
  const above = withParents(root).slice(1, -1).filter((folder) => folder !== home);
  // The git directory of a submodule lies in that of the repository around.
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

/** Makes paths relative to their project. */
import { baseName, parentOf, resolvePath, shortPaths } from "../base/paths.ts";

/** The usual places of working trees inside of another one: Claude Code's, and two common ones. */
const TREE_WITHIN = /^(?:\.claude\/worktrees|\.worktrees|\.trees)\/[^/]+\/(?=.)/;

/**
 * Returns a path as memory stores it: relative to the project's folder if it lies below, which makes it equal in all
 * working trees of the repository; otherwise absolute. @param root Absolute; null when it is unknown.
 */
export function pathInProject(path: string, root: string | null): string {
  const whole = resolvePath(path.replaceAll("\\", "/"), { folder: root ?? "/" });
  const folder = root === null ? "" : resolvePath(root, { folder: "/" });
  if (folder !== "" && folder !== "/" && whole.startsWith(`${folder}/`)) {
    return whole.slice(folder.length + 1).replace(TREE_WITHIN, "");
  }
  return root === null && !path.startsWith("/") ? path : whole;
}

/** Returns the folder of a project: `/work/shop` for `/work/shop/.git`. */
export function folderOfProject(project: string): string {
  return baseName(project) === ".git" ? parentOf(project) : project;
}

/** The command or the file that a tool was to use. @param folder Paths are relative to it. */
export function wantedIn(toolInput: unknown, folder: string | null): string {
  const { command, file_path: file } = Object(toolInput);
  if (typeof file === "string") return pathInProject(file, folder);
  return shortPaths(String(command ?? ""), { folder: folder ?? "", home: null });
}

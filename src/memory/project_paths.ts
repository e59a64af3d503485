/** Makes paths relative to their project. */
import { baseName, parentOf, resolvePath, shortPaths } from "../base/paths.ts";

/** The usual places of working trees inside of another one: those of Claude Code, and two customs. */
const TREE_WITHIN = /^(?:\.claude\/worktrees|\.worktrees|\.trees)\/[^/]+\/(?=.)/;

/**
 * A path as memory stores it: relative to the project's folder when it lies below it, so that it is the same in all working
 * trees of the repository; absolute otherwise. @param root Absolute; null when it is not known.
 */
export function pathInProject(path: string, root: string | null): string {
  const whole = resolvePath(path.replaceAll("\\", "/"), { folder: root ?? "/" });
  const folder = root === null ? "" : resolvePath(root, { folder: "/" });
  if (folder !== "" && folder !== "/" && whole.startsWith(`${folder}/`)) {
    return whole.slice(folder.length + 1).replace(TREE_WITHIN, "");
  }
  return root === null && !path.startsWith("/") ? path : whole;
}

/** The folder of a project: `/work/shop` for `/work/shop/.git`. */
export function folderOfProject(project: string): string {
  return baseName(project) === ".git" ? parentOf(project) : project;
}

/** The command or the file that a tool was to use. @param folder Paths are relative to it. */
export function wantedIn(toolInput: unknown, folder: string | null): string {
  const { command, file_path: file } = Object(toolInput);
  if (typeof file === "string") return pathInProject(file, folder);
  return shortPaths(String(command ?? ""), { folder: folder ?? "", home: null });
}

import { joinPath, parentOf } from "../paths.ts";

/**
 * What lies in the folders from a project upwards, read once for configuration and git alike.
 *
 * A folder is listed rather than asked for one name after the other: in a process that has compiled nothing yet, asking
 * for a file that is missing costs 25 to 60 µs, the first time 0.5 ms; a listing 40 µs and 2 µs an entry.
 */

/** The names that are looked for. */
const WANTED: ReadonlySet<string> = new Set([
  ".git",
  ".conclaude.yaml",
  ".conclaude.yml",
  ".conclaude.local.yaml",
]);
const PROJECT_FILES = [".conclaude.yaml", ".conclaude.yml"];

/** How many folders are visited at most, the first one included. */
const MAX_FOLDERS = 40;

/** One folder, and which of the wanted names are in it. */
export interface FolderLook {
  readonly path: string;
  readonly names: readonly string[];
  /** Whether `.git` is a file, as in a worktree, and no folder. */
  readonly gitIsFile: boolean;
}

/**
 * Looks through `start` and the folders above it, nearest first, up to the top or to where both a repository and a
 * configuration file have been found.
 *
 * @param start Absolute path; it need not exist.
 */
export function lookUpwards(start: string): FolderLook[] {
  const looks: FolderLook[] = [];
  let foundGit = false;
  let foundConfig = false;
  let folder = start;
  while (looks.length < MAX_FOLDERS && !(foundGit && foundConfig)) {
    const look = lookInto(folder);
    looks.push(look);
    foundGit ||= look.names.includes(".git");
    foundConfig ||= PROJECT_FILES.some((name) => look.names.includes(name));
    const above = parentOf(folder);
    if (above === folder || above === ".") break;
    folder = above;
  }
  return looks;
}

function lookInto(path: string): FolderLook {
  const names: string[] = [];
  let gitIsFile = false;
  try {
    for (const { name, isFile, isSymlink } of Deno.readDirSync(path)) {
      if (!WANTED.has(name)) continue;
      names.push(name);
      if (name === ".git") gitIsFile = isFile || (isSymlink && leadsToFile(path));
    }
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) return askFor(path);
  }
  return { path, names, gitIsFile };
}

/** Whether a `.git` that is a link leads to a file. */
function leadsToFile(folder: string): boolean {
  try {
    return Deno.statSync(joinPath(folder, ".git")).isFile;
  } catch {
    return false;
  }
}

/** One may pass through a folder without being allowed to list it: then the names are asked for. */
function askFor(path: string): FolderLook {
  const names: string[] = [];
  let gitIsFile = false;
  for (const name of WANTED) {
    try {
      const { isFile, isSymlink } = Deno.lstatSync(joinPath(path, name));
      names.push(name);
      if (name === ".git") gitIsFile = isFile || (isSymlink && leadsToFile(path));
    } catch {
      // Not there.
    }
  }
  return { path, names, gitIsFile };
}

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

/** A larger folder (some 500 entries) is not listed. The size is that of the folder itself, not of what is in it. */
const MAX_LISTED_BYTES = 16_384;

/** One folder, and which of the wanted names are in it. */
export interface FolderLook {
  readonly path: string;
  readonly names: readonly string[];
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
    const names = wantedIn(folder);
    looks.push({ path: folder, names });
    foundGit ||= names.includes(".git");
    foundConfig ||= PROJECT_FILES.some((name) => names.includes(name));
    const above = parentOf(folder);
    if (above === folder || above === ".") break;
    folder = above;
  }
  return looks;
}

function wantedIn(folder: string): string[] {
  try {
    if (Deno.statSync(folder).size <= MAX_LISTED_BYTES) {
      const names: string[] = [];
      for (const { name } of Deno.readDirSync(folder)) if (WANTED.has(name)) names.push(name);
      return names;
    }
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return [];
    // One may pass through a folder without being allowed to list it: then the names are asked for.
  }
  return [...WANTED].filter((name) => isThere(joinPath(folder, name)));
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

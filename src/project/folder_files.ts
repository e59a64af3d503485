/** What lies in a folder that is about to go away. */
import { joinPath } from "../paths.ts";

/** Folders that hold what tools make anew: who removes one of them means nothing in it. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...".git node_modules bower_components vendor .venv venv __pycache__ .tox .eggs".split(" "),
  ...".mypy_cache .pytest_cache .ruff_cache target dist build out .next .nuxt .svelte-kit".split(
    " ",
  ),
  ...".output .turbo .parcel-cache .gradle .cache coverage tmp .tmp".split(" "),
]);

/** Entries that are looked through at most: each costs 2 µs and more. */
const MAX_ENTRIES = 5_000;

/**
 * The files in a folder and below, as paths from there; links are not followed.
 *
 * @param name How a person would name the folder. Where that says that tools make it anew, nothing is in it.
 * @returns Nothing for what is no folder; null when there are too many to look through.
 */
export function filesBelow(path: string, name: string): string[] | null {
  if (name.split("/").some((part) => MADE_ANEW.has(part)) || !isOwnFolder(path)) return [];
  const files: string[] = [];
  const waiting = [""];
  let entries = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const { name, isDirectory } of list(joinPath(path, folder))) {
      if (++entries > MAX_ENTRIES) return null;
      const below = joinPath(folder, name);
      if (!isDirectory) files.push(below);
      else if (!MADE_ANEW.has(name)) waiting.push(below);
    }
  }
  return files;
}

function isOwnFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The entries of a folder, one after the other; none where it may not be looked into. */
function* list(path: string): Generator<Deno.DirEntry> {
  try {
    yield* Deno.readDirSync(path);
  } catch {
    // Nobody can look into it, so nobody removes what lies in it.
  }
}

/** What lies in a folder that is about to go away, or that is searched. */
import type { Entry, Search } from "../guard/decide.ts";
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

/** Whether a folder of this name, or one above it, holds what tools make anew. */
export function isMadeAnew(name: string): boolean {
  return name.split("/").some((part) => MADE_ANEW.has(part));
}

/**
 * The files in a folder and below, as paths from there; links are not followed.
 *
 * @param name How a person would name the folder. Where that says that tools make it anew, nothing is in it.
 * @returns Nothing for what is no folder; null when there are too many to look through.
 */
export function filesBelow(path: string, name: string): string[] | null {
  if (!isOwnFolder(path)) return [];
  const files: string[] = [];
  const isAll = walk(path, name, {
    visit: ({ path, kind }) => {
      if (kind !== "folder") files.push(path);
      return true;
    },
  });
  return isAll ? files : null;
}

/** What a search finds. */
export interface Finds {
  /** As paths from where it begins. */
  readonly sure: readonly string[];
  /** What only the running command knows to be meant. */
  readonly perhaps: readonly string[];
  /** False when there is too much to look through. */
  readonly isAll: boolean;
}

/**
 * Looks for what a search means, without what tools make anew.
 *
 * @param counts Which paths are looked at even there, and are followed to.
 */
export function findIn(
  path: string,
  name: string,
  { search, counts }: { readonly search: Search; readonly counts: (path: string) => boolean },
): Finds {
  const sure: string[] = [];
  const perhaps: string[] = [];
  const visit = (entry: Entry) => {
    const { isMeant, goesOn } = search.judge(entry);
    const answers = [isMeant, entry.kind === "folder" ? search.takesFolders : "yes"];
    if (!answers.includes("no")) (answers.includes("maybe") ? perhaps : sure).push(entry.path);
    return goesOn;
  };
  const kind = kindOf(path);
  if (kind === null) return { sure, perhaps, isAll: true };
  const goesOn = visit({ path: "", kind, size: () => sizeOf(path) });
  const isAll = kind !== "folder" || !goesOn || walk(path, name, { visit, counts });
  return { sure, perhaps, isAll };
}

/** Visits what lies in a folder and below, as long as that goes on; false when it is too much. */
function walk(
  root: string,
  name: string,
  { visit, counts = () => false }: {
    readonly visit: (entry: Entry) => boolean;
    readonly counts?: (path: string) => boolean;
  },
): boolean {
  const waiting = [{ folder: "", isAnew: isMadeAnew(name) }];
  let entries = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.isAnew && !counts(at.folder)) continue;
    for (const entry of list(joinPath(root, at.folder))) {
      if (++entries > MAX_ENTRIES) return false;
      const path = joinPath(at.folder, entry.name);
      if (at.isAnew && !counts(path)) continue;
      const goesOn = visit({
        path,
        kind: kindOfEntry(entry),
        size: () => sizeOf(joinPath(root, path)),
      });
      if (entry.isDirectory && goesOn) {
        waiting.push({ folder: path, isAnew: at.isAnew || MADE_ANEW.has(entry.name) });
      }
    }
  }
  return true;
}

function kindOfEntry(
  { isFile, isDirectory, isSymlink }: Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink">,
): Entry["kind"] {
  return isSymlink ? "link" : isDirectory ? "folder" : isFile ? "file" : "other";
}

/** What is there, links not followed; null for nothing. */
function kindOf(path: string): Entry["kind"] | null {
  try {
    return kindOfEntry(Deno.lstatSync(path));
  } catch {
    return null;
  }
}

function sizeOf(path: string): number | null {
  try {
    return Deno.lstatSync(path).size;
  } catch {
    return null;
  }
}

/** Whether it is a folder itself, and no link to one. */
export function isOwnFolder(path: string): boolean {
  return kindOf(path) === "folder";
}

/** The entries of a folder, one after the other; none where it may not be looked into. */
function* list(path: string): Generator<Deno.DirEntry> {
  try {
    yield* Deno.readDirSync(path);
  } catch {
    // Nobody can look into it, so nobody removes what lies in it.
  }
}

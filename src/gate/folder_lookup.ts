/** What lies in a folder that is about to go away, or that is searched. */
import type { Entry, Search } from "../guard/types.ts";
import { joinPath } from "../paths.ts";
import type { Allowance } from "./file_lookup.ts";
import { entriesOf, kindAt, kindOf, sizeAt } from "../project/on_disk.ts";

/** Folders that hold what tools make anew: who removes one of them means nothing in it. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...".git node_modules bower_components vendor .venv venv __pycache__ .tox .eggs".split(" "),
  ...".mypy_cache .pytest_cache .ruff_cache target dist build out .next .nuxt .svelte-kit".split(
    " ",
  ),
  ...".output .turbo .parcel-cache .gradle .cache coverage tmp .tmp".split(" "),
]);

/** Entries of a folder that goes away that are looked through at most: each costs 2 µs and more. */
const MAX_ENTRIES = 5_000;
/** The same of a search, which goes through a whole project. */
const MAX_SEARCHED = 20_000;

/** Entries that one tool use may look at: six searches of a whole project take a third of a second. */
export const MAX_VISITS = 120_000;

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
export function filesBelow(path: string, name: string, visits: Allowance): string[] | null {
  if (!isOwnFolder(path)) return [];
  const files: string[] = [];
  const isAll = walk(path, name, {
    visit: ({ path, kind }) => {
      if (kind !== "folder") files.push(path);
      return kind === "folder";
    },
    maxEntries: MAX_ENTRIES,
    visits,
  });
  return isAll ? files : null;
}

/** What a search finds, by paths from where it begins; the empty text for that itself. */
export type Found = ReadonlyMap<string, Entry["kind"]>;

/** What a search comes to. */
export interface Finds {
  readonly sure: Found;
  /** What only the running command knows to be meant. */
  readonly perhaps: Found;
  /** False when there is too much to look through. */
  readonly isAll: boolean;
}

/**
 * Looks for what a search means, without what tools make anew.
 *
 * @param options `own`: paths, from where the search begins, that are asked about wherever they lie. `among`: the only
 * ones that it may mean beside that where it begins; null for any.
 */
export function findIn(
  path: string,
  name: string,
  { search, own, among, visits }: {
    readonly search: Search;
    readonly own: readonly string[];
    readonly among: readonly string[] | null;
    readonly visits: Allowance;
  },
): Finds {
  const sure = new Map<string, Entry["kind"]>();
  const perhaps = new Map<string, Entry["kind"]>();
  const visit = (entry: Entry) => {
    const { isMeant, goesOn } = search.judge(entry);
    const answers = [isMeant, entry.kind === "folder" ? search.takesFolders : "yes"];
    if (!answers.includes("no")) {
      (answers.includes("maybe") ? perhaps : sure).set(entry.path, entry.kind);
    }
    return goesOn && entry.kind === "folder";
  };
  const start = entryAt(path, "");
  if (start === null || !visit(start)) return { sure, perhaps, isAll: true };
  if (among !== null) {
    const isAsked = (below: string) => own.includes(below) || !isMadeAnew(joinPath(name, below));
    const asked = among.filter(isAsked);
    for (const below of asked.slice(0, MAX_SEARCHED)) {
      const entry = entryAt(path, below);
      if (entry !== null) visit(entry);
    }
    return { sure, perhaps, isAll: asked.length <= MAX_SEARCHED };
  }
  const isAll = walk(path, search.entersNamed ? "" : name, {
    visit,
    maxEntries: MAX_SEARCHED,
    visits,
  });
  const goesOn = (folder: string) => {
    const entry = entryAt(path, folder);
    return entry?.kind === "folder" && search.judge(entry).goesOn;
  };
  for (const below of own) {
    const entry = entryAt(path, below);
    if (entry !== null && foldersAbove(below).every(goesOn)) visit(entry);
  }
  return { sure, perhaps, isAll };
}

/** Visits what lies in a folder and below, the nearest first, as long as that goes on; false when it is too much. */
function walk(
  root: string,
  name: string,
  { visit, maxEntries, visits }: {
    readonly visit: (entry: Entry) => boolean;
    readonly maxEntries: number;
    readonly visits: Allowance;
  },
): boolean {
  if (isMadeAnew(name)) return true;
  const folders = [""];
  let entries = 0;
  // It grows while it is gone through.
  for (const folder of folders) {
    const listed = entriesOf(joinPath(root, folder));
    if (listed === null) return false;
    for (const entry of listed) {
      if (++entries > maxEntries || --visits.left < 0) return false;
      const path = joinPath(folder, entry.name);
      const size = () => sizeAt(joinPath(root, path));
      if (visit({ path, kind: kindOf(entry), size }) && !MADE_ANEW.has(entry.name)) {
        folders.push(path);
      }
    }
  }
  return true;
}

/** `a`, `a/b` of `a/b/c`. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** What is there, from where a search begins; null for nothing. */
function entryAt(root: string, path: string): Entry | null {
  const full = path === "" ? root : joinPath(root, path);
  const kind = kindAt(full);
  return kind === null ? null : { path, kind, size: () => sizeAt(full) };
}

/** Whether it is a folder itself, and no link to one. */
export function isOwnFolder(path: string): boolean {
  return kindAt(path) === "folder";
}

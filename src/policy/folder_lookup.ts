/** Lists what lies in a folder that is removed or searched. */
import type { Entry, Search } from "./guards/types.ts";
import { joinPath } from "../base/paths.ts";
import { entriesOf, kindAt, kindOf } from "../system/on_disk.ts";
import type { Allowance } from "./file_lookup.ts";

/** Folders whose content tools make again: removing one loses nothing. */
const MADE_ANEW: ReadonlySet<string> = new Set([
  ...".git node_modules bower_components vendor .venv venv __pycache__ .tox .eggs".split(" "),
  ...".mypy_cache .pytest_cache .ruff_cache target dist build out .next .nuxt .svelte-kit".split(
    " ",
  ),
  ...".output .turbo .parcel-cache .gradle .cache coverage tmp .tmp".split(" "),
]);

/** How many entries of a removed folder are looked at; each costs 2 µs and more. */
const MAX_ENTRIES = 5_000;
/** The same for a search, which goes through a whole project. */
const MAX_SEARCHED = 20_000;

/** Entries that one tool use may look at: six searches of a whole project take a third of a second. */
export const MAX_VISITS = 120_000;

/** Whether the path names such a folder, or leads through one. */
export function isMadeAnew(name: string): boolean {
  return name.split("/").some((part) => MADE_ANEW.has(part));
}

/** The files below a folder, as paths from there; none below a folder that tools make again, null for too many. */
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

/** By path from the start of the search; the empty text for the start itself. */
export type Found = ReadonlyMap<string, Entry["kind"]>;

export interface Finds {
  readonly sure: Found;
  /** Entries of which only the running command knows whether they are meant. */
  readonly perhaps: Found;
  /** False when there is too much to look through. */
  readonly isAll: boolean;
}

/** Runs a search. `own` is looked up wherever it lies; `among` are the only paths that may be found, null for any. */
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

/** Visits what lies below a folder, the nearest first, and goes where `visit` says. @returns False when it is too much. */
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
  // The list grows during the loop.
  for (const folder of folders) {
    const listed = entriesOf(joinPath(root, folder));
    if (listed === null) return false;
    for (const entry of listed) {
      if (++entries > maxEntries || --visits.left < 0) return false;
      const path = joinPath(folder, entry.name);
      if (visit({ path, kind: kindOf(entry) }) && !MADE_ANEW.has(entry.name)) {
        folders.push(path);
      }
    }
  }
  return true;
}

/** `a` and `a/b` of `a/b/c`. */
function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function entryAt(root: string, path: string): Entry | null {
  const kind = kindAt(path === "" ? root : joinPath(root, path));
  return kind === null ? null : { path, kind };
}

/** Whether it is a folder, and no link to one. */
export function isOwnFolder(path: string): boolean {
  return kindAt(path) === "folder";
}

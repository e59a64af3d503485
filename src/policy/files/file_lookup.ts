/** Looks up what rules need to know about a file: all its names, whether it exists, whether it lies in the project. */
import { findOwn } from "../guards/protected.ts";
import type { Entry, FileFacts, HowToLook, OwnFile, Search } from "../guards/types.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import {
  entriesOf,
  exists,
  isFolder,
  kindAt,
  kindOf,
  readHead,
  readText,
  sharedFile,
} from "../../system/on_disk.ts";
import type { RealPaths } from "../../system/real_paths.ts";
import WORDS from "../guards/words.json" with { type: "json" };

/** How many bytes of a file are read for a generated-file marker. */
const HEAD_BYTES = 65_536;

/** How many more files or entries one tool use may look at; negative once nothing is left. */
export interface Allowance {
  left: number;
}

export interface Ground {
  readonly root: string | null;
  readonly folder: string | null;
  readonly home: string | null;
  /** How many more files may be read for a generated-file marker; null where no rule needs one. */
  readonly heads: Allowance | null;
  /** Returns the guards' own files, found with the first file; none for a tool that writes nothing. */
  readonly own: () => readonly OwnFile[];
  readonly paths: RealPaths;
  /** Files with several names: the files met so far, and the protected names by file. */
  readonly hardLinks: {
    readonly met: Set<string>;
    protected: ReadonlyMap<string, readonly string[]>;
  };
}

export interface Place {
  readonly path: string;
  readonly from: string | null;
  /** Whether the file comes with a folder that is copied or made. */
  readonly isPart?: boolean;
  /** Whether a folder's listing named the file, so that it exists and is no link. */
  readonly isListed?: boolean;
  readonly comesFromGit?: boolean;
}

export function fullPath(path: string, { folder, root, home }: Ground): string {
  return resolvePath(path, { folder: folder ?? root ?? "/", home: home ?? undefined });
}

export function factsOf(
  { path, from, isPart = false, isListed = false, comesFromGit = false }: Place,
  how: HowToLook,
  ground: Ground,
): FileFacts {
  const { own, paths } = ground;
  const { effect } = how;
  // To remove a link removes the link and not its target.
  const real = effect === "remove" || isListed
    ? joinPath(paths.real(parentOf(path)), baseName(path))
    : paths.real(path);
  const realRoot = rootOf(ground);
  const isInRoot = realRoot !== null && parentOf(real) === realRoot;
  const isThere = isListed || (effect === "remove" ? exists(real) : paths.isThere(path));
  const others = isThere ? otherNames(real, effect, ground) : [];
  const inside = [path, ...others].flatMap((path, i) =>
    spellingsInside({ path, real: i === 0 ? real : path }, ground)
  );
  const hasHead = isThere && inside.length > 0 && (effect === "change" || effect === "remove");
  return {
    name: (inside.find((spelling) => spelling !== "") ?? path) +
      (others.length === 0
        ? ""
        : ` (the same file as ${fromFolder(realRoot, others[0]!) ?? others[0]})`),
    spellings: [...new Set([...inside, path, real, ...others])],
    real,
    own: findOwn(own(), { paths: [path, real, ...others], effect }),
    ignored: null,
    exists: isThere,
    becomesFolder: () => how.isFolder || isMade(path, how) || (from !== null && isFolder(from)),
    isInRoot,
    head: hasHead ? headOf(real, ground) : "",
    text: () => readText(real),
    effect,
    below: [],
    isMadeAnew: false,
    isPart: isPart && inside.length > 0 && !isInRoot,
    comesFromGit,
    isElsewhere: realRoot !== null && inside.length === 0 && !isBelow(realRoot, parentOf(real)),
  };
}

/** Returns the protected names of a file with several names. To remove one name leaves the others. */
function otherNames(
  real: string,
  effect: HowToLook["effect"],
  { hardLinks }: Ground,
): readonly string[] {
  const shared = effect === "remove" || effect === "fill" ? null : sharedFile(real);
  if (shared === null) return [];
  hardLinks.met.add(shared);
  return hardLinks.protected.get(shared)?.filter((path) => path !== real) ?? [];
}

function rootOf({ root, paths }: Ground): string | null {
  return root === null ? null : paths.real(root);
}

export function spellingsInside(
  { path, real }: { readonly path: string; readonly real: string },
  ground: Ground,
): string[] {
  const { root } = ground;
  const realRoot = rootOf(ground);
  return [fromFolder(root, path), fromFolder(realRoot, real), fromFolder(realRoot, path)]
    .filter((spelling) => spelling !== null);
}

/** Tells whether an earlier part of the command makes this folder. */
export function isMade(path: string, { made = [] }: HowToLook): boolean {
  return made.some((folder) => folder === path || folder.startsWith(`${path}/`));
}

export function isBelow(path: string, folder: string): boolean {
  return fromFolder(folder, path) !== null;
}

/** Reads the beginning of a file; empty where no rule needs it, or where it cannot be read. */
function headOf(path: string, { heads }: Ground): string {
  if (heads === null || --heads.left < 0) return "";
  return new TextDecoder().decode(readHead(path, HEAD_BYTES) ?? new Uint8Array());
}

/** Returns a path relative to a folder; the empty text for the folder itself; null outside of it. */
export function fromFolder(folder: string | null, path: string): string | null {
  if (folder === null) return null;
  if (path === folder) return "";
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

/** Folders whose content tools rebuild, so that to remove one loses nothing. */
const MADE_ANEW: ReadonlySet<string> = new Set([...WORDS.built, ".git", "tmp", ".tmp"]);

/** How many entries of a removed folder are looked at; each costs 2 µs or more. */
const MAX_ENTRIES = 5_000;
/** How many entries a search looks at; it may go through a whole project. */
const MAX_SEARCHED = 20_000;

/** How many entries of folders one tool use may look at. */
export const MAX_VISITS = 120_000;

/** Tells whether a path names a folder that tools rebuild, or leads through one. */
export function isMadeAnew(name: string): boolean {
  return name.split("/").some((part) => MADE_ANEW.has(part));
}

/** Lists the files below a folder, relative to it; none below a folder that tools rebuild; null for too many. */
export function filesBelow(path: string, name: string, visits: Allowance): string[] | null {
  if (!isRealFolder(path)) return [];
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

/**
 * Runs a search. It always tries the paths in `own`; `among` are the only other paths that it may find, null for any.
 * @returns `sure` holds the entries that the command surely means, `perhaps` those about which only the running command
 * decides, both by path relative to the start of the search, empty for the start itself.
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
) {
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
    const counts = (below: string) => own.includes(below) || !isMadeAnew(joinPath(name, below));
    const tried = among.filter(counts);
    for (const below of tried.slice(0, MAX_SEARCHED)) {
      const entry = entryAt(path, below);
      if (entry !== null) visit(entry);
    }
    return { sure, perhaps, isAll: tried.length <= MAX_SEARCHED };
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

/** Visits the entries below a folder; enters folders for which `visit` returns true. Returns false for too many. */
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

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function entryAt(root: string, path: string): Entry | null {
  const kind = kindAt(path === "" ? root : joinPath(root, path));
  return kind === null ? null : { path, kind };
}

/** Tells whether a path is a folder itself, and no link to one. */
export function isRealFolder(path: string): boolean {
  return kindAt(path) === "folder";
}

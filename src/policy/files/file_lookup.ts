/** Looks up what rules need to know about a file: all its names, whether it exists, whether it lies in the project. */
import { findOwn } from "../guards/protected.ts";
import type { FileFacts, HowToLook, OwnFile } from "../guards/types.ts";
import { baseName, fromFolder, joinPath, parentOf, resolvePath } from "../../base/paths.ts";
import { exists, isFolder, readHead, readText, sharedFile } from "../../system/on_disk.ts";
import type { RealPaths } from "../../system/real_paths.ts";

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
  /** Returns where `root` lies in the other working trees of the repository, found with the first file. */
  readonly otherRoots: () => readonly string[];
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
    spellings: [
      ...new Set([...inside, ...inOtherTrees([path, real], ground), path, real, ...others]),
    ],
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

/** Returns the paths relative to the project's folder in other working trees; none for such a folder itself. */
function inOtherTrees(paths: readonly string[], ground: Ground): string[] {
  const [own, others] = [rootOf(ground), ground.otherRoots()];
  if (own === null || others.length === 0) return [];
  // A working tree may lie in another one: the nearest folder above a path counts.
  const roots = [own, ...others].sort((a, b) => b.length - a.length);
  return paths.flatMap((path) => {
    const nearest = roots.find((root) => isBelow(path, root)) ?? own;
    return nearest === own ? [] : fromFolder(nearest, path) || [];
  });
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

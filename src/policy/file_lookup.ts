/** Looks up what the rules ask about a file: all its names, whether it exists, whether it lies in the project. */
import { findOwn } from "./guards/protected.ts";
import type { FileFacts, HowToLook, Looked, OwnFile } from "./guards/types.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../base/paths.ts";
import { exists, isFolder, readHead, readText } from "../system/on_disk.ts";
import type { RealPaths } from "../system/real_paths.ts";

/** The first size is nearly always enough for the lines that count. */
const HEAD_BYTES = [4_096, 65_536];
const HEAD_LINES = 100;

/** How much one tool use may still look at; negative once it is used up. */
export interface Allowance {
  left: number;
}

export interface Ground {
  /** The project's folder, absolute; null when there is none. */
  readonly root: string | null;
  readonly folder: string | null;
  readonly home: string | null;
  /** How many files may still be read for their beginnings; null where no rule asks for them. */
  readonly heads: Allowance | null;
  /** The guards' own files; none where nothing is written. Looked up with the first file. */
  readonly own: () => readonly OwnFile[];
  readonly paths: RealPaths;
}

export interface Place {
  readonly path: string;
  readonly from: string | null;
  /** True for a file that comes with a folder which is copied or made. */
  readonly isPart?: boolean;
  /** True for a file from a folder's listing: it exists and is no link. */
  readonly isListed?: boolean;
  readonly comesFromGit?: boolean;
}

export function lookAtFile(path: string, how: HowToLook, ground: Ground): Looked {
  const place = { path: fullPath(path, ground), from: null };
  return { files: [factsOf(place, how, ground)], unknown: [] };
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
  // Removing a link removes the link and not its target.
  const real = effect === "remove" || isListed
    ? joinPath(paths.real(parentOf(path)), baseName(path))
    : paths.real(path);
  const inside = spellingsInside({ path, real }, ground);
  const realRoot = rootOf(ground);
  const isInRoot = realRoot !== null && parentOf(real) === realRoot;
  const isThere = isListed || (effect === "remove" ? exists(real) : paths.isThere(path));
  const hasHead = isThere && inside.length > 0 && (effect === "change" || effect === "remove");
  return {
    name: inside.find((spelling) => spelling !== "") ?? path,
    spellings: [...new Set([...inside, path, real])],
    real,
    own: findOwn(own(), { paths: [path, real], effect }),
    ignored: null,
    exists: isThere,
    becomesFolder: () =>
      (how.isFolder && (how.namedLike ?? null) === null) || isMade(path, how) ||
      (from !== null && isFolder(from)),
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

function rootOf({ root, paths }: Ground): string | null {
  return root === null ? null : paths.real(root);
}

/** All paths from the project's folder to the file; none when it lies outside. */
export function spellingsInside(
  { path, real }: { readonly path: string; readonly real: string },
  ground: Ground,
): string[] {
  const { root } = ground;
  const realRoot = rootOf(ground);
  return [fromFolder(root, path), fromFolder(realRoot, real), fromFolder(realRoot, path)]
    .filter((spelling) => spelling !== null);
}

/** Whether the command itself has made this folder before. */
export function isMade(path: string, { made = [] }: HowToLook): boolean {
  return made.some((folder) => folder === path || folder.startsWith(`${path}/`));
}

export function isBelow(path: string, folder: string): boolean {
  return fromFolder(folder, path) !== null;
}

/** What a file begins with; the empty text where no rule asks, for what is no file, and for what cannot be read. */
function headOf(path: string, { heads }: Ground): string {
  if (heads === null || --heads.left < 0) return "";
  let text = "";
  for (const size of HEAD_BYTES) {
    const bytes = readHead(path, size) ?? new Uint8Array();
    text = new TextDecoder().decode(bytes);
    if (bytes.length < size || text.split("\n", HEAD_LINES).length === HEAD_LINES) break;
  }
  return text;
}

/** The path from a folder; the empty text for the folder itself; null outside of it. */
export function fromFolder(folder: string | null, path: string): string | null {
  if (folder === null) return null;
  if (path === folder) return "";
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

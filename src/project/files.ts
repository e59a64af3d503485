/** What the rules ask about a file: all its names, whether it is there, whether it lies in the project's folder. */
import { baseName, joinPath, parentOf, resolvePath } from "../paths.ts";
import type { HowToLook, Looked } from "../guard/decide.ts";
import type { FileFacts } from "../guard/files.ts";
import { filesBelow } from "./folder_files.ts";
import { findOwn, type OwnFile } from "../guard/protected.ts";

const MAX_LINKS = 8;
const HEAD_BYTES = 65_536;
/** Files that one pattern of the shell is looked up as, at most. */
const MAX_MATCHES = 1_000;

/** Where a path is looked up from. */
export interface Ground {
  /** The project's folder, absolute; null when there is none. */
  readonly root: string | null;
  /** Where a relative path starts. */
  readonly folder: string | null;
  readonly home: string | null;
  /** Whether a rule asks for what the files begin with. */
  readonly wantsHead: boolean;
  /** Whether a rule asks for what lies in a folder that goes away. */
  readonly wantsBelow: boolean;
  /** The guards' own files; none where nothing is written. Asked for with the first file. */
  readonly own: () => readonly OwnFile[];
}

/** Looks a file up; a pattern as the files that are there for it. */
export function lookAtFiles(
  path: string,
  how: HowToLook,
  ground: Ground,
): Looked {
  const folder = ground.folder ?? ground.root ?? "/";
  const full = resolvePath(path, { folder, home: ground.home ?? undefined });
  const realRoot = ground.root === null ? null : realPath(ground.root);
  const { places, unknown } = placesOf(full, how);
  const isInFolder = (parent: string) => isMade(parent, how) || isFolder(parent);
  const looked = places.filter((place) => !how.ifInFolder || isInFolder(parentOf(place.path)))
    .map((place) => lookAt(place, how, { ...ground, realRoot }));
  return {
    files: looked.map(({ facts }) => facts),
    unknown: [...unknown, ...looked.flatMap(({ unknown }) => unknown)],
  };
}

/** A file that is meant. */
interface Place {
  readonly path: string;
  /** What is copied there; null for nothing. */
  readonly from: string | null;
}

/** The files that a path, or a pattern, means. */
function placesOf(
  path: string,
  { isGlob, from = null, namedLike = null }: HowToLook,
): { readonly places: readonly Place[]; readonly unknown: readonly string[] } {
  if (!isGlob && namedLike === null) return { places: [{ path, from }], unknown: [] };
  const pattern = namedLike ?? path;
  const { paths, isAll } = expandGlob(pattern);
  const unknown = isAll ? [] : [`${pattern} stands for more files than can be looked up`];
  if (namedLike === null) {
    // A shell leaves a pattern that stands for nothing as it is.
    return {
      places: (paths.length === 0 ? [path] : paths).map((one) => ({ path: one, from })),
      unknown,
    };
  }
  return paths.length === 0
    ? { places: [], unknown: [`which files ${pattern} will stand for is not known`] }
    : { places: paths.map((one) => ({ path: joinPath(path, baseName(one)), from: one })), unknown };
}

function lookAt(
  { path, from }: Place,
  how: HowToLook,
  { root, realRoot, wantsHead, wantsBelow, own }: Ground & { readonly realRoot: string | null },
): { readonly facts: FileFacts; readonly unknown: readonly string[] } {
  const { effect } = how;
  // A link that is removed goes away itself, what it leads to stays.
  const real = effect === "remove"
    ? joinPath(realPath(parentOf(path)), baseName(path))
    : realPath(path);
  const inside = [fromFolder(root, path), fromFolder(realRoot, real), fromFolder(realRoot, path)]
    .filter((spelling) => spelling !== null);
  const name = inside.find((spelling) => spelling !== "") ?? path;
  const below = wantsBelow && effect === "remove" ? filesBelow(real, name) : [];
  const facts: FileFacts = {
    name,
    spellings: [...new Set([...inside, path, real])],
    real,
    own: findOwn(own(), { paths: [path, real], effect }),
    ignored: null,
    exists: exists(real),
    becomesFolder: () => how.isFolder || isMade(path, how) || (from !== null && isFolder(from)),
    isInRoot: realRoot !== null && parentOf(real) === realRoot,
    head: wantsHead ? headOf(real) : "",
    text: () => textOf(real),
    effect,
    below: below ?? [],
  };
  return {
    facts,
    unknown: below === null ? [`${name} holds more files than can be looked through`] : [],
  };
}

/** Whether the command itself makes a folder there before. */
function isMade(path: string, { made = [] }: HowToLook): boolean {
  return made.some((folder) => folder === path || folder.startsWith(`${path}/`));
}

/** What a file begins with; the empty text for what is none, or cannot be read. */
function headOf(path: string): string {
  try {
    if (!Deno.statSync(path).isFile) return "";
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(HEAD_BYTES);
    const read = file.readSync(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, read));
  } catch {
    return "";
  }
}

function textOf(path: string): string | null {
  try {
    return Deno.statSync(path).isFile ? Deno.readTextFileSync(path) : null;
  } catch {
    return null;
  }
}

/** The path from a folder; the empty text for the folder itself; null outside of it. */
function fromFolder(folder: string | null, path: string): string | null {
  if (folder === null) return null;
  if (path === folder) return "";
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : null;
}

/** The path with all links followed, also when its end is not there yet, or is a link to nothing. */
export function realPath(path: string, links = 0): string {
  try {
    return Deno.realPathSync(path).replaceAll("\\", "/");
  } catch {
    // It is not there; what leads to it may be.
  }
  const above = parentOf(path);
  if (above === path || above === ".") return path;
  try {
    if (links < MAX_LINKS && Deno.lstatSync(path).isSymlink) {
      return realPath(resolvePath(Deno.readLinkSync(path), { folder: above }), links + 1);
    }
  } catch {
    // Not even a link.
  }
  return joinPath(realPath(above, links), baseName(path));
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The files that a pattern of the shell stands for, and whether these are all. */
function expandGlob(path: string): { readonly paths: readonly string[]; readonly isAll: boolean } {
  let paths = ["/"];
  let isAll = true;
  for (const segment of path.split("/").filter((part) => part !== "")) {
    const found = paths.flatMap((folder) =>
      /[*?[]/.test(segment) ? namesLike(folder, segment) : [joinPath(folder, segment)]
    );
    isAll &&= found.length <= MAX_MATCHES;
    paths = found.slice(0, MAX_MATCHES);
  }
  return { paths, isAll };
}

function namesLike(folder: string, segment: string): string[] {
  const pattern = segment.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("*", ".*").replaceAll(
    "?",
    ".",
  );
  try {
    const regex = new RegExp(`^${pattern.replaceAll("[!", "[^")}$`, "s");
    return Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => regex.test(name) && (segment.startsWith(".") || !name.startsWith(".")))
      .map((name) => joinPath(folder, name));
  } catch {
    return [];
  }
}

/** What the rules ask about a file: all its names, whether it is there, whether it lies in the project's folder. */
import { baseName, joinPath, parentOf, resolvePath } from "../paths.ts";
import type { HowToLook, Looked, Search } from "../guard/decide.ts";
import type { FileFacts } from "../guard/files.ts";
import { exists } from "./exists.ts";
import { filesBelow, findIn, isMadeAnew, isOwnFolder, type Visits } from "./folder_files.ts";
import type { RealPaths } from "./real_paths.ts";
import { expandPattern } from "./shell_patterns.ts";
import { findOwn, type OwnFile } from "../guard/protected.ts";

const HEAD_BYTES = 65_536;

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
  /** Where paths lead, as far as it was asked. */
  readonly paths: RealPaths;
  readonly visits: Visits;
}

/** Where a path is looked up from, links followed as well. */
type RealGround = Ground & { readonly realRoot: string | null };

/** Looks a file up; a pattern as the files that are there for it, a search as those that it finds. */
export function lookAtFiles(
  path: string,
  how: HowToLook,
  ground: Ground,
): Looked {
  const folder = ground.folder ?? ground.root ?? "/";
  const full = resolvePath(path, { folder, home: ground.home ?? undefined });
  const at = { ...ground, realRoot: ground.root === null ? null : ground.paths.real(ground.root) };
  if (how.search !== undefined) return lookFor(full, { ...how, search: how.search }, at);
  const { places, unknown } = placesOf(full, how);
  if (places.length === 0 && (how.namedLike ?? null) !== null) {
    // What is to arise there has any name.
    const { files } = lookedAt([{ path: full, from: null }], { ...how, effect: "fill" }, at);
    return { files, unknown };
  }
  const isFolderBy = (path: string) =>
    isMade(path, how) || (at.paths.isThere(path) && isFolder(path));
  const looked = places.filter(({ path }) =>
    (!how.ifInFolder || isFolderBy(parentOf(path))) && (!how.ifNoFolder || !isFolderBy(path))
  ).map((place) => lookInto(place, how, at));
  return {
    files: looked.flatMap(({ files }) => files),
    perhaps: looked.flatMap(({ perhaps = [] }) => perhaps),
    unknown: [...unknown, ...looked.flatMap(({ unknown }) => unknown)],
  };
}

/** What becomes of one place; of a folder that is filled from one that is there, which files arise in it. */
function lookInto(place: Place, how: HowToLook, ground: RealGround): Looked {
  const { path, from } = place;
  const asked = how.effect === "fill" && from !== null ? askedBelow(path, ground) : "none";
  if (from === null || asked === "none") return lookedAt([place], how, ground);
  const isFile = (at: string) => ground.paths.isThere(at) && !isFolder(at);
  if (isFile(path) || isFile(parentOf(path))) return { files: [], unknown: [] };
  // A link is copied as one, unless what lies in its folder is.
  const source = how.isContents ? ground.paths.real(from) : from;
  if (exists(source) && !isOwnFolder(source)) return { files: [], unknown: [] };
  const below = filesBelow(source, "", ground.visits);
  const itself = lookedAt([place], how, ground);
  if (below === null || below.length === 0) {
    const name = fromFolder(ground.root, from) || from;
    // What a folder is to hold may come before it is copied.
    const untold = below === null && asked === "all"
      ? [tooMany(name)]
      : below !== null && how.isContents
      ? [`what will lie in ${name} is not known`]
      : [];
    return { files: itself.files, unknown: [...itself.unknown, ...untold] };
  }
  const arising = below.map((name) => joinPath(path, name))
    .filter((at) => asked === "all" || exists(at))
    .map((path): Place => ({ path, from: null, isPart: true }));
  // What is new where tools make things anew counts as the folder does.
  const whole = asked === "there" ? itself.files : [];
  const as = { ...how, effect: "change", isFolder: false } as const;
  const { files, unknown } = lookedAt(arising, as, ground);
  return {
    files: how.leavesSome ? whole : [...whole, ...files],
    perhaps: how.leavesSome ? files : [],
    unknown,
  };
}

/** Which files that arise in a folder, and below, the rules ask about: where tools make it anew, those that are there. */
function askedBelow(
  folder: string,
  { root, realRoot, own, paths }: RealGround,
): "all" | "there" | "none" {
  const real = paths.real(folder);
  const [inside] = spellingsInside({ path: folder, real }, { root, realRoot });
  if (inside !== undefined) return isMadeAnew(inside) ? "there" : "all";
  const mayHold = (path: string | null) => path !== null && isBelow(path, folder);
  return mayHold(root) || own().some(({ path }) => mayHold(path)) ? "all" : "none";
}

function lookedAt(places: readonly Place[], how: HowToLook, ground: RealGround): Looked {
  const looked = places.map((place) => lookAt(place, how, ground));
  return {
    files: looked.map(({ facts }) => facts),
    unknown: looked.flatMap(({ unknown }) => unknown),
  };
}

/** Looks up what a search finds from a path on. */
function lookFor(
  path: string,
  { search, ...how }: HowToLook & { readonly search: Search },
  ground: RealGround,
): Looked {
  const { places, unknown } = placesOf(search.fromTop ? topOf(path) : path, how);
  const reasons = [...unknown];
  const look = (paths: readonly string[], effect = how.effect): FileFacts[] => {
    const looked = paths.map((path) => lookAt({ path, from: null }, { ...how, effect }, ground));
    reasons.push(...looked.flatMap(({ unknown }) => unknown));
    return looked.map(({ facts }) => facts);
  };
  const found = places.map(({ path: start }) => {
    if (search.named === "always" && !how.isGlob && !exists(start)) {
      return { files: [...look([start]), ...look([start], "fill")], perhaps: [] };
    }
    const folder = how.isFolder ? ground.paths.real(start) : start;
    const [name = start] = spellingsInside({ path: start, real: ground.paths.real(start) }, ground);
    const own = ground.own().flatMap(({ path }) => fromFolder(folder, path) || []);
    const { sure, perhaps, isAll } = findIn(folder, name, { search, own, visits: ground.visits });
    if (!isAll) reasons.push(tooMany(name));
    const from = (below: string) => below === "" ? start : joinPath(start, below);
    return { files: look([...sure].map(from)), perhaps: look([...perhaps].map(from)) };
  });
  return {
    files: found.flatMap(({ files }) => files),
    perhaps: found.flatMap(({ perhaps }) => perhaps),
    unknown: reasons,
  };
}

/** The top of the repository in which a folder lies; the folder itself outside of one. */
function topOf(folder: string): string {
  for (let at = folder; at !== parentOf(at); at = parentOf(at)) {
    if (exists(joinPath(at, ".git"))) return at;
  }
  return folder;
}

function tooMany(name: string): string {
  return `${name || "the project's folder"} holds more files than can be looked through`;
}

/** A file that is meant. */
interface Place {
  readonly path: string;
  /** What is copied there; null for nothing. */
  readonly from: string | null;
  /** True where it arises with the folder that it lies in. */
  readonly isPart?: boolean;
}

/** The files that a path, or a pattern, means. */
function placesOf(
  path: string,
  { effect, isGlob, from = null, namedLike = null }: HowToLook,
): { readonly places: readonly Place[]; readonly unknown: readonly string[] } {
  if (!isGlob && namedLike === null) return { places: [{ path, from }], unknown: [] };
  const pattern = namedLike ?? path;
  const { paths, isAll } = expandPattern(pattern);
  const unknown = isAll ? [] : [`${pattern} stands for more files than can be looked up`];
  if (namedLike === null) {
    // A shell leaves a pattern that stands for nothing as it is: a file may come about under that name.
    const left = effect === "change" || effect === "fill" ? [path] : [];
    return {
      places: (paths.length === 0 ? left : paths).map((one) => ({ path: one, from })),
      unknown,
    };
  }
  return paths.length === 0
    ? { places: [], unknown: [`which files ${pattern} will stand for is not known`] }
    : { places: paths.map((one) => ({ path: joinPath(path, baseName(one)), from: one })), unknown };
}

function lookAt(
  { path, from, isPart = false }: Place,
  how: HowToLook,
  { root, realRoot, wantsHead, wantsBelow, own, paths, visits }: RealGround,
): { readonly facts: FileFacts; readonly unknown: readonly string[] } {
  const { effect } = how;
  // A link that is removed goes away itself, what it leads to stays.
  const real = effect === "remove"
    ? joinPath(paths.real(parentOf(path)), baseName(path))
    : paths.real(path);
  const inside = spellingsInside({ path, real }, { root, realRoot });
  const name = inside.find((spelling) => spelling !== "") ?? path;
  const isInRoot = realRoot !== null && parentOf(real) === realRoot;
  const below = wantsBelow && effect === "remove" ? filesBelow(real, name, visits) : [];
  const facts: FileFacts = {
    name,
    spellings: [...new Set([...inside, path, real])],
    real,
    own: findOwn(own(), { paths: [path, real], effect }),
    ignored: null,
    exists: effect === "remove" ? exists(real) : paths.isThere(path),
    becomesFolder: () =>
      (how.isFolder && (how.namedLike ?? null) === null) || isMade(path, how) ||
      (from !== null && isFolder(from)),
    isInRoot,
    head: wantsHead ? headOf(real) : "",
    text: () => textOf(real),
    effect,
    below: below ?? [],
    isMadeAnew: effect === "remove" && isMadeAnew(name) && isOwnFolder(real),
    isPart: isPart && inside.length > 0 && !isInRoot,
    isElsewhere: realRoot !== null && inside.length === 0 && !isBelow(realRoot, parentOf(real)),
  };
  return {
    facts,
    unknown: below === null ? [tooMany(name)] : [],
  };
}

/** Every way to name it from the project's folder; none outside of that. */
function spellingsInside(
  { path, real }: { readonly path: string; readonly real: string },
  { root, realRoot }: Pick<RealGround, "root" | "realRoot">,
): string[] {
  return [fromFolder(root, path), fromFolder(realRoot, real), fromFolder(realRoot, path)]
    .filter((spelling) => spelling !== null);
}

/** Whether the command itself makes a folder there before. */
function isMade(path: string, { made = [] }: HowToLook): boolean {
  return made.some((folder) => folder === path || folder.startsWith(`${path}/`));
}

function isBelow(path: string, folder: string): boolean {
  return fromFolder(folder, path) !== null;
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

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

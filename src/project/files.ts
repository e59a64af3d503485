/** What the rules ask about a file: all its names, whether it is there, whether it lies in the project's folder. */
import { baseName, joinPath, parentOf, resolvePath } from "../paths.ts";
import type { HowToLook } from "../guard/decide.ts";
import type { FileFacts } from "../guard/files.ts";
import { filesBelow } from "./folder_files.ts";
import { findOwn, type OwnFile } from "../guard/protected.ts";

const MAX_LINKS = 8;
const HEAD_BYTES = 65_536;
/** Files that one pattern of the shell is looked up as, at most. */
const MAX_MATCHES = 200;

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
): FileFacts[] {
  const folder = ground.folder ?? ground.root ?? "/";
  const full = resolvePath(path, { folder, home: ground.home ?? undefined });
  const realRoot = ground.root === null ? null : realPath(ground.root);
  return (how.isGlob ? expandGlob(full) : [full])
    .filter((one) => !how.ifInFolder || isFolder(parentOf(one)))
    .map((one) => factsOf(one, how.effect, { ...ground, realRoot }));
}

function factsOf(
  path: string,
  effect: FileFacts["effect"],
  { root, realRoot, wantsHead, wantsBelow, own }: Ground & { readonly realRoot: string | null },
): FileFacts {
  // A link that is removed goes away itself, what it leads to stays.
  const real = effect === "remove"
    ? joinPath(realPath(parentOf(path)), baseName(path))
    : realPath(path);
  const inside = [fromFolder(root, path), fromFolder(realRoot, real), fromFolder(realRoot, path)]
    .filter((spelling) => spelling !== null);
  const name = inside.find((spelling) => spelling !== "") ?? path;
  return {
    name,
    spellings: [...new Set([...inside, path, real])],
    real,
    own: findOwn(own(), { paths: [path, real], effect }),
    ignored: null,
    exists: exists(real),
    isInRoot: realRoot !== null && parentOf(real) === realRoot,
    head: wantsHead ? headOf(real) : "",
    text: () => textOf(real),
    effect,
    below: wantsBelow && effect === "remove" ? filesBelow(real, name) : [],
  };
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

/** The files that a pattern of the shell stands for; itself when there are none, as in a shell. */
function expandGlob(path: string): string[] {
  let found = ["/"];
  for (const segment of path.split("/").filter((part) => part !== "")) {
    found = found.flatMap((folder) =>
      /[*?[]/.test(segment) ? namesLike(folder, segment) : [joinPath(folder, segment)]
    ).slice(0, MAX_MATCHES);
  }
  return found.length === 0 ? [path] : found;
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

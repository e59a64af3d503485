/**
 * Decides which files a policy may come from: files that nobody but the user and root can write, and files in folders
 * that a person trusts. Runs in every hook that finds a file.
 */
import { type FolderLook, leadsInto } from "../git/repository.ts";
import { joinPath, type Locations, parentOf, resolvePath, withParents } from "../paths.ts";
import { trustedFolders } from "../store/trusted_folders.ts";

/** Why a file does not count, and the command after which it does. */
export interface Distrust {
  readonly why: string;
  readonly next: readonly string[];
}

/** How many links are followed. */
const MAX_WAYS = 40;
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
/** In a folder with this bit, only its owner can remove a file. */
const STICKY = 0o1000;

/** The user's home, and the database that lists trusted folders; without a database no folder is trusted. */
export type TrustPlace =
  & Pick<Locations, "home">
  & Partial<Pick<Locations, "database" | "databaseFrom">>;

let here: TrustPlace = { home: null };

/** Sets the home and the database by which this process trusts files. */
export function trustBy(place: TrustPlace): void {
  here = place;
}

/** What {@linkcode trustBy} has set; before that no folder is trusted. */
export function trustHere(): TrustPlace {
  return here;
}

/** Where a project's files are searched. */
export interface Search {
  /** The project's folder and those above it, nearest first. */
  readonly folders: readonly FolderLook[];
  /** The last folder that has to belong to the user. */
  readonly top: string;
}

/**
 * The folders in which a project's files are searched: up to the root of its repository; outside of one up to the home
 * if the project lies below it, elsewhere the project's own folder alone. A worktree or submodule inside of another
 * checkout of the same repository goes on up to the root of that.
 *
 * @param looks The project's folder and those above it, as `lookUpwards()` found them.
 */
export function searchedFolders(looks: readonly FolderLook[], home: string | null): Search {
  const at = looks.findIndex(endsSearch);
  if (at >= 0) {
    const outer = looks.findIndex((look, i) => i > at && leadsInto(looks[at]!, look));
    return upTo(looks, Math.max(at, outer));
  }
  const start = looks[0]?.path ?? "";
  const top = home === null || isAt(start, home) ? home : realOr(home);
  if (top === null || !isAt(start, top)) return upTo(looks, 0);
  return { folders: looks.filter(({ path }) => isAt(path, top)), top };
}

function upTo(looks: readonly FolderLook[], last: number): Search {
  return { folders: looks.slice(0, last + 1), top: looks[last]?.path ?? "" };
}

function isAt(path: string, folder: string): boolean {
  return `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Whether a folder is the root of a repository. Like git, this ignores a `.git` that is no repository. */
function endsSearch({ path, names, gitIsFile }: FolderLook): boolean {
  if (!names.includes(".git")) return false;
  try {
    return gitIsFile || Deno.statSync(joinPath(path, ".git/HEAD")).isFile;
  } catch {
    return false;
  }
}

/**
 * Why a file must not count: the file, the target of its link, or a folder up to `top` belongs to another user, or
 * others may write there. Null where it may count, where there is no file, and on systems without owners.
 *
 * @param at `top`: the last folder that is checked. `folder`: the folder to trust so that the file counts; by default
 * the file's own.
 */
export function whyDistrusted(
  path: string,
  at: { readonly top: string; readonly folder?: string; readonly by: TrustPlace },
): Distrust | null {
  const uid = Deno.uid();
  if (uid === null) return null;
  try {
    const fault = faultOnTheWay(path, at.top, uid);
    if (fault === null || isTrusted(path, at.by)) return null;
    const { why, mend } = fault;
    return { why, next: mend ?? ["conclaude", "config", "trust", at.folder ?? parentOf(path)] };
  } catch {
    // It is gone, or may not be looked at: whoever reads it will say so.
    return null;
  }
}

interface Fault {
  readonly why: string;
  /** The command that takes the fault away; null where only trust helps. */
  readonly mend: readonly string[] | null;
}

function faultOnTheWay(path: string, top: string, uid: number): Fault | null {
  const info = Deno.lstatSync(path);
  let fault = info.isSymlink ? faultOfLink(path, uid) : faultAt(path, uid, info);
  for (let folder = parentOf(path); fault === null; folder = parentOf(folder)) {
    fault = faultAt(folder, uid);
    if (folder === top || folder === parentOf(folder)) break;
  }
  return fault;
}

/**
 * A link leads to other folders: whoever can change one of them, or a folder above it, chooses the file that is read.
 */
function faultOfLink(path: string, uid: number): Fault | null {
  const target = Deno.realPathSync(path);
  const ways = new Set<string>();
  for (let at = path; at !== target && ways.size < MAX_WAYS; ways.add(at)) {
    if (!Deno.lstatSync(at).isSymlink) break;
    at = resolvePath(Deno.readLinkSync(at), { folder: parentOf(at) });
  }
  const folders = new Set([...ways, target].map(parentOf));
  const above = new Set([...folders].flatMap((folder) => withParents(parentOf(folder))));
  let fault = faultAt(target, uid);
  for (const folder of folders) fault ??= faultAt(folder, uid);
  for (const folder of above) fault ??= faultAt(folder, uid, Deno.statSync(folder), true);
  return fault;
}

/** @param isAbove True for folders further up, such as `/tmp`: there the sticky bit keeps others from foreign files. */
function faultAt(
  path: string,
  uid: number,
  info = Deno.statSync(path),
  isAbove = false,
): Fault | null {
  const { uid: owner, gid, mode } = info;
  if (isAbove && owner === 0 && ((mode ?? 0) & STICKY) !== 0) return null;
  if (owner !== uid && owner !== 0) {
    return { why: `${path} belongs to another user (uid ${owner})`, mend: null };
  }
  const rights = mode ?? 0;
  const isOpen = (rights & ALL_WRITE) !== 0;
  if (!isOpen && ((rights & GROUP_WRITES) === 0 || isOwnGroup(gid ?? 0, owner, uid))) return null;
  const who = isOpen ? "everybody" : `the group ${gid}`;
  const shown = (rights & 0o7777).toString(8).padStart(4, "0");
  return {
    why: `${who} may write ${path} (mode ${shown})`,
    mend: owner === uid ? ["chmod", isOpen ? "o-w" : "g-w", path] : null,
  };
}

/**
 * Whether only the user and root are in a group, as on systems where everybody has a group of their own and the umask is
 * 002: root's group for root's files, else the user's first group, if it has the user's number or no other member.
 */
function isOwnGroup(gid: number, owner: number, uid: number): boolean {
  if (gid === 0 && owner === 0) return true;
  return gid === Deno.gid() && (gid === uid || !hasOthers(gid, uid));
}

/** Whether others are in a group; true also when that is not known. */
function hasOthers(gid: number, uid: number): boolean {
  try {
    const [accounts, groups] = ["/etc/passwd", "/etc/group"].map((file) =>
      Deno.readTextFileSync(file).split("\n").map((line) => line.split(":"))
    );
    const own = accounts!.filter(([, , number]) => number === `${uid}` || number === "0")
      .map(([name]) => name);
    const group = groups!.find(([, , number]) => number === `${gid}`);
    const members = accounts!.filter(([, , , number]) => number === `${gid}`).map(([name]) => name)
      .concat(group?.[3]?.split(",") ?? []);
    const isKnown = Deno.build.os === "linux" && group !== undefined &&
      accounts!.some(([, , number]) => number === `${uid}`);
    return !isKnown || members.some((name) => name !== "" && !own.includes(name));
  } catch {
    return true;
  }
}

/**
 * Whether a person trusts the folder of a file, or one above it. The database is read only for files that are in
 * question.
 */
function isTrusted(path: string, { database, databaseFrom }: TrustPlace): boolean {
  // A fallback database in `/tmp` may have been made by others.
  if (database === undefined || databaseFrom === "fallback") return false;
  const folder = Deno.realPathSync(parentOf(path));
  return trustedFolders(database).some((trusted) => isAt(folder, trusted));
}

function realOr(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

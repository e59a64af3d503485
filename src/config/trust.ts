/**
 * Which files a policy may come from: those that nobody but the user and root can write, and those in folders that a
 * person trusts. Runs in every hook that finds a file.
 */
import { type FolderLook, leadsInto } from "../git/repository.ts";
import { joinPath, type Locations, parentOf, resolvePath, withParents } from "../paths.ts";
import { trustedFolders } from "../store/trusted_folders.ts";

/** The reason why a file counts for nothing, and the words of the command after which it counts. */
export interface Distrust {
  readonly why: string;
  readonly next: readonly string[];
}

/** Links that are followed to a file. */
const MAX_WAYS = 40;
/** Bits of a mode: the group may write, everybody may. */
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
/** Only its owner takes a file away. */
const STICKY = 0o1000;

/** The user's home, and the database with the folders that a person trusts; without one no folder is trusted. */
export type TrustPlace =
  & Pick<Locations, "home">
  & Partial<Pick<Locations, "database" | "databaseFrom">>;

let here: TrustPlace = { home: null };

/** Says by which home and database this process trusts files, for those that are not told. */
export function trustBy(place: TrustPlace): void {
  here = place;
}

/** The place that {@linkcode trustBy} named; before that no folder is trusted. */
export function trustHere(): TrustPlace {
  return here;
}

/** Where a project's files are searched. */
export interface Search {
  /** The project's folder and those above it, nearest first. */
  readonly folders: readonly FolderLook[];
  /** The last folder that has to be the user's own. */
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

/** Whether a path is a folder or lies below it. */
function isAt(path: string, folder: string): boolean {
  return `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Whether a folder is the root of a repository. Git passes over a `.git` that is nothing to it, and so does this. */
function endsSearch({ path, names, gitIsFile }: FolderLook): boolean {
  if (!names.includes(".git")) return false;
  try {
    return gitIsFile || Deno.statSync(joinPath(path, ".git/HEAD")).isFile;
  } catch {
    return false;
  }
}

/**
 * Why a file must not count: it, what it leads to as a link, or a folder from there up to `top` belongs to another user,
 * or others may write there. Null where it may, where nothing is there, and on systems that know no owners.
 *
 * @param at `top`: the folder where the search ends, one above the file. `folder`: the one to trust, so that the file
 * counts; by default the file's own.
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
    // It is gone, or may not be looked at: whoever reads it says so.
    return null;
  }
}

interface Fault {
  readonly why: string;
  /** The command with which the user takes it away; null where only trust helps. */
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

/** Links lead to other folders: whoever may change one of them, or a folder above it, chooses the file that is read. */
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

/** @param isAbove In a folder above, such as `/tmp`, the sticky bit keeps others from what is not theirs. */
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
 * Whether nobody but the user and root is in a group, as where everybody has a group of his own and files are made with
 * the umask 002: root's group for root's files, else the user's first one, if it has his number or no other member.
 */
function isOwnGroup(gid: number, owner: number, uid: number): boolean {
  if (gid === 0 && owner === 0) return true;
  return gid === Deno.gid() && (gid === uid || !hasOthers(gid, uid));
}

/** Whether others are in a group, or that is not known. */
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

/** Whether a person trusts the folder of a file, or one above it. The database is only asked where a file is in question. */
function isTrusted(path: string, { database, databaseFrom }: TrustPlace): boolean {
  // A database that others might have made trusts nothing.
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

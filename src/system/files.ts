/** Files and folders, as the runtime offers them. Other rooms import these names and never name the runtime. */
import { messageOf, quietly } from "../base/errors.ts";
import { parentOf, resolvePath, withParents } from "../base/paths.ts";

export const {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  makeTempDirSync,
  mkdirSync,
  openSync,
  readDirSync,
  readLinkSync,
  readTextFile,
  readTextFileSync,
  realPathSync,
  removeSync,
  renameSync,
  SeekMode,
  statSync,
  truncateSync,
  utimeSync,
  writeTextFileSync,
} = Deno;

export type FileInfo = Deno.FileInfo;

/** An owner of an open file; the file is open as long as `isOpen` is true. */
type Holder = Readonly<{ isOpen: boolean }>;

const HOLDERS = new Map<string, Set<WeakRef<Holder>>>();
const KEPT_OPEN = new Map<string, Deno.FsFile>();

/** Notes that SQLite has a database open in this process. */
export function noteHolder(path: string, holder: Holder): void {
  const holders = HOLDERS.get(path) ?? new Set();
  for (const one of holders) if (one.deref()?.isOpen !== true) holders.delete(one);
  HOLDERS.set(path, holders.add(new WeakRef(holder)));
}

/**
 * Opens a file that may be a database, or belong to one. When a process closes any descriptor of a file, POSIX drops
 * all of its locks on the file, SQLite's too: another process then takes the database for unused and removes its log.
 * So while SQLite has the file open in this process, the descriptor stays open, and later calls share it.
 */
export function openBeside(
  path: string,
  options: { readonly read?: boolean; readonly write?: boolean } = { read: true },
): { readonly file: Deno.FsFile } & Disposable {
  const holders = HOLDERS.get(path.replace(/-(?:wal|shm)$/, "")) ?? [];
  const isHeld = [...holders].some((one) => one.deref()?.isOpen === true);
  const { dev, ino } = isHeld ? statSync(path) : { dev: 0, ino: null };
  const key = `${dev}:${ino}:${options.write === true}`;
  const file = KEPT_OPEN.get(key) ?? openSync(path, options);
  if (isHeld && ino !== null) KEPT_OPEN.set(key, file);
  file.seekSync(0, SeekMode.Start);
  return {
    file,
    [Symbol.dispose]() {
      if (!KEPT_OPEN.has(key)) file.close();
    },
  };
}

export function isNotFound(error: unknown): error is Error {
  return error instanceof Deno.errors.NotFound;
}

export function isAlreadyExists(error: unknown): error is Error {
  return error instanceof Deno.errors.AlreadyExists;
}

export function isPermissionDenied(error: unknown): error is Error {
  return error instanceof Deno.errors.PermissionDenied;
}

const MAX_LINKS = 40;
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
/** In a folder with this bit, only its owner can remove a file. */
const STICKY = 0o1000;

/** A reason to distrust a file, because other users could have written it. */
interface Fault {
  readonly why: string;
  /** The command that removes the fault; null where a person can only trust the folder. */
  readonly mend: readonly string[] | null;
}

/**
 * Checks a file, the target of its link, and the folders up to `top`. @returns Null when they belong to the user or
 * root and no other user may write there, when there is no file, and on systems without owners.
 */
export function findFault(path: string, top: string): Fault | null {
  const uid = Deno.uid();
  // Where the file is gone or may not be read, the caller that reads it reports that.
  return uid === null ? null : quietly(() => faultOnTheWay(path, top, uid)) ?? null;
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

/** Checks all folders that a link leads through: a user who can change one of them can replace the file. */
function faultOfLink(path: string, uid: number): Fault | null {
  const target = Deno.realPathSync(path);
  const links = new Set<string>();
  for (let at = path; at !== target && links.size < MAX_LINKS; links.add(at)) {
    if (!Deno.lstatSync(at).isSymlink) break;
    at = resolvePath(Deno.readLinkSync(at), { folder: parentOf(at) });
  }
  const folders = new Set([...links, target].map(parentOf));
  const above = new Set([...folders].flatMap((folder) => withParents(parentOf(folder))));
  let fault = faultAt(target, uid);
  for (const folder of folders) fault ??= faultAt(folder, uid);
  for (const folder of above) fault ??= faultAt(folder, uid, Deno.statSync(folder), true);
  return fault;
}

/** Checks a file or folder. @param isAbove True further up, as for `/tmp`: there the sticky bit protects files. */
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
 * Tells whether only the user and root are in a group, as on systems where each user has a private group and the umask
 * is 002: root's group for root's files, else the user's first group, if it has the user's number or no other member.
 */
function isOwnGroup(gid: number, owner: number, uid: number): boolean {
  if (gid === 0 && owner === 0) return true;
  return gid === Deno.gid() && (gid === uid || !hasOthers(gid, uid));
}

/** Tells whether a group has other members; true also when its members are not known. */
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

/** Makes an empty file (0600) where there is none, and the folders above it (0700). */
export function makePrivateFile(path: string): void {
  Deno.mkdirSync(parentOf(path), { recursive: true, mode: 0o700 });
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

/** Returns the path with all links followed; the path itself where that fails. */
export function realOr(path: string): string {
  return quietly(() => Deno.realPathSync(path)) ?? path;
}

/** Returns the path of the file that a write through a path changes: links are followed, also to a missing file. */
export function pathWritten(path: string): string {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const link = quietly(() => Deno.readLinkSync(at));
    if (link === undefined || realOr(at) !== at) break;
    at = resolvePath(link, { folder: parentOf(at) });
  }
  return realOr(at);
}

/** Tells whether a path is a regular file, or a link to one. Reading a pipe could wait for ever. */
export function isFile(path: string): boolean {
  return quietly(() => Deno.statSync(path).isFile) === true;
}

const MAX_FILE_BYTES = 1_048_576;

/** Reads a small file. @returns Its text, why it cannot be read, or undefined where there is none. */
export function readSmallFile(
  path: string,
): { readonly text: string } | { readonly problem: string } | undefined {
  try {
    // Reading a pipe would wait for ever, and a huge file would take longer than a hook may run.
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return { problem: "not a regular file" };
    if (size > MAX_FILE_BYTES) return { problem: `${size} bytes; the limit is 1 MiB` };
    return { text: Deno.readTextFileSync(path) };
  } catch (error) {
    // A link to nothing is a mistake; a missing file is not.
    if (!saysMissing(error)) return { problem: messageOf(error) };
    const isLink = quietly(() => Deno.lstatSync(path).isSymlink) === true;
    return isLink ? { problem: "a link to nothing" } : undefined;
  }
}

/** Tells whether a call failed because the path, or a folder on the way to it, is not there. */
export function saysMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

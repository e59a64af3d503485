/** Judges whether files are their owner's alone, and sets their modes where they are not. */
import { quoteWord } from "../settings/hooks.ts";
import { behindLink } from "./behind_link.ts";
import { type Finding, ok, warn } from "./check.ts";
import { DATABASE_FILES } from "./set_aside.ts";

/** Permission bits of everybody but the owner, and those among them that let somebody write. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Whose files are judged. */
export interface PermissionOptions {
  /** This program's own folders. Where one of them is a link, the files in it are behind that link. */
  readonly folders?: readonly string[];
  /** The paths are those that a link leads to. */
  readonly areBehindLink?: boolean;
}

/**
 * Judges whether files are their owner's alone. Missing ones and those of another kind are left out, and on
 * Windows permissions are not looked at.
 *
 * @param mode What they should have: 0600 for files, 0700 for folders. `repair` sets it, but never behind a link.
 * @returns One finding for all that is well, and one for each file that is not.
 */
export function permissionFindings(
  paths: readonly string[],
  mode: 0o600 | 0o700,
  options: PermissionOptions = {},
): Finding[] {
  const present = paths.flatMap((path) => presentFile(path, options) ?? [])
    .filter(({ isFolder }) => isFolder === (mode === 0o700));
  if (present.length === 0) return [];
  const faults = present.flatMap((file) => faultsOf(file, mode));
  return faults.length > 0 ? faults : [ok(`${octalOf(mode)}: nobody else can read them`)];
}

/** The same for a database and its companions, which SQLite keeps beside the file that a link leads to. */
export function databasePermissions(database: string, options: PermissionOptions = {}): Finding[] {
  const target = behindLink(database, options.folders);
  const companions = DATABASE_FILES.slice(1).map((ending) => (target ?? database) + ending);
  if (target === null) return permissionFindings([database, ...companions], 0o600, options);
  const ofTarget = permissionFindings([database], 0o600, options);
  const beside = permissionFindings(companions, 0o600, { areBehindLink: true });
  const faults = [...ofTarget, ...beside].filter(({ status }) => status !== "ok");
  return faults.length > 0 ? faults : ofTarget;
}

/**
 * Judges files that a person may keep elsewhere. Behind a link it only matters whether others can write to them, since what is
 * read there counts here.
 */
export function linkableFindings(
  paths: readonly string[],
  options: PermissionOptions = {},
): Finding[] {
  return paths.flatMap((path) => {
    const file = presentFile(path, options);
    if (file === null) return [];
    if (file.isLinked) return writableElsewhere(file);
    return file.isFolder ? [] : faultsOf(file, 0o600);
  });
}

interface PresentFile {
  readonly path: string;
  /** Where it is; the same as `path` when it is no link. */
  readonly target: string;
  readonly isLinked: boolean;
  /** How a message names it. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly uid: number | null;
  readonly folders: readonly string[];
}

function presentFile(
  path: string,
  { folders = [], areBehindLink = false }: PermissionOptions,
): PresentFile | null {
  if (Deno.build.os === "windows") return null;
  try {
    const { isFile, isDirectory: isFolder, mode, uid } = Deno.statSync(path);
    if (!isFile && !isFolder) return null;
    const link = areBehindLink ? path : behindLink(path, folders);
    const target = link ?? path;
    const name = target === path ? path : `${target}, where ${path} leads to,`;
    const isLinked = link !== null;
    return { path, target, isLinked, name, isFolder, mode: (mode ?? 0) & 0o777, uid, folders };
  } catch {
    return null;
  }
}

function faultsOf(file: PresentFile, wanted: number): Finding[] {
  const { path, target, isLinked, name, mode, uid, folders } = file;
  const own = Deno.uid();
  const states = [
    ...(mode & OTHERS) === 0 ? [] : ["is open to other users"],
    // SQLite gives the log and its index the mode of the database: a database that was read-only leaves them so.
    ...(mode & wanted) === wanted || uid !== own ? [] : ["cannot be written"],
  ];
  const faults = states.map((state) =>
    warn(
      `${name} ${state}: mode ${octalOf(mode)}${
        isLinked ? "; what is behind a link is left alone" : ""
      }`,
      `chmod ${wanted.toString(8)} ${quoteWord(target)}`,
      isLinked ? undefined : () => {
        // It may have become a link since it was looked at.
        if (behindLink(path, folders) !== null) throw new Error(`${path} has become a link`);
        Deno.chmodSync(path, wanted);
        return `set the mode of ${path} to ${octalOf(wanted)}`;
      },
    )
  );
  // A run with `sudo` may leave files that the user's own hooks cannot write.
  if (uid !== null && own !== null && uid !== own) {
    faults.push(warn(
      `${name} belongs to another user (number ${uid})`,
      isLinked ? `ls -l ${quoteWord(target)}` : `sudo chown ${own} ${quoteWord(path)}`,
    ));
  }
  return faults;
}

function writableElsewhere({ target, name, mode, uid }: PresentFile): Finding[] {
  const isWritable = (mode & OTHERS_WRITE) !== 0;
  const faults = [
    ...[0, Deno.uid()].includes(uid) ? [] : [`belongs to another user (number ${uid})`],
    ...isWritable ? [`can be written by others: mode ${octalOf(mode)}`] : [],
  ];
  if (faults.length === 0) return [];
  return [warn(
    `${name} ${faults.join(", and ")}; who writes to it decides what counts here`,
    `${isWritable && uid === Deno.uid() ? "chmod go-w" : "ls -l"} ${quoteWord(target)}`,
  )];
}

function octalOf(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

import { quoteWord } from "../settings/hooks.ts";
import { behindLink } from "./whole_file.ts";
import { type Finding, ok, warn } from "./check.ts";
import { DATABASE_FILES } from "./set_aside.ts";

/** Permission bits of everybody but the owner, and those among them that let somebody write. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Whose files are judged. */
export interface PermissionOptions {
  /** This program's own folders: where one of them is a link, the files in it are behind that link. */
  readonly folders?: readonly string[];
  /** The paths are those that a link leads to. */
  readonly areBehindLink?: boolean;
}

/**
 * Judges whether files are their owner's alone. Missing ones and those of another kind are left out, and on
 * Windows permissions are not looked at.
 *
 * @param mode What they should have: 0600 for files, 0700 for folders; `repair` sets it, but never behind a link.
 * @returns One finding for all that is well, and one for each file that is not.
 */
export function permissionFindings(
  paths: readonly string[],
  mode: 0o600 | 0o700,
  options: PermissionOptions = {},
): Finding[] {
  if (Deno.build.os === "windows") return [];
  const present = paths.flatMap((path) => presentFile(path, options) ?? [])
    .filter(({ isFolder }) => isFolder === (mode === 0o700));
  if (present.length === 0) return [];
  const faults = present.flatMap((file) => [
    ...openToOthers(file, mode),
    ...closedToOwner(file, mode),
    ...ofAnother(file),
  ]);
  const digits = mode.toString(8).padStart(4, "0");
  return faults.length > 0 ? faults : [ok(`${digits}: nobody else can read them`)];
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
 * Judges files that a person may keep elsewhere: behind a link only whether others can write to them, since what is
 * read there counts here.
 */
export function linkableFindings(
  paths: readonly string[],
  options: PermissionOptions = {},
): Finding[] {
  if (Deno.build.os === "windows") return [];
  return paths.flatMap((path) => {
    const file = presentFile(path, options);
    if (file === null) return [];
    return file.target === null
      ? permissionFindings([path], 0o600).filter(({ status }) => status !== "ok")
      : writableElsewhere({ ...file, target: file.target });
  });
}

interface PresentFile {
  readonly path: string;
  /** Where it leads to; null when it is what its path says. */
  readonly target: string | null;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly uid: number | null;
  readonly folders: readonly string[];
}

function presentFile(
  path: string,
  { folders = [], areBehindLink = false }: PermissionOptions,
): PresentFile | null {
  const info = statQuietly(path);
  return info === null || !(info.isFile || info.isDirectory) ? null : {
    path,
    target: areBehindLink ? path : behindLink(path, folders),
    isFolder: info.isDirectory,
    mode: (info.mode ?? 0) & 0o777,
    uid: info.uid,
    folders,
  };
}

function openToOthers(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & OTHERS) === 0) return [];
  return [wrongMode(file, { state: "is open to other users", wanted })];
}

/** SQLite gives the log and its index the mode of the database: what was once read-only leaves them so. */
function closedToOwner(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & wanted) === wanted || file.uid !== Deno.uid()) return [];
  return [wrongMode(file, { state: "cannot be written", wanted })];
}

function wrongMode(
  { path, target, mode, folders }: PresentFile,
  { state, wanted }: { readonly state: string; readonly wanted: number },
): Finding {
  const octal = wanted.toString(8);
  const is = `${state}: mode ${octalOf(mode)}`;
  if (target !== null) {
    return warn(
      `${namedTarget(path, target)} ${is}; what is behind a link is left alone`,
      `chmod ${octal} ${quoteWord(target)}`,
    );
  }
  return warn(
    `${path} ${is}`,
    `chmod ${octal} ${quoteWord(path)}`,
    () => {
      // It may have become a link since it was looked at.
      if (behindLink(path, folders) !== null) throw new Error(`${path} has become a link`);
      Deno.chmodSync(path, wanted);
      return `set the mode of ${path} to ${octalOf(wanted)}`;
    },
  );
}

function writableElsewhere(
  { path, target, mode, uid }: PresentFile & { readonly target: string },
): Finding[] {
  const others = [0, Deno.uid()].includes(uid) ? [] : [`belongs to another user (number ${uid})`];
  if ((mode & OTHERS_WRITE) !== 0) others.push(`can be written by others: mode ${octalOf(mode)}`);
  if (others.length === 0) return [];
  return [warn(
    `${namedTarget(path, target)} ${
      others.join(", and ")
    }; who writes to it decides what counts here`,
    (mode & OTHERS_WRITE) !== 0 && uid === Deno.uid()
      ? `chmod go-w ${quoteWord(target)}`
      : `ls -l ${quoteWord(target)}`,
  )];
}

/** Left behind by a run with `sudo`: the user's own hooks cannot write it. */
function ofAnother(file: PresentFile): Finding[] {
  const uid = Deno.uid();
  if (file.uid === null || uid === null || file.uid === uid) return [];
  const { path, target } = file;
  return [warn(
    `${
      target === null ? path : namedTarget(path, target)
    } belongs to another user (number ${file.uid})`,
    target === null ? `sudo chown ${uid} ${quoteWord(path)}` : `ls -l ${quoteWord(target)}`,
  )];
}

function namedTarget(path: string, target: string): string {
  return target === path ? path : `${target}, where ${path} leads to,`;
}

function octalOf(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

function statQuietly(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}

/** Whether files are their owner's alone. */
import { quoteWord } from "../../claude/settings/hooks.ts";
import { type Finding, warn } from "../care/check.ts";
import { DATABASE_FILES } from "../care/set_aside.ts";
import { behindLink } from "../care/whole_file.ts";
import { OS, userId } from "../../system/environment.ts";
import { chmodSync, type FileInfo, statSync } from "../../system/files.ts";

/** Permission bits of everybody but the owner, and those among them that let somebody write. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

interface PermissionOptions {
  /** This program's own folders: where one of them is a link, the files in it are behind that link. */
  readonly folders?: readonly string[];
  /** The paths are those that a link leads to. */
  readonly areBehindLink?: boolean;
}

/**
 * Reports each file that is not its owner's alone. Missing files and those of another kind are left out; on Windows
 * there are no such permissions.
 *
 * @param mode The right permissions: 0600 for files, 0700 for folders; `repair` sets them, but never behind a link.
 */
export function permissionFaults(
  paths: readonly string[],
  mode: 0o600 | 0o700,
  options: PermissionOptions = {},
): Finding[] {
  return presentFiles(paths, options)
    .filter(({ isFolder }) => isFolder === (mode === 0o700))
    .flatMap((file) => [
      ...openToOthers(file, mode),
      ...closedToOwner(file, mode),
      ...ofAnother(file),
    ]);
}

/** The same for a database and its companions, which SQLite keeps beside the file that a link leads to. */
export function databasePermissionFaults(
  database: string,
  options: PermissionOptions = {},
): Finding[] {
  const target = behindLink(database, options.folders);
  const companions = DATABASE_FILES.slice(1).map((ending) => (target ?? database) + ending);
  return [
    ...permissionFaults([database], 0o600, options),
    ...permissionFaults(companions, 0o600, target === null ? options : { areBehindLink: true }),
  ];
}

/** The same for files that a person may keep elsewhere: behind a link only nobody else may write to them. */
export function linkableFaults(
  paths: readonly string[],
  options: PermissionOptions = {},
): Finding[] {
  return presentFiles(paths, options).flatMap((file) =>
    file.target === null
      ? permissionFaults([file.path], 0o600)
      : writableElsewhere({ ...file, target: file.target })
  );
}

interface PresentFile {
  readonly path: string;
  /** Where a link leads; null when there is no link. */
  readonly target: string | null;
  readonly isFolder: boolean;
  readonly mode: number;
  readonly uid: number | null;
  readonly folders: readonly string[];
}

function presentFiles(
  paths: readonly string[],
  { folders = [], areBehindLink = false }: PermissionOptions,
): PresentFile[] {
  if (OS === "windows") return [];
  return paths.flatMap((path) => {
    const info = statQuietly(path);
    return info === null || !(info.isFile || info.isDirectory) ? [] : [{
      path,
      target: areBehindLink ? path : behindLink(path, folders),
      isFolder: info.isDirectory,
      mode: (info.mode ?? 0) & 0o777,
      uid: info.uid,
      folders,
    }];
  });
}

function openToOthers(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & OTHERS) === 0) return [];
  return [wrongMode(file, { state: "is open to other users", wanted })];
}

/** SQLite gives the log and its index the mode of the database: after a read-only database they stay read-only. */
function closedToOwner(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & wanted) === wanted || file.uid !== userId()) return [];
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
      chmodSync(path, wanted);
      return `set the mode of ${path} to ${octalOf(wanted)}`;
    },
  );
}

function writableElsewhere(
  { path, target, mode, uid }: PresentFile & { readonly target: string },
): Finding[] {
  const others = [0, userId()].includes(uid) ? [] : [`belongs to another user (number ${uid})`];
  if ((mode & OTHERS_WRITE) !== 0) others.push(`can be written by others: mode ${octalOf(mode)}`);
  if (others.length === 0) return [];
  return [warn(
    `${namedTarget(path, target)} ${
      others.join(", and ")
    }; who writes to it decides what counts here`,
    (mode & OTHERS_WRITE) !== 0 && uid === userId()
      ? `chmod go-w ${quoteWord(target)}`
      : `ls -l ${quoteWord(target)}`,
  )];
}

/** A run with `sudo` leaves files of root's behind, which the user's hooks cannot write. */
function ofAnother(file: PresentFile): Finding[] {
  const uid = userId();
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

function statQuietly(path: string): FileInfo | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

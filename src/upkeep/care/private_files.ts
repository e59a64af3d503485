/** Checks whether files are their owner's alone. On Windows there are no such permissions. */
import { quoteWord } from "../../claude/settings/hooks.ts";
import { OS, userId } from "../../system/environment.ts";
import { chmodSync, statSync } from "../../system/files.ts";
import { type Finding, warn } from "./check.ts";
import { DATABASE_FILES } from "./set_aside.ts";
import { behindLink } from "./whole_file.ts";

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
 * Reports each file that is not its owner's alone. Missing files and those of another kind are left out.
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
    .flatMap((file) => [...modeFaults(file, mode), ...ownerFaults(file)]);
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
  return presentFiles(paths, options).flatMap((file) => {
    const { path, target, mode, uid } = file;
    if (target === null) return permissionFaults([path], 0o600);
    const isOpen = (mode & OTHERS_WRITE) !== 0;
    const why = [
      ...[0, userId()].includes(uid) ? [] : [`belongs to another user (number ${uid})`],
      ...isOpen ? [`can be written by others: mode ${octalOf(mode)}`] : [],
    ].join(" and ");
    const next = isOpen && uid === userId() ? "chmod go-w" : "ls -l";
    return why === "" ? [] : [warn(
      `${nameOf(file)} ${why}; who writes to it decides what counts here`,
      `${next} ${quoteWord(target)}`,
    )];
  });
}

type PresentFile = ReturnType<typeof presentFiles>[number];

function presentFiles(
  paths: readonly string[],
  { folders = [], areBehindLink = false }: PermissionOptions,
) {
  if (OS === "windows") return [];
  return paths.flatMap((path) => {
    try {
      const { isFile, isDirectory: isFolder, mode, uid } = statSync(path);
      // Null when there is no link.
      const target = areBehindLink ? path : behindLink(path, folders);
      const file = { path, target, isFolder, mode: (mode ?? 0) & 0o777, uid, folders };
      return isFile || isFolder ? [file] : [];
    } catch {
      return [];
    }
  });
}

function modeFaults(file: PresentFile, wanted: number): Finding[] {
  const { path, target, mode, uid, folders } = file;
  const states = [
    ...(mode & OTHERS) === 0 ? [] : ["is open to other users"],
    // SQLite gives the log and its index the mode of the database: after a read-only database they stay read-only.
    ...(mode & wanted) === wanted || uid !== userId() ? [] : ["cannot be written"],
  ];
  if (states.length === 0) return [];
  const is = `${nameOf(file)} ${states.join(" and ")}: mode ${octalOf(mode)}`;
  const next = `chmod ${wanted.toString(8)} ${quoteWord(target ?? path)}`;
  if (target !== null) return [warn(`${is}; what is behind a link is left alone`, next)];
  return [warn(is, next, () => {
    // It may have become a link since it was looked at.
    if (behindLink(path, folders) !== null) throw new Error(`${path} has become a link`);
    chmodSync(path, wanted);
    return `set the mode of ${path} to ${octalOf(wanted)}`;
  })];
}

/** A run with `sudo` leaves files of root's behind, which the user's hooks cannot write. */
function ownerFaults(file: PresentFile): Finding[] {
  const uid = userId();
  if (file.uid === null || uid === null || file.uid === uid) return [];
  const next = file.target === null
    ? `sudo chown ${uid} ${quoteWord(file.path)}`
    : `ls -l ${quoteWord(file.target)}`;
  return [warn(`${nameOf(file)} belongs to another user (number ${file.uid})`, next)];
}

function nameOf({ path, target }: PresentFile): string {
  return target === null || target === path ? path : `${target}, where ${path} leads to,`;
}

function octalOf(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

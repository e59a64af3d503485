/** Checks whether files are their owner's alone. On Windows there are no such permissions. */
import { quietly } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { OS, userId } from "../../system/environment.ts";
import { chmodSync, statSync } from "../../system/files.ts";
import { type Finding, warn } from "./check.ts";
import { DATABASE_FILES } from "./database_files.ts";
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
 * @param wanted The right mode: 0600 for files, 0700 for folders; `repair` sets it, but never behind a link.
 */
export function permissionFaults(
  paths: readonly string[],
  wanted: 0o600 | 0o700,
  options: PermissionOptions = {},
): Finding[] {
  return paths.flatMap((path) => {
    const file = presentFile(path, options);
    if (file === null || file.isFolder !== (wanted === 0o700)) return [];
    const { place, name, isLinked, mode, owner } = file;
    const states = [
      ...(mode & OTHERS) === 0 ? [] : ["is open to other users"],
      // SQLite gives the log and its index the mode of the database: after a read-only database they stay read-only.
      ...(mode & wanted) === wanted || owner !== null ? [] : ["cannot be written"],
    ];
    const is = `${name} ${states.join(" and ")}: mode ${octalOf(mode)}`;
    const next = `chmod ${wanted.toString(8)} ${place}`;
    const close = () => {
      chmodSync(path, wanted);
      return `set the mode of ${path} to ${octalOf(wanted)}`;
    };
    const open = isLinked
      ? warn(`${is}; what is behind a link is left alone`, next)
      : warn(is, next, close);
    // A run with `sudo` leaves files of root's behind, which the user's hooks cannot write.
    const take = isLinked ? `ls -l ${place}` : `sudo chown ${userId()} ${place}`;
    return [
      ...states.length === 0 ? [] : [open],
      ...owner === null ? [] : [warn(`${name} ${owner}`, take)],
    ];
  });
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
  return paths.flatMap((path) => {
    const file = presentFile(path, options);
    if (file === null || !file.isLinked) return permissionFaults([path], 0o600);
    const { place, name, mode, owner, isRoots } = file;
    const isOpen = (mode & OTHERS_WRITE) !== 0;
    const why = [
      ...owner === null || isRoots ? [] : [owner],
      ...isOpen ? [`can be written by others: mode ${octalOf(mode)}`] : [],
    ].join(" and ");
    const next = `${isOpen && owner === null ? "chmod go-w" : "ls -l"} ${place}`;
    return why === ""
      ? []
      : [warn(`${name} ${why}; who writes to it decides what counts here`, next)];
  });
}

/** A file or folder as messages name it; null where there is none. `owner` says who else owns it. */
function presentFile(path: string, { folders = [], areBehindLink = false }: PermissionOptions) {
  const info = OS === "windows" ? undefined : quietly(() => statSync(path));
  if (!info?.isFile && !info?.isDirectory) return null;
  const target = areBehindLink ? path : behindLink(path, folders);
  const isOwn = info.uid === null || info.uid === userId();
  return {
    place: quoteWord(target ?? path),
    name: (target ?? path) === path ? path : `${target}, where ${path} leads to,`,
    isLinked: target !== null,
    isFolder: info.isDirectory,
    mode: (info.mode ?? 0) & 0o777,
    owner: isOwn ? null : `belongs to another user (number ${info.uid})`,
    isRoots: info.uid === 0,
  };
}

function octalOf(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

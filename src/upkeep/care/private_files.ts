/** Checks whether some files can be used by their owner alone. Windows has no such permissions. */
import { quietly } from "../../base/errors.ts";
import { withParents } from "../../base/paths.ts";
import { linkAt, sharedFile } from "../../system/on_disk.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { OS, userId } from "../../system/environment.ts";
import { chmodSync, realOr, statSync } from "../../system/files.ts";
import { type Finding, warn } from "./check.ts";
import { DATABASE_FILES } from "./database_files.ts";

/** Permission bits of everybody but the owner: all of them, and those for writing. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

interface PermissionOptions {
  /** This program's own folders; if one of them is a link, its files count as behind a link. */
  readonly folders?: readonly string[];
  /** Whether the given paths are already targets of links. */
  readonly areBehindLink?: boolean;
  /** Whether a person may keep the files behind a link: others may then read but not write them. */
  readonly mayBeLinked?: boolean;
}

/** Reports each file (`wanted`: 0600) or folder (0700) that others can use; a repair changes nothing behind a link. */
export function permissionFaults(
  paths: readonly string[],
  wanted: 0o600 | 0o700,
  options: PermissionOptions = {},
): Finding[] {
  return OS === "windows" ? [] : paths.flatMap((path) => faultsOf(path, wanted, options));
}

function faultsOf(
  path: string,
  wanted: number,
  { folders = [], areBehindLink = false, mayBeLinked = false }: PermissionOptions,
): Finding[] {
  const info = quietly(() => statSync(path));
  if (info === undefined || !(wanted === 0o700 ? info.isDirectory : info.isFile)) return [];
  const target = areBehindLink ? path : behindLink(path, folders);
  const place = quoteWord(target ?? path);
  const name = (target ?? path) === path ? path : `${target}, where ${path} leads to,`;
  const mode = (info.mode ?? 0) & 0o777;
  const isOwn = info.uid === null || info.uid === userId();
  const owner = `belongs to another user (number ${info.uid})`;
  if (mayBeLinked && target !== null) {
    const isOpen = (mode & OTHERS_WRITE) !== 0;
    const why = [
      ...isOwn || info.uid === 0 ? [] : [owner],
      ...isOpen ? [`can be written by others: mode ${octalOf(mode)}`] : [],
    ];
    if (why.length === 0) return [];
    const text = `${name} ${why.join(" and ")}; who writes to it decides what counts here`;
    return [warn(text, `${isOpen && isOwn ? "chmod go-w" : "ls -l"} ${place}`)];
  }
  const states = [
    ...(mode & OTHERS) === 0 ? [] : ["is open to other users"],
    // SQLite gives the log and its index the database's mode, so they stay read-only when the database no longer is.
    ...(mode & wanted) === wanted || !isOwn ? [] : ["cannot be written"],
  ];
  const found: Finding[] = [];
  if (states.length > 0) {
    const text = `${name} ${states.join(" and ")}: mode ${octalOf(mode)}`;
    const next = `chmod ${wanted.toString(8)} ${place}`;
    const setMode = () => {
      chmodSync(path, wanted);
      return `set the mode of ${path} to ${octalOf(wanted)}`;
    };
    found.push(
      target === null
        ? warn(text, next, setMode)
        : warn(`${text}; what is behind a link is left alone`, next),
    );
  }
  if (isOwn) return found;
  // A run with `sudo` leaves root's files behind, which the user's hooks cannot write.
  const take = target === null ? `sudo chown ${userId()} ${place}` : `ls -l ${place}`;
  return [...found, warn(`${name} ${owner}`, take)];
}

/** Checks a database and its companions, which SQLite keeps beside a link's target. */
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

function octalOf(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/**
 * Resolves a path that is a link, has a second hard link, or lies in one of this program's folders that is a link; null
 * when the file lies only where its path says. The file may be anybody's, so checks name it but change nothing.
 */
export function behindLink(path: string, folders: readonly string[] = []): string | null {
  const [, ...above] = withParents(path);
  const ways = [path, ...above.filter((folder) => folders.includes(folder))];
  return ways.some((way) => linkAt(way) !== null) || sharedFile(path) !== null
    ? realOr(path)
    : null;
}

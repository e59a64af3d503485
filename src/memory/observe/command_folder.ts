/** Finds the folder in which a command runs, since the same words in two folders are different commands. */
import { resolvePath } from "../../base/paths.ts";
import { gitFolders } from "./git_words.ts";
import { folderBefore, isHarmless, nameOf, plainPath, withoutLaunchers } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";
import { takeFolderOption } from "./command_key.ts";

/** Matches the first step of a command into a folder, quoted or not. */
const INTO_FOLDER = /^(?:cd|pushd) +(?:(["'])([^"'\n]*)\1|([^\s"';&|]+)) *(?:&&|;|\n)\s*/;
/** Matches a script that changes the folder once more. */
const GOES_ON = /(?:^|[\s;&|({])(?:cd|pushd|popd)(?![\w-])/;
/** Matches a path that only the shell can resolve. */
const NOT_PLAIN = /^[~-]|[$`*?\\:]/;
/** Matches leading `..` steps. */
const UP = /^(?:\.\.(?:\/|$))+/;

export interface Surroundings {
  /** The folder to which paths are relative, absolute; null when it is unknown. */
  readonly root: string | null;
  /** The folder of the shell after the command, absolute; empty when it is unknown. */
  readonly shellFolder: string;
}

/**
 * Puts one `cd` before a command, into the folder in which it runs, relative to the root; none for the root itself.
 * When the folder is unknown, the command stays as it was typed.
 */
export function inItsFolder(command: string, { root, shellFolder }: Surroundings): string {
  if (root === null) return command;
  const [step = "", , quoted, plain] = INTO_FOLDER.exec(command) ?? [];
  const path = quoted ?? plain ?? "";
  const rest = command.slice(step.length);
  const folder = GOES_ON.test(rest) && !path.startsWith("/")
    ? null
    : folderOf(path, { root, shellFolder });
  if (folder === null) return command;
  if (folder === root) return rest;
  const inside = folder.startsWith(`${root}/`) ? folder.slice(root.length + 1) : folder;
  return inFolder(inside, rest);
}

/** Puts a `cd` before a command. */
export function inFolder(folder: string, command: string): string {
  return `cd ${/[\s'"]/.test(folder) ? JSON.stringify(folder) : folder} && ${command}`;
}

function folderOf(
  path: string,
  { root, shellFolder }: Surroundings & { readonly root: string },
): string | null {
  if (path.startsWith("/")) return resolvePath(path, { folder: "/" });
  const plain = path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "").replace(/^\.$/, "");
  if (shellFolder === "") return plain === "" ? root : null;
  if (plain === "") return shellFolder;
  const tail = plain.replace(UP, "");
  // After `..` alone, nobody can tell whether the shell has left the folder already.
  if (NOT_PLAIN.test(plain) || tail === "" || tail.includes("..")) return null;
  // The shell stays in the folder of the last `cd`, so it may be there already.
  return shellFolder.endsWith(`/${tail}`)
    ? shellFolder
    : resolvePath(plain, { folder: shellFolder });
}

/** Tells whether a git command works outside of the project, because of a `cd` in the script or of `-C`. */
export function isOutside(
  commands: readonly ScriptCommand[],
  { at, surroundings: { root, shellFolder } }: {
    readonly at: number;
    readonly surroundings: Surroundings;
  },
): boolean {
  if (root === null) return false;
  const steps = [folderBefore(commands, at), ...gitFolders(commands[at]?.words ?? [])]
    .filter((step) => step !== "");
  // A folder that only the shell can resolve counts as the project's.
  if (steps.length === 0 || steps.some((step) => /[$`*?\\]/.test(step))) return false;
  const [first = ""] = steps;
  const tail = first.replace(/^~?\/?(?:\.\.\/)*/, "");
  const isThere = /^(?:~|\.\.)\//.test(first) && tail !== "" && shellFolder.endsWith(`/${tail}`);
  const start = isThere ? shellFolder : first.startsWith("~") ? homeFolder(first, root) : first;
  const folder = [start, ...steps.slice(1)]
    .reduce((from, step) => resolvePath(step, { folder: from }), root);
  return folder !== root && !folder.startsWith(`${root}/`);
}

/** Guesses the folder that `~/…` means: the root, or a folder above it, if that has the same name; otherwise `/~`. */
function homeFolder(path: string, root: string): string {
  const [, first = ""] = path.split("/");
  const at = first === "" ? -1 : `${root}/`.indexOf(`/${first}/`);
  return at < 0 ? "/~" : root.slice(0, at) + path.slice(1);
}

/** Matches scripts that change the folder, or name a folder in an option. Only such scripts are parsed. */
const GOES =
  /(?:^|[\s;&|({])(?:cd|pushd)\s|\s(?:-C|-p|--(?:directory|prefix|dir|cwd|project))(?:\s|=)/;
/** Matches a path that only the shell can resolve. */
const OF_SHELL = /[$`*?\\]|^~(?!\/)|.~/;

/**
 * Returns the absolute folder in which all commands of a script run that may fail; null when there are several folders,
 * or only the shell can resolve it. `shellFolder` is the shell's folder before the script, `home` the folder of `~`.
 */
export function workFolder(
  script: string,
  shellFolder: string,
  home: string | null = null,
): string | null {
  if (!GOES.test(script)) return shellFolder;
  const commands = scriptCommands(script);
  const folders = new Set(
    commands.flatMap((command, at) =>
      isHarmless(command) ? [] : [folderAt(commands, at, { shellFolder, home })]
    ),
  );
  return folders.size === 1 ? [...folders][0]! : folders.size === 0 ? shellFolder : null;
}

function folderAt(
  commands: readonly ScriptCommand[],
  at: number,
  { shellFolder, home }: { readonly shellFolder: string; readonly home: string | null },
): string | null {
  const { words } = commands[at]!;
  const gone = folderBefore(commands, at);
  const steps = [gone, ...gitFolders(words), optionFolder(words)]
    .filter((step) => step !== "");
  if (steps.some((step) => OF_SHELL.test(step) || home === null && step.startsWith("~"))) {
    return null;
  }
  const tail = plainPath(gone).replace(/^(?:\.\.\/)+/, "");
  // The shell stays in the folder of the last `cd`, so it may be there already.
  const isThere = !/^[/~]/.test(gone) && tail !== "" && shellFolder.endsWith(`/${tail}`);
  return steps.slice(isThere ? 1 : 0)
    .reduce(
      (from, step) => resolvePath(step, { folder: from, home: home ?? undefined }),
      shellFolder,
    );
}

/** Returns the folder that an option of a program names; empty when no option names one. */
function optionFolder(words: readonly string[]): string {
  const [program = "", ...args] = withoutLaunchers(words);
  return takeFolderOption(nameOf(program), args).folder;
}

/** Finds the folder in which a command runs, since the same words in two folders are different commands. */
import { fromFolder, resolvePath } from "../../base/paths.ts";
import {
  calledWords,
  folderBefore,
  gitFolders,
  isHarmless,
  plainPath,
  type ScriptCommand,
  scriptCommands,
} from "./shell_words.ts";
import { takeFolderOption } from "./command_key.ts";

/** Matches the first step of a command into a folder, quoted or not. */
const INTO_FOLDER = /^(?:cd|pushd) +(?:(["'])([^"'\n]*)\1|([^\s"';&|]+)) *(?:&&|;|\n)\s*/;
/** Matches a script that changes the folder once more. */
const CHANGES_AGAIN = /(?:^|[\s;&|({])(?:cd|pushd|popd)(?![\w-])/;
/** Matches a path that only the shell can resolve, and a step that the shell may have taken already, such as `..`. */
const UNSURE = /^[~-]|[$`*?\\:]|[^./]\/\.\.|\.\.$/;

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
  const [step = "", , quoted, plain] = INTO_FOLDER.exec(command) ?? [];
  const typed = quoted ?? plain ?? "";
  const path = typed === "/" ? typed : plainPath(typed);
  const rest = command.slice(step.length);
  const isSure = path.startsWith("/") || !CHANGES_AGAIN.test(rest) && !UNSURE.test(path);
  if (root === null || !isSure) return command;
  const start = shellFolder || root;
  const folder = followed([path], { from: start, shellFolder: start });
  if (folder === root) return rest;
  const inside = fromFolder(root, folder) ?? folder;
  return `cd ${/[\s'"]/.test(inside) ? JSON.stringify(inside) : inside} && ${rest}`;
}

/** Tells whether a command works outside of the project, because of a `cd` in the script or an option such as `-C`. */
export function isOutside(
  commands: readonly ScriptCommand[],
  at: number,
  { root, shellFolder }: Surroundings,
): boolean {
  const steps = stepsTo(commands, at);
  // A folder that only the shell can resolve counts as the project's.
  if (root === null || steps.some((step) => /[$`*?\\]/.test(step))) return false;
  const folder = followed(steps, { from: root, shellFolder });
  return folder !== root && !folder.startsWith(`${root}/`);
}

/** Matches scripts that change the folder, or name a folder in an option. Only such scripts are parsed. */
const CHANGES_FOLDER =
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
  if (!CHANGES_FOLDER.test(script)) return shellFolder;
  const commands = scriptCommands(script);
  const folders = new Set(commands.flatMap((command, at) => {
    if (isHarmless(command)) return [];
    const steps = stepsTo(commands, at).map((step) =>
      home !== null && step.startsWith("~/") ? home + step.slice(1) : step
    );
    const isKnown = !steps.some((step) => OF_SHELL.test(step) || step.startsWith("~"));
    // Only a `cd` moves the shell, and not an option such as `-C`.
    const moved = folderBefore(commands, at) === "" ? "" : shellFolder;
    return [isKnown ? followed(steps, { from: shellFolder, shellFolder: moved }) : null];
  }));
  return folders.size === 1 ? [...folders][0]! : folders.size === 0 ? shellFolder : null;
}

/** Returns the folders to which a script, git, and options of a program change before a command runs, in their order. */
function stepsTo(commands: readonly ScriptCommand[], at: number): string[] {
  const { words } = commands[at]!;
  const [program = "", ...args] = calledWords(words);
  const { folder } = takeFolderOption(program, args);
  return [folderBefore(commands, at), ...gitFolders(words), folder].filter((step) => step !== "");
}

/** Follows steps from a folder. The shell stays in the folder of the last `cd`: it may have taken the first step already. */
function followed(
  [first = "", ...others]: readonly string[],
  { from, shellFolder }: { readonly from: string; readonly shellFolder: string },
): string {
  const tail = plainPath(first).replace(/^~?\/?(?:\.\.\/)*/, "");
  const isThere = !first.startsWith("/") && tail !== "" && shellFolder.endsWith(`/${tail}`);
  const start = isThere ? shellFolder : first.startsWith("~") ? homeFolder(first, from) : first;
  return [start, ...others].reduce((folder, step) => resolvePath(step, { folder }), from);
}

/** Guesses the folder that `~/…` means: the root, or a folder above it, if that has the same name; otherwise `/~`. */
function homeFolder(path: string, root: string): string {
  const [, first = ""] = path.split("/");
  const at = first === "" ? -1 : `${root}/`.indexOf(`/${first}/`);
  return at < 0 ? "/~" : root.slice(0, at) + path.slice(1);
}

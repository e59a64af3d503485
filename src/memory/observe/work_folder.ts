/** The folder that a script does its work in, so that it is known of which working tree that tells. */
import { resolvePath } from "../../paths.ts";
import { gitFolders } from "./git_words.ts";
import { folderBefore, isHarmless, plainPath } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** What goes to a folder; any other script is not taken apart. */
const GOES = /(?:^|[\s;&|({])(?:cd|pushd|git\s+-C)\s/;
/** What only the shell can tell. */
const OF_SHELL = /[$`*?\\~]/;

/**
 * The one folder in which a script does all that may fail, absolute.
 *
 * @param shellFolder Where the shell stood, absolute: where it stood when the script had ended, if that is known.
 * @returns `shellFolder` where it goes nowhere; null where it works in several, or only the shell can tell.
 */
export function workFolder(script: string, shellFolder: string): string | null {
  if (!GOES.test(script)) return shellFolder;
  const commands = scriptCommands(script);
  const folders = new Set(
    commands.flatMap((command, at) =>
      isHarmless(command) ? [] : [folderAt(commands, at, shellFolder)]
    ),
  );
  return folders.size === 1 ? [...folders][0]! : folders.size === 0 ? shellFolder : null;
}

function folderAt(
  commands: readonly ScriptCommand[],
  at: number,
  shellFolder: string,
): string | null {
  const steps = [folderBefore(commands, at), ...gitFolders(commands[at]!.words)]
    .filter((step) => step !== "");
  if (steps.some((step) => OF_SHELL.test(step))) return null;
  const [first = "", ...more] = steps;
  const tail = plainPath(first).replace(/^(?:\.\.\/)+/, "");
  // The shell stays where a command has gone, unless it failed.
  const isThere = !first.startsWith("/") && tail !== "" && shellFolder.endsWith(`/${tail}`) &&
    gitFolders(commands[at]!.words)[0] !== first;
  return [...isThere ? [] : [first], ...more]
    .reduce((from, step) => resolvePath(step, { folder: from }), shellFolder);
}

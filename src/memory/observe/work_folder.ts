/** The folder that a script does its work in, so that it is known of which working tree that tells. */
import { resolvePath } from "../../paths.ts";
import { gitFolders } from "./git_words.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { toFolder } from "./command_key.ts";
import { folderBefore, isHarmless, plainPath } from "./script_words.ts";
import { type ScriptCommand, scriptCommands } from "./shell_words.ts";

/** What goes to a folder, or is told of one; any other script is not taken apart. */
const GOES =
  /(?:^|[\s;&|({])(?:cd|pushd)\s|\s(?:-C|-p|--(?:directory|prefix|dir|cwd|project))(?:\s|=)/;
/** What only the shell can tell. */
const OF_SHELL = /[$`*?\\]|^~(?!\/)|.~/;

/**
 * The one folder in which a script does all that may fail, absolute.
 *
 * @param shellFolder Where the shell stood, absolute: where it stood when the script had ended, if that is known.
 * @param home What `~` is, absolute; null when it is not known.
 * @returns `shellFolder` where it goes nowhere; null where it works in several, or only the shell can tell.
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
  const steps = [gone, ...gitFolders(words), toldFolder(words)]
    .filter((step) => step !== "");
  if (steps.some((step) => OF_SHELL.test(step) || home === null && step.startsWith("~"))) {
    return null;
  }
  const tail = plainPath(gone).replace(/^(?:\.\.\/)+/, "");
  // The shell stays where a command has gone, unless it failed.
  const isThere = !/^[/~]/.test(gone) && tail !== "" && shellFolder.endsWith(`/${tail}`);
  return steps.slice(isThere ? 1 : 0)
    .reduce(
      (from, step) => resolvePath(step, { folder: from, home: home ?? undefined }),
      shellFolder,
    );
}

/** The folder that an option leads a program to; the empty text where none does. */
function toldFolder(words: readonly string[]): string {
  const [program = "", ...args] = withoutLaunchers(words);
  return toFolder(nameOf(program), args).folder;
}

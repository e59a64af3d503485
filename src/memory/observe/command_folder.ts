/** Where a command runs: the same words in two folders are two commands. */
import { resolvePath } from "../../paths.ts";

/** The first step of a command into a folder, quoted or not. */
const INTO_FOLDER = /^cd +(?:(["'])([^"'\n]*)\1|([^\s"';&|]+)) *(?:&&|;) */;
/** A script that goes on to other folders ends in another one than it began in. */
const GOES_ON = /(?:^|[\s;&|({])(?:cd|pushd|popd)(?![\w-])/;
/** What only the shell can tell, and what depends on where it stood before. */
const NOT_PLAIN = /^[~-]|[$`*?\\:]|(?:^|\/)\.\.(?:\/|$)/;

/** What is known of a command's surroundings. */
export interface Surroundings {
  /** The folder that paths are told from, absolute; null when it is not known. */
  readonly root: string | null;
  /** Where the shell stood when the command had ended, absolute; the empty text when it is not known. */
  readonly shellFolder: string;
}

/**
 * A command with the folder before it that it runs in, told from the root; with none where it is the root. Where that is
 * not known it is as it was typed.
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
  return `cd ${/[\s'"]/.test(inside) ? JSON.stringify(inside) : inside} && ${rest}`;
}

function folderOf(
  path: string,
  { root, shellFolder }: Surroundings & { readonly root: string },
): string | null {
  if (path.startsWith("/")) return resolvePath(path, { folder: "/" });
  const plain = path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "").replace(/^\.$/, "");
  if (shellFolder === "") return plain === "" ? root : null;
  if (plain === "") return shellFolder;
  if (NOT_PLAIN.test(plain)) return null;
  // The shell stays where a command has gone, unless it failed.
  return shellFolder.endsWith(`/${plain}`) ? shellFolder : `${shellFolder}/${plain}`;
}

/** Which files a script has put back as git has them: what was edited in them is gone. */
import { gitArguments } from "./git_words.ts";
import { folderBefore, plainPath } from "./script_words.ts";
import { scriptCommands, tellsItsStatus } from "./shell_words.ts";

/** Options that change nothing in what is put back. */
const PLAIN_OPTION = /^(?:-q|--quiet|-W|--worktree|--no-overlay)$/;

/** What has an ending names a file as a rule; a branch that does, no file that was edited. */
const NAMED_FILE = /^[^-].*\.[a-z]\w*$/i;

/** The files and folders that a script that went well has put back, from the project's folder; `.` is all of it. */
export function restoredBy(script: string): string[] {
  const commands = scriptCommands(script);
  if (!tellsItsStatus(commands)) return [];
  return commands.flatMap(({ words }, at) => {
    const folder = folderBefore(commands, at);
    return pathsOf(gitArguments(words) ?? []).map((path) => {
      const plain = plainPath(path);
      if (plain === "" || folder === "") return plain || folder || ".";
      return `${folder}/${plain}`;
    });
  });
}

/** Whether a file is among those that were put back. */
export function isRestored(path: string, restored: readonly string[]): boolean {
  return restored.some((one) => one === "." || one === path || path.startsWith(`${one}/`));
}

function pathsOf([verb, ...args]: readonly string[]): readonly string[] {
  if (verb === "reset") return /^--hard(?: HEAD)?$/.test(args.join(" ")) ? ["."] : [];
  const words = args.filter((word) => !PLAIN_OPTION.test(word));
  if (verb === "restore") return words.some((word) => /^-./.test(word)) ? [] : words;
  if (verb !== "checkout") return [];
  if (words.join(" ") === ".") return words;
  const [first, ...rest] = words[0] === "HEAD" ? words.slice(1) : words;
  if (first === "--") return rest;
  return words.every((word) => NAMED_FILE.test(word)) ? words : [];
}

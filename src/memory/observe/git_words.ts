/** Reads command lines of git: the subcommand, the folders, and whether a script leaves the current branch or state. */
import { isHarmless } from "./script_words.ts";
import type { ScriptCommand } from "./shell_words.ts";

const WITH_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree"]);

/** Subcommands of git that change to another branch, or to another state of the files. */
const TO_OTHER_STATE: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  checkout: (args) => !args.some((word) => /^-[bB]$/.test(word)),
  switch: (args) => !args.some((word) => /^(?:-[cC]|--create|--force-create)$/.test(word)),
  restore: () => true,
  worktree: ([verb]) => verb === "add",
  stash: ([verb = "push"]) => !/^(?:pop|apply|list|show|drop|clear|branch)$/.test(verb),
  bisect: ([verb]) => verb !== "log" && verb !== "view",
  reset: (args) => args.some((word) => /^--(?:hard|merge|keep)$/.test(word)),
};

/** Returns git's subcommand and its arguments; null for another program. */
export function gitArguments(words: readonly string[]): readonly string[] | null {
  if (!isGit(words)) return null;
  return words.slice(verbAt(words));
}

/** Returns the folders to which git changes first (`-C`), each relative to the one before it. */
export function gitFolders(words: readonly string[]): readonly string[] {
  if (!isGit(words)) return [];
  const options = words.slice(0, verbAt(words));
  return options.filter((_, at) => options[at - 1] === "-C");
}

export function isGit(words: readonly string[]): boolean {
  return /^(?:.*\/)?git$/.test(words[0] ?? "");
}

function verbAt(words: readonly string[]): number {
  let at = 1;
  while (words[at]?.startsWith("-")) at += WITH_VALUE.has(words[at]!) ? 2 : 1;
  return at;
}

/**
 * Tells whether a script changes to another branch or state of the files, and then works there. Its results do not
 * count for the current branch.
 */
export function worksElsewhere(commands: readonly ScriptCommand[]): boolean {
  const from = commands.findIndex(({ words }) => {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    return Object.hasOwn(TO_OTHER_STATE, verb) && TO_OTHER_STATE[verb]!(args);
  });
  return from >= 0 &&
      commands.slice(from + 1).some((command) => !isGit(command.words) && !isHarmless(command)) ||
    commands.some(({ words }) => isBisectRun(words));
}

/** Tells whether a command is `git bisect run`, which changes the state of the files by itself. */
function isBisectRun(words: readonly string[]): boolean {
  const [verb, what] = gitArguments(words) ?? [];
  return verb === "bisect" && what === "run";
}

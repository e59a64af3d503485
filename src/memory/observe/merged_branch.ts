/** The branch whose work a script has brought into the one that it stands on. */
import { isOutside } from "./command_folder.ts";
import { gitArguments } from "./git_words.ts";
import { tellsStatusOf } from "./shell_words.ts";
import type { Run } from "./told_command.ts";

/** Options with a word behind them. */
const WITH_VALUE =
  /^-(?:m|F|s|X|x|-strategy|-strategy-option|-into-name|-message|-file|-exec|-onto)$/;
/** Nothing is merged by these, or on top of something else. */
const MERGES_NOTHING =
  /^--(?:abort|continue|quit|skip|no-commit|edit-todo|show-current-patch|dry-run|onto(?:=.*)?)$/;
/** What brings the work of a branch in, and how many words stand before its name. */
const BRINGS_IN: Readonly<Record<string, number>> = { merge: 0, rebase: 0, pull: 1 };
/** The branch as a remote has it, or with its whole name. */
const OF_REMOTE = /^(?:refs\/heads\/|(?:refs\/remotes\/)?origin\/)/;

/** Its name; null when a script has merged none, or several at once, or nobody knows whether it has. */
export function mergedBranch(run: Run): string | null {
  if (run.outcome !== "success") return null;
  return run.commands.map((_, at) => mergedBy(run, at)).findLast((name) => name !== null) ?? null;
}

function mergedBy({ commands, surroundings }: Run, at: number): string | null {
  const [verb = "", ...args] = gitArguments(commands[at]!.words) ?? [];
  if (!Object.hasOwn(BRINGS_IN, verb) || args.some((word) => MERGES_NOTHING.test(word))) {
    return null;
  }
  if (!tellsStatusOf(commands, at) || isOutside(commands, { at, surroundings })) return null;
  const named = args.filter((word, n) =>
    !word.startsWith("-") && !WITH_VALUE.test(args[n - 1] ?? "")
  );
  const before = BRINGS_IN[verb]!;
  return named.length === before + 1 ? named[before]!.replace(OF_REMOTE, "") : null;
}

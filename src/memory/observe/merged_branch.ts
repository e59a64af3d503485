/** The branch that a script has merged into the one that it stands on. */
import { isOutside } from "./command_folder.ts";
import { gitArguments } from "./git_words.ts";
import { tellsStatusOf } from "./shell_words.ts";
import type { Run } from "./told_command.ts";

/** Options of `git merge` with a word behind them. */
const WITH_VALUE = /^-(?:m|F|s|X|-strategy|-strategy-option|-into-name|-message|-file)$/;
/** Nothing is merged by these. */
const MERGES_NOTHING = /^--(?:abort|continue|quit|no-commit)$/;

/** Its name as it was typed; null when a script has merged none, or several at once, or nobody knows whether it has. */
export function mergedBranch({ commands, outcome, surroundings }: Run): string | null {
  if (outcome !== "success") return null;
  const at = commands.findLastIndex(({ words }) => gitArguments(words)?.[0] === "merge");
  if (at < 0 || !tellsStatusOf(commands, at) || isOutside(commands, { at, surroundings })) {
    return null;
  }
  const args = gitArguments(commands[at]!.words)!.slice(1);
  if (args.some((word) => MERGES_NOTHING.test(word))) return null;
  const named = args.filter((word, n) =>
    !word.startsWith("-") && !WITH_VALUE.test(args[n - 1] ?? "")
  );
  return named.length === 1 ? named[0]! : null;
}

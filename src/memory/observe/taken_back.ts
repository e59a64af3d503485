/** Commits that a script has taken back: it put another in the place of the last one, or went back before some. */
import type { Observed } from "../observation.ts";
import { isOutside } from "./command_folder.ts";
import { gitArguments } from "./git_words.ts";
import { tellsStatusOf } from "./shell_words.ts";
import type { Run } from "./told_command.ts";

/** The last so many commits, or all behind one, by the beginning of its hash. */
export type TakenBack = { readonly last: number } | { readonly behind: string };

/** Options of `git reset` that change nothing in where it goes. */
const MODE = /^(?:--(?:soft|mixed|hard|keep|merge|quiet)|-q)$/;
const STEPS_BACK = /^(?:HEAD|@)(?:(\^+)|~(\d{0,3}))$/;
const HASH = /^[0-9a-f]{7,40}$/;
/** What makes a commit: whether one before it is taken back as well, nobody asks. */
const MAKES = /^(?:commit|merge|pull|rebase|cherry-pick|revert|am)$/;

/** What a script has taken back; null where that is nothing, or not known. */
export function takenBack(told: Observed, run: Run): TakenBack | null {
  if (told.kind === "commit" && told.facts.commit?.amended === true) {
    return told.besides === undefined ? { last: 1 } : null;
  }
  return run.outcome === "success" ? resetBy(run) : null;
}

function resetBy({ commands, surroundings }: Run): TakenBack | null {
  for (const [at, { words }] of commands.entries()) {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    if (MAKES.test(verb)) return null;
    if (verb !== "reset") continue;
    const [to = "", ...more] = args.filter((word) => !MODE.test(word));
    const isSure = more.length === 0 && tellsStatusOf(commands, at) &&
      !isOutside(commands, { at, surroundings });
    return isSure ? before(to) : null;
  }
  return null;
}

function before(to: string): TakenBack | null {
  if (HASH.test(to)) return { behind: to };
  const [isBack, carets, steps] = STEPS_BACK.exec(to) ?? [];
  if (isBack === undefined) return null;
  return { last: carets?.length ?? Number(steps || 1) };
}

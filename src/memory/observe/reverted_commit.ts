/** Which commit another one has taken back, as git words it. */
import { gitArguments } from "./git_words.ts";
import { scriptCommands, tellsItsStatus } from "./shell_words.ts";

/** `Revert "…"`; `Reapply "…"` is what takes back a revert. */
const REVERTS = /^(Revert|Reapply) "(.+)"$/;

/** The subject of the commit that one with this subject takes back; null where it takes back none. */
export function revertedSubject(subject: string | null): string | null {
  const [, verb, of] = REVERTS.exec(subject ?? "") ?? [];
  if (of === undefined) return null;
  return verb === "Reapply" ? `Revert "${of}"` : of;
}

/** Whether a script that went well takes back what the last commit has done and words that itself: `git revert -n HEAD`. */
export function revertsLast(script: string): boolean {
  if (!script.includes("revert")) return false;
  const commands = scriptCommands(script);
  const git = commands.map(({ words }) => gitArguments(words) ?? []);
  const first = git.findIndex(([verb = ""]) => MAKES_OR_MOVES.test(verb));
  const [verb, ...args] = git[first] ?? [];
  const words = args.filter((word) => !/^(?:-n|--no-commit)$/.test(word)).join(" ");
  return verb === "revert" && words !== args.join(" ") && /^(?:HEAD|@)$/.test(words) &&
    git.slice(first + 1).every(([verb = ""]) => verb === "commit" || !MAKES_OR_MOVES.test(verb)) &&
    tellsItsStatus(commands);
}

const MAKES_OR_MOVES =
  /^(?:commit|merge|pull|rebase|cherry-pick|revert|am|reset|checkout|switch|restore|stash)$/;

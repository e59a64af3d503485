/** When an action has used up the satisfaction that allowed it. */
import type { Requirement } from "./policy.ts";
import { commandsUnder, type CommandText } from "./triggers.ts";

/** A use that a satisfaction allows once, as the decision about it noted. */
export interface AllowedUse {
  readonly requirement: string;
  readonly repository: string;
  readonly branch: string;
  /** The working tree in which it happens. */
  readonly worktree: string;
  /** Where the branch stood before, of a command that moves it; null where that is not known, or does not matter. */
  readonly stoodAt: string | null;
  /** A satisfaction that is younger has not allowed it; epoch milliseconds. */
  readonly untilMs: number;
}

/** Commands of git that have done their work when the branch has moved. */
const MOVING =
  /^(?:\S*\/)?git(?: -\S+(?: [^-\s]\S*)?)*? (?:commit|cherry-pick|revert|merge|rebase|am|pull)(?![\w-])/i;

/** Which of the commands that a requirement is about move the branch. */
export function movesBranch(
  requirement: Pick<Requirement, "triggers">,
  commands: readonly CommandText[],
): "all" | "some" | "none" {
  const under = commandsUnder(requirement, commands);
  const moving = under.filter(({ whole }) => MOVING.test(whole));
  return moving.length === 0 ? "none" : moving.length === under.length ? "all" : "some";
}

/** What may keep the end of a script from telling of a command in it: `;`, `|`, `&`, `!`, a substitution, a new line. */
const MASKING = /[;|!`\n]|\$\(|(?<!&)&(?!&)/;

/** Whether a script succeeds only if each of its commands does. */
export function endTellsOfAll(script: string): boolean {
  return !MASKING.test(script);
}

/**
 * Whether a use that has ended has used up what allowed it.
 *
 * @param moved Whether the branch has moved since; null when that is not known.
 */
export function isUsedUp(
  ended: { readonly succeeded: boolean; readonly tellsOfAll: boolean },
  moved: boolean | null,
  moves: ReturnType<typeof movesBranch>,
): boolean {
  if (moved === true && moves !== "none") return true;
  const wasInVain = moved === false && moves === "all" && !ended.tellsOfAll;
  return ended.succeeded && !wasInVain;
}

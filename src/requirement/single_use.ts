/** When an action has used up the satisfaction that allowed it. */
import type { Requirement } from "./requirement_policy.ts";
import { commandsUnder, type CommandText } from "./trigger_match.ts";

/** A use that a satisfaction allows once, as the decision about it noted. */
export interface AllowedUse extends Moves {
  readonly requirement: string;
  readonly repository: string;
  readonly branch: string;
  /** The working tree in which it happens. */
  readonly worktree: string;
  /** Where the branch stood before, of a command that moves it; null where that is not known, or does not matter. */
  readonly stoodAt: string | null;
  /** How much git had noted by then of what is done in the working tree; null as for `stoodAt`. */
  readonly loggedBytes: number | null;
  /** A satisfaction that is younger has not allowed it; epoch milliseconds. */
  readonly untilMs: number;
}

/** What a use does to its branch. */
export interface Moves {
  /** Git's commands that move it, each once, of those that the requirement is about: `commit`. */
  readonly moves: readonly string[];
  /** Whether the requirement is about nothing else of it, and git's log here tells of all. */
  readonly onlyMoves: boolean;
}

/** Git's commands that have done their work when the branch has moved, and how its log names what they did. */
const LOGGED: Readonly<Record<string, RegExp>> = {
  commit: /^commit\b/,
  "cherry-pick": /^(?:cherry-pick|commit \(cherry-pick\)):/,
  // After a conflict it goes on as a commit like any other.
  revert: /^(?:revert|commit):/,
  merge: /^(?:merge .*|commit \(merge\)):/,
  // Each has steps of its own, of which the last counts: `rebase (pick)`, `pull --rebase (finish)`.
  rebase: /^rebase[^:(]*(?:\(finish\)|finished):/,
  pull: /^pull[^:(]*(?:\(finish\))?:/,
  am: /^am:/,
};

const MOVING = new RegExp(
  `^(?:\\S*/)?git(?: -\\S+(?: [^-\\s]\\S*)?)*? (${Object.keys(LOGGED).join("|")})(?![\\w-])`,
  "i",
);

/** What the commands that a requirement is about do to the branch. */
export function movesOf(
  requirement: Pick<Requirement, "triggers">,
  commands: readonly CommandText[],
): Moves {
  const under = commandsUnder(requirement, commands);
  const moves = under.flatMap(({ whole }) => MOVING.exec(whole)?.[1]?.toLowerCase() ?? []);
  const onlyMoves = moves.length === under.length && !under.some(({ isElsewhere }) => isElsewhere);
  return { moves: [...new Set(moves)], onlyMoves };
}

/** Whether one of these commands has done its work. @param done What was done since, in the words of git's log. */
export function haveMoved(moves: readonly string[], done: readonly string[]): boolean {
  return done.some((what) => moves.some((command) => LOGGED[command]?.test(what)));
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
 * @param moved Whether its commands have moved the branch; null when that is not known, or it has none that do.
 */
export function isUsedUp(
  ended: { readonly succeeded: boolean; readonly tellsOfAll: boolean },
  moved: boolean | null,
  { moves, onlyMoves }: Moves,
): boolean {
  if (moved === true) return true;
  if (moved === null || !onlyMoves) return ended.succeeded;
  // A commit that succeeded was made, if nowhere that was looked at; a merge may have had nothing to do.
  return ended.succeeded && ended.tellsOfAll && moves.includes("commit");
}

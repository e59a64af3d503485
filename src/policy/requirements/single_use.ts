/** When an action has used up the satisfaction that allowed it. */
import type { Requirement } from "./requirement_policy.ts";
import { commandsUnder, type CommandText } from "./trigger_match.ts";

/** An action that a satisfaction for a single use has allowed. */
export interface AllowedUse extends Moves {
  readonly requirement: string;
  readonly repository: string;
  readonly branch: string;
  readonly worktree: string;
  /** Where the branch stood before, for commands that move it; null when unknown or not needed. */
  readonly stoodAt: string | null;
  /** The length of the working tree's reflog before; null as for `stoodAt`. */
  readonly loggedBytes: number | null;
  /** Younger satisfactions have not allowed it; epoch milliseconds. */
  readonly untilMs: number;
}

export interface Moves {
  /** The git commands in it that move the branch, each once: `commit`. */
  readonly moves: readonly string[];
  /** Whether the requirement is about nothing else, and the reflog shows all of it. */
  readonly onlyMoves: boolean;
}

/** Git commands that move the branch, and their names in the reflog. */
const LOGGED: Readonly<Record<string, RegExp>> = {
  commit: /^commit\b/,
  "cherry-pick": /^(?:cherry-pick|commit \(cherry-pick\)):/,
  // After a conflict it goes on as a usual commit.
  revert: /^(?:revert|commit):/,
  merge: /^(?:merge .*|commit \(merge\)):/,
  // Of its several steps the last one counts: `rebase (pick)`, `pull --rebase (finish)`.
  rebase: /^rebase[^:(]*(?:\(finish\)|finished):/,
  pull: /^pull[^:(]*(?:\(finish\))?:/,
  am: /^am:/,
};

const MOVING = new RegExp(
  `^(?:\\S*/)?git(?: -\\S+(?: [^-\\s]\\S*)?)*? (${Object.keys(LOGGED).join("|")})(?![\\w-])`,
  "i",
);

export function movesOf(
  requirement: Pick<Requirement, "triggers">,
  commands: readonly CommandText[],
): Moves {
  const under = commandsUnder(requirement, commands);
  const moves = under.flatMap(({ whole }) => MOVING.exec(whole)?.[1]?.toLowerCase() ?? []);
  const onlyMoves = moves.length === under.length && !under.some(({ isElsewhere }) => isElsewhere);
  return { moves: [...new Set(moves)], onlyMoves };
}

/** @param done What was done since, in the words of the reflog. */
export function haveMoved(moves: readonly string[], done: readonly string[]): boolean {
  return done.some((what) => moves.some((command) => LOGGED[command]?.test(what)));
}

/** Signs with which a script may succeed although one of its commands fails. */
const MASKING = /[;|!`\n]|\$\(|(?<!&)&(?!&)/;

/** Whether a script succeeds only if each of its commands does. */
export function endTellsOfAll(script: string): boolean {
  return !MASKING.test(script);
}

/** Whether an ended action has used up what allowed it. @param moved Whether it moved the branch; null when unknown. */
export function isUsedUp(
  ended: { readonly succeeded: boolean; readonly tellsOfAll: boolean },
  moved: boolean | null,
  { moves, onlyMoves }: Moves,
): boolean {
  if (moved === true) return true;
  if (moved === null || !onlyMoves) return ended.succeeded;
  // A successful commit was made, even if somewhere else; a merge may have had nothing to do.
  return ended.succeeded && ended.tellsOfAll && moves.includes("commit");
}

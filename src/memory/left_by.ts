/** What a session left, of all that Claude said in it is still to be done. */
import { hasDone, soughtItem } from "./left_items.ts";
import type { LeftItem, TurnDeeds } from "./observation.ts";
import { asksForIt, declines } from "./prompt_asks.ts";
import { hasGivenUp, leftItemsIn } from "./said_done.ts";
import { hasWorked, type Turn } from "./turns.ts";

/** Nothing of it is left, as Claude says behind what it did. */
const ALL_DONE =
  /\b(?:nothing (?:is |else )?(?:left|open|remains?|missing)|(?:all|both|everything)\b[^.!?\n]{0,60}\b(?:done|finished|complete[d]?|implemented|handled|covered|in place|mended|fixed))\b|(?:alles|beides) (?:ist )?(?:fertig|erledigt)/i;

/**
 * What is left at a session's end: what the last message that speaks of it says is, but for what a later turn has done, in
 * the same words as a later session would have to, what a person did not want, and what was asked for as a whole and
 * worked on until the turn ended.
 *
 * @param turns Oldest first. @param deeds What each of them did.
 */
export function leftBy(
  turns: readonly Turn[],
  deeds: readonly TurnDeeds[],
): readonly LeftItem[] {
  let left: readonly LeftItem[] = [];
  let at = turns.length;
  // From the last one backwards: looking through a message costs more than all the rest.
  while (at > 0 && left.length === 0) left = leftItemsIn(turns[--at]!.message);
  const files = turns.slice(0, at + 1).flatMap((turn) => turn.files);
  for (let n = at + 1; n < turns.length && left.length > 0; n++) {
    left = stillLeft(left, { turn: turns[n]!, deeds: deeds[n]!, files });
    files.push(...turns[n]!.files);
  }
  return left;
}

/** What a turn that says nothing of it has left of what was left before, when `files` had been changed. */
function stillLeft(
  left: readonly LeftItem[],
  { turn, deeds, files }: {
    readonly turn: Turn;
    readonly deeds: TurnDeeds;
    readonly files: readonly string[];
  },
): readonly LeftItem[] {
  if (turn.asked.some(declines)) return [];
  const isDone = turn.message !== "" && !hasGivenUp(turn.message);
  const isOver = isDone && hasWorked(turn) && ALL_DONE.test(turn.message) ||
    isDone && turn.hasChanged && turn.asked.some(asksForIt);
  if (isOver) return [];
  const later = { turns: [deeds], files: turn.files };
  return left.filter((item) => !hasDone(soughtItem(item), later, { files }));
}

/** What Claude says is still open, in the last messages of a session. */
import type { ObservationKind } from "./observation.ts";
import { shortened } from "./text.ts";

const MAX_CHARS = 240;
/** A shorter message ("Understood.", "Done.") takes nothing back of the one before it. */
const SHORT_MESSAGE = 80;
/** After these, what was said to be open before may be done. */
const WORK: ReadonlySet<ObservationKind> = new Set(["edit", "commit", "fix", "test", "task"]);

/** Words by which one says that something is left. */
const LEFT =
  /\b(?:still (?:open|missing|to do|to be|fails?|failing|broken|red|needs?|complains?|uses?|unclear)|remain(?:s\b|ing(?::| (?:work|steps?|tasks?|issues?|items?|is\b|are\b)))|left(?::| (?:to do|open|over|undone))|to-?dos?:|not (?:yet|done|\w+ yet)\b|unfinished|outstanding|open:|next(?: steps?| up)?:|next,|follow-?ups?)/i;
/** … and by which one says that nothing is. */
const NOTHING = /\b(?:no|nothing|none|without)\b/i;
/** A full stop within a name ends none. */
const SENTENCES = /(?:[^.!?\n]|[.!?](?=\S))+/g;

/** The sentence that says what is left, with what follows it; null when a message says nothing of that. */
export function leftOpenIn(message: string): string | null {
  for (const { 0: sentence, index } of message.matchAll(SENTENCES)) {
    const left = LEFT.exec(sentence);
    if (left === null || NOTHING.test(sentence.slice(0, left.index))) continue;
    return shortened(message.slice(index).replace(/\s+/g, " ").trim(), MAX_CHARS);
  }
  return null;
}

/**
 * The message that tells a session best: the last one, or one before it that says what is left, when only short words
 * came after that. Undefined when there is none.
 *
 * @param parts Oldest first.
 */
export function tellingMessage<
  Part extends { readonly kind: ObservationKind; readonly text: string },
>(parts: readonly Part[]): Part | undefined {
  const last = parts.findLast(({ kind }) => kind === "message");
  for (const part of parts.toReversed()) {
    if (WORK.has(part.kind)) break;
    if (part.kind !== "message") continue;
    if (leftOpenIn(part.text) !== null) return part;
    if (part.text.length > SHORT_MESSAGE) break;
  }
  return last;
}

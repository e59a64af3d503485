/** What Claude says is still open, in the last messages of a session. */
import type { ObservationKind } from "./observation.ts";
import { shortened } from "./text.ts";

const MAX_CHARS = 240;
/** After these, what was said to be open before may be done. */
const WORK: ReadonlySet<ObservationKind> = new Set(["edit", "commit", "fix", "test", "task"]);
/** A message of such words alone takes nothing back of the one before it. */
const POLITE =
  /^(?:\W*\b(?:ok(?:ay)?|understood|noted|got it|sure|thanks?(?: you)?|you(?:'|’)?re welcome|my pleasure|glad to help|great|sounds good|will do|good ?night|bye|alright|verstanden|alles klar|gern(?: geschehen)?|entendido|de nada|de rien)\b)+\W*$/i;
const MAX_POLITE_CHARS = 80;

/** Words by which one says that something is left. */
const LEFT =
  /\b(?:still (?:open|missing|to do|to be|fails?|failing|broken|red|needs?|complains?|uses?|unclear)|remain(?:s\b|ing(?::| (?:work|steps?|tasks?|issues?|items?|is\b|are\b)))|left(?::| (?:to do|open|over|undone))|to-?dos?:|not (?:yet|done|\w+ yet)\b|unfinished|outstanding|open:|next(?: steps?| up)?:|next,|follow-?ups?|I (?:couldn(?:'|’)t|could not|wasn(?:'|’)t able to|was not able to|was unable to) (?:get|run|make|verify|test|finish|complete|fix|install|build)|es fehl(?:t|en) noch|offen (?:ist|sind) noch|quedan? pendientes?)/gi;
/** … and by which one says, before them, that nothing is. */
const NOTHING = /\b(?:no|nothing|none|without)\b/i;
/** Words behind them that take it back: at once, … */
const NONE_BEHIND =
  /^[\s*_:.#–—-]*(?:(?:none|nothing|n\/a|nichts|nada)\b(?! (?:but|except|besides|other))|(?:all )?done(?=\s*(?:[.,;!)]|$)))/i;
/** … in the same clause, … */
const DONE_BEHIND =
  /^[^,;.!?\n]*?(?:\b(?:is|are|was|were|got|been)(?: now| all| also| already)* (?:done|finished|completed?|fixed|closed|implemented|resolved)\b|\bwas the (?:title|name|subject)\b|(?::|\bis) *(?:none|nothing)\b(?! (?:but|except|besides|other)))/i;
/** … in a later clause, … */
const OVER_BEHIND =
  /\b(?:it|that|this|they|these|those)(?:(?:'|’)s| is| are| was| were)?(?: (?:all |already )?(?:done|finished|fixed|closed|implemented|resolved)(?: now)?| (?:works?|pass(?:es)?|runs?) now| now (?:works?|pass(?:es)?|runs?))\b/i;
/** … or as the sentence that follows. */
const DID_IT_NEXT =
  /^[.!?\s]*I(?:(?:'|’)ve| have)? (?:now |since )?(?:implemented|fixed|added|did|done|finished|mended|closed|solved|resolved) (?:it|that|this|them)(?: now)?(?=\s*(?:[.,;!)]|$))/i;
/** What is done in one of these clauses is not what is left. */
const SUBORDINATE =
  /\b(?:when|if|until|once|after|before|because|as soon as|unless|while|since|whether)\b[^,;.!?\n]*/gi;
/** What is shown, not said. */
const QUOTED = /```[\s\S]*?```|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”/g;
/** A full stop within a name ends none. */
const SENTENCES = /(?:[^.!?\n]|[.!?](?=\S))+/g;
const LOOKED_AHEAD_CHARS = 300;

/** The sentence that says what is left, with what follows it; null when a message says nothing of that. */
export function leftOpenIn(message: string): string | null {
  const plain = message.replace(QUOTED, (quoted) => " ".repeat(quoted.length));
  for (const { 0: sentence, index } of plain.matchAll(SENTENCES)) {
    for (const left of sentence.matchAll(LEFT)) {
      if (NOTHING.test(sentence.slice(0, left.index))) break;
      if (
        isTakenBack(plain, {
          from: index + left.index + left[0].length,
          end: index + sentence.length,
        })
      ) {
        continue;
      }
      return shortened(message.slice(index).replace(/\s+/g, " ").trim(), MAX_CHARS);
    }
  }
  return null;
}

/** Whether what follows says that it is not open any more, or never was. */
function isTakenBack(
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  const ahead = (at: number, until = at + LOOKED_AHEAD_CHARS) => text.slice(at, until);
  const behind = ahead(from, Math.min(end, from + LOOKED_AHEAD_CHARS)).replace(SUBORDINATE, "");
  return NONE_BEHIND.test(ahead(from)) || DONE_BEHIND.test(behind) || OVER_BEHIND.test(behind) ||
    DID_IT_NEXT.test(ahead(end));
}

/**
 * The message that tells a session best: the last one, or one before it that says what is left, when nothing but polite
 * words came after that. Undefined when there is none.
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
    if (part.text.length > MAX_POLITE_CHARS || !POLITE.test(part.text)) break;
  }
  return last;
}

/** Sentences that say little without the one before them: `I stopped here.`, `You need to add one.` */
import type { Line } from "./tables.ts";

const ENDS_THERE = /^\W*(?:so )?I(?:['’]ve| have)? stopped (?:here|there)(?: for now)?\W*$/i;
const REFERS_BACK =
  /^\W*you(?:['’]ll| will)? (?:need|have) to \w+ (?:one|it|them|that)(?=\s*(?:[:.,!]|$))/i;
/** Behind a question: how it is until that is answered. */
export const LEFT_SO =
  /^\W*(?:for now,? )?(?:so )?(?:I|we)(?:['’]ve| have)? (?:left|kept|made) (?:it|that|this|them) [^.;:!?\n]{1,80}? for now\W*$/i;

/** Whether a sentence, or a clause, says little by itself. */
export function saysLittle(text: string): boolean {
  return ENDS_THERE.test(text) || REFERS_BACK.test(text);
}

/**
 * A sentence as it can be told alone: with the one before it where it says little, or that is a question; null where that is
 * told, and it only says that it ended there, or how it is until the answer.
 *
 * @param options `line`: on which both stand. `isTold`: the one before it is told.
 */
export function inContext(
  sentence: Line,
  before: Line | undefined,
  { line, isTold }: { readonly line: Line; readonly isTold: boolean },
): Line | null {
  if (before === undefined) return sentence;
  const isAsked = LEFT_SO.test(sentence.text) && /[?？]/.test(line.text[endIn(line, before)] ?? "");
  if (!isAsked && !saysLittle(sentence.text)) return sentence;
  if (isTold) return isAsked || ENDS_THERE.test(sentence.text) ? null : sentence;
  return { text: line.text.slice(before.at - line.at, endIn(line, sentence)), at: before.at };
}

/** Where on a line a sentence of it ends. */
function endIn(line: Line, { text, at }: Line): number {
  return at + text.length - line.at;
}

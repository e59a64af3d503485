/** Sentences that say little without the one before them: `I stopped here.`, `You need to add one.` */
import type { Line } from "./tables.ts";

const ENDS_THERE = /^\W*(?:so )?I(?:['’]ve| have)? stopped (?:here|there)(?: for now)?\W*$/i;
const REFERS_BACK =
  /^\W*you(?:['’]ll| will)? (?:need|have) to \w+ (?:one|it|them|that)(?=\s*(?:[:.,!]|$))/i;

/** Whether a sentence, or a clause, says little by itself. */
export function saysLittle(text: string): boolean {
  return ENDS_THERE.test(text) || REFERS_BACK.test(text);
}

/**
 * A sentence as it can be told alone: with the one before it where it says little; null where that is told and it only says
 * that it ended there.
 *
 * @param options `line`: on which both stand. `isTold`: the one before it is told.
 */
export function inContext(
  sentence: Line,
  before: Line | undefined,
  { line, isTold }: { readonly line: Line; readonly isTold: boolean },
): Line | null {
  if (before === undefined || !saysLittle(sentence.text)) return sentence;
  if (isTold) return ENDS_THERE.test(sentence.text) ? null : sentence;
  const end = sentence.at + sentence.text.length;
  return { text: line.text.slice(before.at - line.at, end - line.at), at: before.at };
}

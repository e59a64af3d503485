/** A sentence that says of several things, each in a clause of its own, that they are left: each is left by itself. */
import { tellingWords } from "../telling_words.ts";
import { saysLittle } from "./fragments.ts";
import type { Line } from "./tables.ts";

const AND = "(?:and|but|und|aber|y|pero|et|mais)";
/** Between two clauses, … */
const STRONG = new RegExp(`[,;] ${AND} |; `, "g");
/** … where none of these stands, one of those, which are as well between the things of a list. */
const WEAK = new RegExp(` ${AND} |, `, "g");
/** Who or what is spoken of, though no word tells more of it. */
const SUBJECT = /^(?:I|we|you|there|no|nothing|ich|wir)\b/i;
/** A clause that begins so goes on with the one before it, … */
const GOES_ON =
  /^(?:also|are|as|because|can|could|depends?|did|does?|fails?|had|has|have|if|is|lacks?|may|might|must|needs?|nor|not|once|requires?|should|since|so|still|that|then|this|though|unless|until|was|were|when|where|which|while|who|whose|will|works?|would|da|der|die|ist|sind|weil|wenn)\b/i;
/** … and one with such a word speaks of that. */
const REFERS_BACK = /\b(?:it|its|they|them|their|these|those|ones?|both|neither)\b/i;
const ADVERB = /\b\w{1,20}ly\b/gi;

/** A sentence as the clauses that say that something is left, with what stands beside each. @param lefts Where it says so. */
export function clausesLeft(
  { text, at }: Line,
  lefts: readonly { readonly index: number; readonly 0: string }[],
): Line[] {
  const clauses: Line[] = [];
  let from = 0;
  for (let n = 1; n < lefts.length; n++) {
    const [before, left] = [lefts[n - 1]!, lefts[n]!];
    const end = clauseEnd(text, { from: before.index + before[0].length, to: left.index });
    if (end === null || !standsAlone(text, { from: end.to, left: left.index })) continue;
    if (tellingWords(text.slice(from, end.from)).size === 0) continue;
    clauses.push({ text: text.slice(from, end.from), at: at + from });
    from = end.to;
  }
  return [...clauses, { text: text.slice(from), at: at + from }];
}

/** A place in a text. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** Between two places of a text the only end of a clause; null where there is none, or one of several. */
function clauseEnd(text: string, { from, to }: Place): Place | null {
  const between = text.slice(from, to);
  const [ends = []] = [STRONG, WEAK].map((one) => [...between.matchAll(one)])
    .filter(({ length }) => length > 0);
  const [end] = ends;
  if (end === undefined || ends.length > 1) return null;
  return { from: from + end.index, to: from + end.index + end[0].length };
}

/** Whether a clause tells by itself what is left. @param left Where it says so. */
function standsAlone(
  text: string,
  { from, left }: { readonly from: number; readonly left: number },
) {
  const clause = text.slice(from);
  if (GOES_ON.test(clause) || REFERS_BACK.test(clause) || saysLittle(clause)) return false;
  const before = text.slice(from, left).replace(ADVERB, "");
  return SUBJECT.test(clause) || tellingWords(before).size > 0;
}

/** Words behind what is said to be left that take it back: nothing is, or it was done. */

/** At once, … */
export const NONE_BEHIND =
  /^[\s*_:.#(–—-]*(?:(?:none|nothing|n\/a|nichts|nada|optional)\b(?! (?:but|except|besides|other))|(?:all )?done(?=\s*(?:[.,;:!)]|$)))/i;
/** … in the same clause, … */
const DONE_BEHIND =
  /^[^,;.!?\n]*?(?:\b(?:is|are|was|were|got|been)(?: now| all| also| already)* (?:done|finished|completed?|fixed|closed|implemented|resolved|listed|shown|displayed|stored|kept|marked|counted|hidden)\b|\bwas the (?:title|name|subject)\b|(?::|\bis) *(?:none|nothing)\b(?! (?:but|except|besides|other)))/i;
/** … in a later clause, … */
const OVER_BEHIND =
  /\b(?:(?:it|that|this|they|these|those)(?:(?:'|’)s| is| are| was| were)?(?: (?:all |already )?(?:done|finished|fixed|closed|implemented|resolved)(?: now)?| (?:works?|pass(?:es)?|runs?) now| now (?:works?|pass(?:es)?|runs?))\b|now (?:it|that|this|they|these|those) (?:do(?:es)?|is|are)(?=\s*(?:[.,;!)]|$)))/i;
/** … since Claude did it for that reason, … */
const SO_DONE =
  /\b(?:so|which is why|hence|therefore|deshalb) (?:I|we)(?:['’]ve| have)? (?:now |also )?(?:added|fixed|implemented|wrote|written|created|documented|covered|handled|tested)\b(?! (?:only|just|an? (?:\w+ )?(?:TODO|FIXME|note|comment|issue|ticket))\b)/i;
/** … or says so of it, … */
const DONE_TO_IT =
  "(?:now |since )?(?:implemented|fixed|added|did|done|finished|mended|closed|solved|resolved|updated|changed|corrected|removed|replaced) " +
  "(?:it|that|this|them)(?: now| too)?(?=\\s*(?:[.,;!)]|$))";
const I_DID_IT = `I(?:['’]ve| have)? ${DONE_TO_IT}`;
/** … in another clause, or as the sentence that follows. */
const DID_IT_BEHIND = new RegExp(
  `\\b(?:and |so )(?:${I_DID_IT}|${DONE_TO_IT})|[;,] ${I_DID_IT}`,
  "i",
);
const DID_IT_NEXT = new RegExp(`^[.!?\\s]*${I_DID_IT}`, "i");
/** What is done in one of these clauses is not what is left. */
const SUBORDINATE =
  /\b(?:when|if|until|once|after|before|because|as soon as|unless|while|since|whether)\b[^,;.!?\n]*/gi;
const LOOKED_AT_CHARS = 300;

/** Whether what follows says that it is not open any more, or never was. */
export function isTakenBack(
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  const ahead = (at: number, until = at + LOOKED_AT_CHARS) => text.slice(at, until);
  const behind = ahead(from, Math.min(end, from + LOOKED_AT_CHARS)).replace(SUBORDINATE, "");
  return NONE_BEHIND.test(ahead(from)) || DONE_BEHIND.test(behind) || OVER_BEHIND.test(behind) ||
    SO_DONE.test(behind) || DID_IT_BEHIND.test(behind) || DID_IT_NEXT.test(ahead(end));
}

/** Sentences that only tell how something behaves, or was: they say that something is not so yet, and leave nothing open. */

/** A sentence, taken apart by the words that might say that something is left. */
export interface SaidSo {
  readonly before: string;
  readonly left: string;
  readonly behind: string;
}

/** Words before them that tell that it was so, … */
const WAS_SO =
  /\b(?:(?:fixed|solved|resolved|mended|corrected)\b[^;:]*\b(?:where|that|which|when)\b|(?:previously|formerly|originally|used to)\b)[^;:]*$/i;
/** … that it may be so, or that something shows it, … */
const MAY_BE =
  /\b(?:(?:when|whenever|if|until|unless|whether|as long as|in case)\b|(?:shows?|sees?|mentions?|names?|documents?|describes?|explains?|lists?|displays?|renders?|prints?|returns?|counts?)\b[^,;:]*\b(?:what|which|how|list of|number of)\b)[^,;:]*$/i;
/** … as what is explained goes on, … */
const EXPLAINS =
  /(?:\b(?:here(?:['’]s| is)|this is|that(?:['’]s| is)) (?:\w+ly )?how\b|^\W*how (?:\S+ ){1,4}works?\b)[^:]*:/i;
/** … of whom or of what it is so, … */
const WHO_IS = /[^\s,;:.(–—-]\s+(?:who|whom|whose|which|where)(?:\s+[^\s,;:]+){0,4}\s*$/i;
const THAT_IS =
  /([^\s]+)\s+that(?:\s+(?:you|we|they|I|he|she))?(?:(?:['’]ve|\s+(?:have|has|had|is|are|was|were|do|does|did|can|could|will|would|may|might)))?\s*$/i;
/** … which tells it where that is there, … */
const THERE_IS =
  /\b(?:there(?:['’]s)?|left|leaves?|leaving|remain(?:s|ing)?|still|only|known|open|missing|have|has|needs?|skipped|stubbed|found)\b/i;
/** … and where it stands for all that is said (`note that we have not …`), or for what was said before. */
const NO_NOUN =
  /^(?:but|and|or|so|note[ds]?|mind|aware|sure|certain|fact|means?|meant|seems?|appears?|out|found|finds?|noticed?|saw|see|sees|say|says|said|know|think|believe|is|was|all|now|given|except|only|confirm(?:s|ed)?|shows?|showed|remember|warn(?:s|ed)?|reports?|reported|.*[,;:.!?)–—-])$/i;
/** … and during which it is; with a comma before it, or at the beginning, it tells the other side. */
const WHILE_IT_IS = /(?:[^\s,;.]\s+|:\s*)while\b[^,;:]*$/i;
/** It was so … */
const WAS = /\b(?:was|were|had)(?: \w+ly)?\s*$/i;
const WAS_NOT = /^(?:was|were|had)n['’]t\b/i;
/** … as what was wrong, until something came, or in what is no more. */
const FOR_A_REASON =
  /\b(?:root cause|caused?|culprit|reason|bug|because|since|crash(?:ed)?|race|when|problem was|issue was)\b/i;
const OF_BEFORE =
  /\b(?:old|previous|former|original|earlier) (?:code|version|implementation|logic|behaviou?r|design|approach|handler|script|parser|query|check|loop|regex) *$|\bbefore (?:this|that|the|my) (?:change|commit|fix|patch|refactoring|PR)\b(?! (?:goes|can|is|lands|ships))[^;:]*$/i;
const PAST = /\b(?:was|were|had|did|could)(?: \w+ly)?\s*$/i;
const PAST_NOT = /^(?:was|were|had|did|could)(?: not|n['’]t)\b/i;
const IS_SO_STILL = /\b(?:either|neither|still|nor)\b/i;
const AT_A_TIME =
  /\b(?:when|while|before|by the time|at the time|this morning|yesterday|earlier|at first)\b/i;
/** What is missing is left only where it is a part of the work. */
const IS_MISSING = /^(?:is|are) missing/i;
/** With these in front it was what was wrong. */
const FOUND =
  /\b(?:because|since|problem|cause[ds]?|culprit|bug|reason|errors?|says|said|complain\w*|warn\w*|report\w*|that|if|when|where|which|was|were)\b/i;
const ENDS = /^(?: (?:still|too|as well|also|so far|yet|there|for now))?(?: \(.*\))?\s*[:.!]?\s*$/i;
const PART_OF_WORK =
  /\b(?:part|tests?|docs?|documentation|handling|validation|support|translations?|migrations?|implementation|coverage|readme|changelog|integration|ui|frontend|backend)\s*$/i;
/** Somebody else has not done it. */
const SAYS_WHO = /\baccording to\b/i;
/** What stays as it is, or is so until something comes, is no work. */
const STAYS = /^(?:still (?:needs?|uses?)|remains?|is|are)\b/i;
const AS_BEFORE =
  /\b(?:as (?:before|ever|always|usual|it (?:always |ever )?(?:did|was|has))|(?:just )?like before|until|unless|as long as)\b/i;
/** What was not made, and is not to be. */
const IS_NOT = /^(?:is|are)(?: not|n['’]t) (?!yet\b)/i;
const ON_PURPOSE =
  /^(?![^;:]*\byet\b)[^;:]*\b(?:on purpose|by design|intentional(?:ly)?|deliberate(?:ly)?)\b/i;
/** The same in German: when it is so, of what it is so, … */
const WENN_ES_IST =
  /(?:^|[\s,(])(?:wenn|falls|solange|bis|ob|während|sobald|nachdem|bevor|als)\b[^,;:]*$/i;
const DAS_ES_IST =
  /,\s+(?:die|der|das|den|denen|dem|deren|welche[rs]?)\s+(?:(?!(?:ist|sind|wird|werden|hat|haben|habe|wurden?|kann|geht|gehen|fehl(?:t|en)|läuft|laufen)\b)[^\s,;:]+\s+)*$/i;
/** … where the verb comes last, … */
const VERB_LAST = /^noch\b/i;
/** … and that it was so. */
const DASS_ES = /\b(?:dass|weil|da)\b[^,;:]*$/i;
const WAR = /^[^,;:.]*\b(?:war|waren|hatten?|wurden?)\b/i;
/** In Spanish and French. */
const QUE_ES = /\b(?:que|cuando|si|mientras|qui|quand|lorsque|tant que)(?:\s+[^\s,;:]+){0,3}\s*$/i;
const IS_ROMANCE = /^(?:faltan?|aún|todavía|il|n['’]|ne) ?/i;

/** What makes a sentence one that only describes; all of a line has to be so. */
const DESCRIBES: readonly ((said: SaidSo) => boolean)[] = [
  ({ before }) =>
    WAS_SO.test(before) || MAY_BE.test(before) || WHILE_IT_IS.test(before) ||
    EXPLAINS.test(before),
  ({ before }) => WHO_IS.test(before) && !tellsOfIt(before),
  ({ before, left }) => isOfNoun(before) && (!tellsOfIt(before) || isPast({ before, left })),
  ({ before, left, behind }) =>
    isPast({ before, left }) && (FOR_A_REASON.test(before) || AT_A_TIME.test(behind)),
  ({ before, left, behind }) =>
    (PAST.test(before) || PAST_NOT.test(left)) && OF_BEFORE.test(before.replace(PAST, "")) &&
    !IS_SO_STILL.test(behind),
  ({ before, left, behind }) =>
    IS_MISSING.test(left) && !PART_OF_WORK.test(before) &&
    (FOUND.test(before) || !ENDS.test(behind.replace(/:.*/, ":"))),
  ({ behind }) => SAYS_WHO.test(behind),
  ({ left, behind }) => STAYS.test(left) && AS_BEFORE.test(behind),
  ({ left, behind }) => IS_NOT.test(left) && ON_PURPOSE.test(behind),
  ({ before, left }) =>
    VERB_LAST.test(left) && (WENN_ES_IST.test(before) || DAS_ES_IST.test(before)),
  ({ before, behind }) => DASS_ES.test(before) && WAR.test(behind),
  ({ before, left }) => IS_ROMANCE.test(left) && QUE_ES.test(before),
];

/** Whether a sentence only tells how something behaves, or was. */
export function describesIt(said: SaidSo): boolean {
  return DESCRIBES.some((describes) => describes(said));
}

/** `changes that you have not committed yet`, and not `note that you have not …`. */
function isOfNoun(before: string): boolean {
  const [, noun] = THAT_IS.exec(before) ?? [];
  return noun !== undefined && !NO_NOUN.test(noun);
}

/** `There are two that …`: what stands before the last of the words that make a clause of its own. */
function tellsOfIt(before: string): boolean {
  const at = Math.max(
    ...["who", "whom", "whose", "which", "where", "that"].map((word) =>
      before.lastIndexOf(` ${word}`)
    ),
  );
  return THERE_IS.test(before.slice(0, at));
}

function isPast({ before, left }: Pick<SaidSo, "before" | "left">): boolean {
  return WAS.test(before) || WAS_NOT.test(left);
}

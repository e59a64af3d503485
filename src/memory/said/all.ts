/** Whether a message says that all that was left is done, and of how many things it says so. */
import { clausesOf } from "../given_up.ts";
import { countOf, numberPattern } from "../number_words.ts";

const THINGS = "(?:items|points|tasks|steps|things|ones|to-?dos)";
const OF_LIST = "(?: (?:on|from|of|in) (?:the|that|your) list)?";
const COUNT = `(${numberPattern("english")}|\\d{1,2})`;
const ALL = [
  "all(?: (?:of )?(?:it|them|these|those)| that was left)?",
  `all(?: of)?(?: the)? (?:${COUNT}(?: of them)?|remaining ${THINGS}|${THINGS})${OF_LIST}`,
  `all(?: of)?(?: the)? ${COUNT} (?:remaining |open |other )?${THINGS}${OF_LIST}`,
  `(both)(?: of (?:them|these|those)|(?: remaining)? ${THINGS})?`,
  "everything(?: (?:on|from|in) (?:the|that|your) list| else| that was left)?",
  "the (?:whole |entire |remaining )?(?:list|rest)",
].join("|");
const DONE = "(?:done|finished|completed?|implemented|in|in place)";
/** In a clause that says nothing before it. */
const ALL_ARE_DONE = new RegExp(
  "^\\W*(?:(?:yes|ok(?:ay)?|great|so|now|done|with that)\\b\\W+)*(?:" + [
    `(?:that['’]s )?all(?: ${COUNT})? (?:done|finished)(?: now)?`,
    "nothing(?: else)? (?:is|remains) (?:left|open|to do|to be done)(?: (?:open|to do|on (?:the|that|your) list))?(?: now)?",
    `(?:${ALL})(?:['’]s| is| are| has been| have been)(?: now| all)* ${DONE}(?: now)?`,
    `(?:I|we)(?:['’]ve| have)? (?:now )?(?:implemented|did|done|finished|completed|added|built) (?:${ALL})(?: now)?`,
    "(?:alles|(beides)) ist (?:jetzt )?(?:fertig|erledigt)",
  ].join("|") + ")(?=\\W*$|:|[,:]? (?:and|with)\\b)",
  "i",
);
/** The whole message says no more than that it is done. */
const DONE_ALONE = /^\W*(?:(?:done|finished|completed?|fertig|erledigt|listo|fait|hecho)\W*)+$/i;
const BUT =
  /\b(?:except|besides|apart from|other than|aside from|not|only|partly|partially|bis auf)\b|n['’]t\b/i;

/** Of how many things a message says that they are done, and are all; 0 where it does not count them, null where it says nothing of that. */
export function allDoneIn(message: string): number | null {
  if (DONE_ALONE.test(message)) return 0;
  for (const clause of clausesOf(message)) {
    const found = BUT.test(clause) ? null : ALL_ARE_DONE.exec(clause);
    if (found === null) continue;
    const count = found.slice(1).find((one) => one !== undefined)?.toLowerCase();
    return count === undefined ? 0 : countOf(count);
  }
  return null;
}

/** The words by which Claude says what the person has to do: not how to use what was built. */
import { once } from "../once.ts";

/** The beginning of a sentence: what stands in another one is of something else, … */
export const OPENS =
  "(?<=^\\W{0,4}(?:(?:so|then|now|afterwards|after that|for now|finally|note that|please note that),? )?)";
/** … but for what is to be done before it goes out. */
const GOES_OUT =
  "before (?:you )?(?:merg|deploy|releas|publish|ship|push|going live|go live|tag|roll)";
const OPENS_BEFORE =
  `(?<=^\\W{0,4}(?:(?:so|then|now|afterwards|after that|finally|note that|please note that),? )?(?:${GOES_OUT}`;
/** … as far as the next comma, … */
const TO_COMMA = `${OPENS_BEFORE}[^,;:\\n]{0,60}[*_]{0,2}, [*_]{0,2}))`;
/** … or for a word or two. */
const TO_VERB = `${OPENS_BEFORE}\\w*(?: (?:it|this|that|to (?:the )?\\w+))?[*_]{0,2},? [*_]{0,2}))`;
/** It is so each time, or it is how one sees or uses it. */
const IS_USE =
  "(?![^.;\\n]{0,160}\\b(?:(?:if|when|whenever|unless|each|every|always|as before|before you can|so that you can|to (?:see|try|use|view|watch|start|open|get|have|test|check|play|run|access|enable|activate|make|build|work)|for (?:it|this|that) to)\\b))";
/** What is done once with a project, not each time that one uses it; of a command one does not know. */
const DEED =
  "(?:set|rotate|revoke|register|configure|create|update|deploy|apply|migrate|push|merge|bump|publish|copy|fill in|provide|upload|replace|generate|regenerate|delete|remove|approve|grant|tag|commit|add|enable|disable|change)";
const RUN_WHERE =
  "run\\b[^.;\\n]{0,120}\\b(?:before (?:you |the |(?:merg|deploy|releas|start|publish|ship)\\w*)|on (?:the |your )?(?:staging|prod|production|server|live|test)|against (?:the |your )?(?:staging|prod|production|server|live))";

/** What is merged, and not to merge: `merge conflicts are shown`. */
const IS_NO_NOUN = "(?!(?: [^\\s.,;:]+){1,3} (?:is|are|was|were|gets?|will|can|has|have)\\b)";

/** What the person is told to do. */
const TOLD_TO_PERSON: readonly string[] = [
  `${OPENS}you(?:['’]ll| will| still)? (?:need|have) to [^.;\\n]{1,120}\\b(?:yourself|yourselves|by hand|manually)\\b(?! to (?:see|try|use)\\b)`,
  `${OPENS}(?:you(?:['’]ll| will| still)*(?: also)? (?:need|have) to|remember to|(?:don['’]t|do not) forget to) (?:${DEED}|${RUN_WHERE})\\b${IS_USE}`,
  `(?:${TO_COMMA}|${TO_VERB})(?:(?:you(?:['’]ll| will| still)*(?: also)? (?:need|have) to|please|remember to) )?(?:${DEED}|run)\\b${IS_USE}${IS_NO_NOUN}`,
  `${OPENS}(?:make|be) sure (?:to|you|that you) run (?:the|your|all|both) (?!(?:\\w+ )?(?:server|app|build|installer?|setup)\\b)[^.;\\n]{1,120}\\bfirst(?=\\s*(?:[.!;)]|$))`,
  `${OPENS}please (?:${DEED}|run)\\b${IS_USE}[^.;\\n]{1,120}\\b(?:yourself|by hand|manually|before (?:you )?(?:merg|deploy|releas|publish|ship))`,
  `${OPENS}(?:you (?:must|should)|(?:make|be) sure (?:to|you|that you)) (?:${DEED}|run)\\b${IS_USE}[^.;\\n]{1,120}\\bbefore (?:you )?(?:merg|deploy|releas|publish|ship|the (?:deploy|merge|release|launch))`,
];

const FOUND = "(?:noticed|found|saw|spotted|discovered|came across|stumbled (?:on|over|upon))";
const NOT_MENDED =
  "(?:(?:(?:did not|didn['’]t) (?:yet )?(?:fix|address)|(?:have not|haven['’]t|not) (?:yet )?(?:fixed|addressed))\\b|" +
  "(?:(?:did not|didn['’]t) (?:touch|change)|(?:have not|haven['’]t) (?:touched|changed)) (?:it|that|them|those|this)\\b(?!,? (?:since|because|as)\\b))";
/** What Claude came across and left as it was: what that is stands between, … */
const FOUND_NOT_MENDED =
  `(?:I|we)(?:['’]ve| have)?(?: also)? ${FOUND} [^\\n]{1,200}?(?:,? (?:but|and) |[,;] )(?:(?:I|we)(?: have)? )?${NOT_MENDED}|` +
  `${FOUND}(?:,? (?:but|and))? (?:(?:have|has) )?${NOT_MENDED}`;
/** … or behind. */
const OF_FOUND = once(() =>
  new RegExp(
    `\\b(?:${FOUND},?(?: (?:but|and))? (?:(?:have|has) )?${NOT_MENDED}\\W*(?=\\S)|${FOUND} (?:that )?)`,
    "i",
  )
);
const NOT_MENDED_BEHIND = once(() =>
  new RegExp(`(?:,? (?:but|and) |[,;] )(?:(?:I|we)(?: have)? )?${NOT_MENDED}.*$`, "is")
);

/** The thing that Claude says it came across and did not mend; the text where it says none. */
export function foundIn(text: string): string {
  const found = OF_FOUND().exec(text);
  if (found === null || !IS_FOUND().test(text)) return text;
  const thing = text.slice(found.index + found[0].length).replace(NOT_MENDED_BEHIND(), "");
  return thing.trim() === "" ? text : thing;
}

/** What Claude has to hear from the person. */
export const NEEDS_ANSWER =
  "I need (?:you to (?:decide|confirm|choose|pick|approve|clarify|tell me|give me|provide|send)|your (?:decision|approval|input|answer|confirmation))\\b";

/** What Claude could not do … */
const COULD_NOT =
  "I (?:couldn['’]t|could not|wasn['’]t able to|was not able to|was unable to) (?:push|commit|deploy|publish|merge|release|upload|apply|migrate|tag)\\b";
/** … and behind it, why. */
const WHY = once(() =>
  new RegExp(`(?<=${COULD_NOT}[^.;:\\n]{0,120})(?:: |,? (?:since|because|as) ).*$`, "is")
);

/** The same without why Claude could not do it. */
export function withoutWhy(text: string): string {
  return text.replace(WHY(), "");
}

/** In a sentence: that, and what only the person can do then. */
export const LEFT_TO_PERSON: readonly string[] = [
  ...TOLD_TO_PERSON,
  FOUND_NOT_MENDED,
  `${COULD_NOT}(?![^.;\\n]{0,160}\\b(?:at first|initially|until|so (?:I|we)|but (?:it|that|now|after|then|with))\\b)`,
];

const IS_FOUND = once(() => new RegExp(FOUND_NOT_MENDED, "i"));
const OF_PERSON = once(() => new RegExp(TOLD_TO_PERSON.join("|"), "i"));
/** A question for what one has to do is answered so as well. */
const ASKS_HOW =
  /(?:\b(?:how|what|where|which|when|wie|was|wo|cómo|qué|comment)\b[^.!?\n]*\b(?:I|we|one|ich|man|wir)\b|\b(?:do|must|should|muss|soll) (?:I|we|ich|man)\b)[^.!?\n]*\?\W*$/i;

/** Whether something that was said answers how one does what was asked. */
export function answersHow(text: string, asked: readonly string[]): boolean {
  return asked.some((one) => ASKS_HOW.test(one)) && OF_PERSON().test(text);
}

/** As all of a line, over a list of it. */
export const HEADING_FOR_PERSON: readonly string[] = [
  "(?:required )?manual (?:steps?|actions?|work)(?: (?:required|needed|left))?|(?:required )?action items?|actions? (?:required|needed)",
  "(?:(?:what|things?|steps?) )?you(?:(?:['’]ll| will| still)* (?:need|have) to do|(?: will)? still (?:need|have) to)(?: (?:manually|by hand|yourself))?|(?:left|things?) for you to do",
  "before (?:you )?(?:merge|merging|deploy|deploying|release|releasing|publish|publishing|ship|shipping|push|pushing|go live|going live)(?: (?:it|this))?|before (?:the|your) (?:deploy|deployment|merge|release|launch)",
];

/** Rules that a person lays down in a prompt for all that comes: "from now on use pnpm", "never edit src/gen". */
import { isBeyondAscii, scriptPattern } from "../../letters.ts";
import { shortened } from "../text.ts";
import { INTRODUCES, ownSentences } from "./own_words.ts";
import { FOR_NOW, saysRule } from "./rule_forms.ts";

/** What is said behind so many characters is rather pasted than typed. */
const LOOKED_AT = 4_000;
const MAX_RULES = 3;
const MIN_WORDS = 3;
/** Where words are not apart, so many characters are enough. */
const MIN_UNSPACED = 6;
const MAX_CHARS = 240;

/** What may stand before a rule and is none of it. */
const BEFORE =
  /^(?:[-*•>\d.)\s]|пожалуйста,?\s|(?:ok(?:ay)?|and|also|so|but|please|note|important|btw|by the way|one more thing|actually|instead(?=,)|oh|hey|yes|yep|great|good|perfect|cool|nice|thanks|thank you|no(?=[,.!])|no wait|sorry|(?:scrap|forget|drop|undo|never mind) (?:that|this|it)|for the record|fyi|heads[- ]up|(?:just |as )?a? ?reminder|once (?:more|again)|again(?=[,:])|new rule|und|auch|bitte|wichtig|nochmal|as i said(?: before)?|like i said(?: before)?|(?:i )?changed my mind|finalement|je (?:le )?répète|encore une fois|(?:lo )?repito|come già detto|otra vez|de novo|di nuovo|ripeto|nogmaals|jeszcze raz|s['’]il (?:te|vous) pla[iî]t|por favor)\b[,:!;]?(?=\s|$))+/i;
/** What follows may be a rule by itself. */
const COMMA =
  /(?:[,;:]|\s[–—-])\s+(?:(?:so|and|but|then|und|aber|also|et|mais|y|pero|e|ma|mas|en|maar) )?/gi;
const MAX_CLAUSES = 4;
const PLEASE = /,? (?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|пожалуйста)(?=[.!]?$)/i;
/** A question, or what only leads to what follows. */
const NO_STATEMENT = /[?？:：]$|(?:か|吗|嗎|呢)[。.]?$/;
const unspaced = scriptPattern(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`,
  "u",
);

/** The sentences of a prompt that may hold for all that comes: neither questions nor what is said for a while. */
export function lastingSentences(prompt: string): string[] {
  return ownSentences(prompt.slice(0, LOOKED_AT))
    .filter((sentence) => !NO_STATEMENT.test(sentence) && !FOR_NOW.test(sentence));
}

/** The rules in a prompt, as they were said; a question is none. */
export function standingRules(prompt: string): string[] {
  const found = lastingSentences(prompt)
    .map((sentence) => sentence.replace(BEFORE, "").trim())
    .filter((sentence) => isLongEnough(sentence) && isRule(sentence));
  return [...new Set(found)].slice(0, MAX_RULES).map((sentence) => shortened(sentence, MAX_CHARS));
}

/** Whether nothing else is said in a prompt. */
export function saysOnlyRules(prompt: string): boolean {
  const rules = standingRules(prompt);
  return rules.length > 0 && rules.length === ownSentences(prompt).length;
}

/** Whether a sentence says a rule, from its beginning or behind a comma: `no more yarn, always use pnpm`. */
function isRule(sentence: string): boolean {
  const said = sentence.slice(0, MAX_CHARS).replace(PLEASE, "");
  if (saysRule(said)) return true;
  const behind = [...said.matchAll(COMMA)].slice(0, MAX_CLAUSES);
  return behind.some(({ 0: comma, index }) =>
    !INTRODUCES.test(said.slice(0, index)) && saysRule(said.slice(index + comma.length))
  );
}

function isLongEnough(sentence: string): boolean {
  return sentence.split(/\s+/, MIN_WORDS).length === MIN_WORDS ||
    sentence.length >= MIN_UNSPACED && isBeyondAscii(sentence) && unspaced().test(sentence);
}

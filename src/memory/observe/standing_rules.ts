/** Rules that a person lays down in a prompt for all that comes: "from now on use pnpm", "never edit src/gen". */
import { isBeyondAscii, scriptPattern } from "../../letters.ts";
import { shortened } from "../text.ts";
import { ownSentences } from "./own_words.ts";
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
  /^(?:[-*•>\d.)\s]|пожалуйста,?\s|(?:ok(?:ay)?|and|also|so|but|please|note|important|btw|by the way|one more thing|actually|instead(?=,)|oh|hey|yes|yep|great|good|perfect|cool|nice|thanks|thank you|no(?=[,.!])|no wait|sorry|(?:scrap|forget|drop|undo|never mind) (?:that|this|it)|und|auch|bitte|wichtig|s['’]il (?:te|vous) pla[iî]t|por favor)\b[,:!;]?(?=\s|$))+/i;
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

function isRule(sentence: string): boolean {
  return saysRule(sentence.slice(0, MAX_CHARS).replace(PLEASE, ""));
}

function isLongEnough(sentence: string): boolean {
  return sentence.split(/\s+/, MIN_WORDS).length === MIN_WORDS ||
    sentence.length >= MIN_UNSPACED && isBeyondAscii(sentence) && unspaced().test(sentence);
}

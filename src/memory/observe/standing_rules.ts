/** Sentences of a prompt that hold for all that comes: "from now on use pnpm", "never edit src/gen". */
import { shortened } from "../text.ts";

/** How a sentence begins that is a rule. */
interface RuleForm {
  readonly name: string;
  readonly pattern: RegExp;
  readonly example: string;
  /** A sentence that begins much like it and is no rule. */
  readonly counterexample: string;
}

/** Only the beginning counts: what a rule says behind it is quoted, and not read. */
export const RULE_FORMS: readonly RuleForm[] = [
  {
    name: "always",
    pattern: /^always\s/i,
    example: "Always run the linter before a commit.",
    counterexample: "The upload always fails on Mondays.",
  },
  {
    name: "never",
    pattern: /^never\s(?!(?:mind|seen|heard|had|been|happened|worked)\b)/i,
    example: "Never edit src/gen by hand.",
    counterexample: "Never mind the cache, look at the upload.",
  },
  {
    name: "from now on",
    pattern: /^from now on\b/i,
    example: "From now on use pnpm instead of npm.",
    counterexample: "What do we use from now on?",
  },
  {
    name: "remember",
    pattern: /^remember\s?:/i,
    example: "Remember: the tests need the service on port 5433.",
    counterexample: "Remember the bug of last week, it is back.",
  },
];

/** What is said behind so many characters is rather pasted than typed. */
const MAX_LOOKED_AT = 4_000;
const MAX_RULES = 3;
const MIN_WORDS = 3;
const MAX_CHARS = 240;
/** Code between fences and lines that quote somebody are not said by the person. */
const NOT_OWN = /^ *```[\s\S]*?(?:^ *```|(?![\s\S]))|^ *>.*$/gm;
const SENTENCE_END = /(?<=[.!?]["”»]?)\s+|\n+/;
/** What may stand before a rule: the mark of a list, and `please`. */
const BEFORE = /^(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:please,?\s+)?/i;

/** The rules in a prompt, as they were said, at most three. A question is none. */
export function standingRules(prompt: string): string[] {
  const sentences = prompt.slice(0, MAX_LOOKED_AT).replace(NOT_OWN, "\n").split(SENTENCE_END);
  const rules = sentences.map((sentence) => sentence.trim().replace(BEFORE, "")).filter(isRule);
  return [...new Set(rules)].slice(0, MAX_RULES).map((rule) => shortened(rule, MAX_CHARS));
}

function isRule(sentence: string): boolean {
  return !/[?:]$/.test(sentence) && sentence.split(/\s+/).length >= MIN_WORDS &&
    RULE_FORMS.some(({ pattern }) => pattern.test(sentence));
}

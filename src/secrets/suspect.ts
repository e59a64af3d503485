/** What may be a secret, by looks alone. Masking never goes by this; it is asked before a row leaves the machine. */
import ROWS from "./suspicions.json" with { type: "json" };

/** A form that secrets have, and other things now and then. */
export interface Suspicion {
  readonly name: string;
  /** Global. Its first group, or the whole match, is what may be a secret. */
  readonly pattern: RegExp;
  readonly validate: (found: string) => boolean;
  /** A text with such a word in it, and a similar one without. */
  readonly example: string;
  readonly counterexample: string;
}

/** Named digests, as lock files have them, and ids of Claude's interface. */
const NAMED = /^(?:(?:sha\d+|md5|integrity)[-=]|\w?(?:toolu|msg|req|call|srvtoolu)_)/i;
/** Letters and digits as chance throws them: in both cases, with several digits, and no part that could be a word. */
const RANDOM = /^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){3})(?!.*[a-z]{6})(?!.*[A-Z]{6})/;
/** Letters of both cases and a digit, without a longer word in small letters. */
const MIXED = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*[a-z]{6})/;
/** Digits and letters of hexadecimal numbers. */
const HEX = /^(?=.*\d)(?=.*[a-f])[\da-f]+$/i;

/** How a word of a row has to look. */
const LOOKS: Readonly<Record<string, (word: string) => boolean>> = {
  random: (word) => RANDOM.test(word) && !NAMED.test(word),
  mixed: (word) => MIXED.test(word),
  drawn: (word) => HEX.test(word) || MIXED.test(word),
};

/** Stands for `<digits>` in examples, so that no scanner takes the table for a leak. */
const DIGITS = "9f86d081884c7d659a2feaa0c55ad015";

export const SUSPICIONS: readonly Suspicion[] = ROWS.map((row) => {
  const { name, pattern, looks = "", ignoresCase = false, example, counterexample } = row;
  const put = (text: string) => text.replaceAll("<digits>", DIGITS);
  return {
    name,
    pattern: new RegExp(pattern, ignoresCase ? "gi" : "g"),
    validate: LOOKS[looks] ?? (() => true),
    example: put(example),
    counterexample: put(counterexample),
  };
});

/** The beginning of a word that may be a secret; null when there is none. */
export function suspectedSecret(text: string): string | null {
  for (const { pattern, validate } of SUSPICIONS) {
    for (const found of text.matchAll(pattern)) {
      const word = found[1] ?? found[0];
      if (validate(word)) return word.slice(0, 4);
    }
  }
  return null;
}

/** Finds what looks like a secret. Masking does not use this; a push to a team asks it before a row leaves the machine. */
import ROWS from "./suspicions.json" with { type: "json" };

/** A form of secrets that harmless text sometimes has, too. */
export interface Suspicion {
  readonly name: string;
  /** Has the flag `g`. Its first group, else the whole match, is the suspect. */
  readonly pattern: RegExp;
  readonly validate: (found: string) => boolean;
  /** A text that the pattern finds something in, and a similar text in which it finds nothing. */
  readonly example: string;
  readonly counterexample: string;
}

/** Digests with a name before them (lock files) and ids of Claude's API: never suspicious. */
const KNOWN_IDS = /^(?:(?:sha\d+|md5|integrity)[-=]|\w?(?:toolu|msg|req|call|srvtoolu)_)/i;
/** Letters of both cases, at least three digits, and no six letters of one case in a row. */
const RANDOM = /^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){3})(?!.*[a-z]{6})(?!.*[A-Z]{6})/;
/** Letters of both cases, a digit, and no six small letters in a row. */
const MIXED = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?!.*[a-z]{6})/;
/** Digits and letters of hexadecimal numbers. */
const HEX = /^(?=.*\d)(?=.*[a-f])[\da-f]+$/i;

/** How a suspect must look, by the `looks` of a row. */
const LOOKS: Readonly<Record<string, (word: string) => boolean>> = {
  random: (word) => RANDOM.test(word) && !KNOWN_IDS.test(word),
  mixed: (word) => MIXED.test(word),
  drawn: (word) => HEX.test(word) || MIXED.test(word),
};

/** Replaces `<digits>` in examples, so that no scanner reports the table as a leak. */
const HEX_SAMPLE = "9f86d081884c7d659a2feaa0c55ad015";

export const SUSPICIONS: readonly Suspicion[] = ROWS.map((row) => {
  const { name, pattern, looks = "", ignoresCase = false, example, counterexample } = row;
  const withSample = (text: string) => text.replaceAll("<digits>", HEX_SAMPLE);
  return {
    name,
    pattern: new RegExp(pattern, ignoresCase ? "gi" : "g"),
    validate: LOOKS[looks] ?? (() => true),
    example: withSample(example),
    counterexample: withSample(counterexample),
  };
});

/** Returns the first four characters of the first suspected secret in a text, or null. */
export function suspectedSecret(text: string): string | null {
  for (const { pattern, validate } of SUSPICIONS) {
    for (const found of text.matchAll(pattern)) {
      const word = found[1] ?? found[0];
      if (validate(word)) return word.slice(0, 4);
    }
  }
  return null;
}

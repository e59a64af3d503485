/** What may be a secret, by looks alone. Masking never goes by this; it is asked before a row leaves the machine. */
/** A form that secrets have, and other things now and then. */
export interface Suspicion {
  readonly name: string;
  /** Global. Its first group, or the whole match, is what may be a secret. */
  readonly pattern: RegExp;
  readonly validate?: (found: string) => boolean;
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
const HEX = /^[\da-f]+$/i;

const isMixed = (word: string) => MIXED.test(word);

const DIGITS = "9f86d081884c7d659a2feaa0c55ad015";

export const SUSPICIONS: readonly Suspicion[] = [
  {
    name: "random word",
    pattern: /[A-Za-z0-9+_=-]{24,512}/g,
    validate: (word) => RANDOM.test(word) && !NAMED.test(word),
    example: "it is x7Kp2mQ9vR4tZ8wN3bL6yH1c",
    counterexample: "readSharedObservation2Of3Rows4",
  },
  {
    // As keys of AWS have them, with slashes.
    name: "forty characters",
    pattern: /(?<![\w+/=.-])[A-Za-z\d+/]{40}(?![\w+/=-]|\.\w)/g,
    validate: isMixed,
    example: "aws: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    counterexample: "src/operations/Verbs/Team2/Rows/Columns1",
  },
  {
    // Sums of files and images are of the same length, and are called so, or stand before the file.
    name: "hexadecimal key",
    pattern:
      /(?<!(?:sha-?\d*|digest|checksum|sum|hash|integrity|fingerprint|commit|image|container|etag)\W{0,4}(?:is |of |id )?\W{0,4})(?<![\da-z])(?:[\da-f]{128}|[\da-f]{96}|[\da-f]{64})(?![\da-z]| [ *][\w./])/gi,
    example: `the master is ${DIGITS.repeat(2)}`,
    counterexample: `sha256:${DIGITS.repeat(2)}`,
  },
  {
    name: "word after a key's name",
    pattern:
      /(?:key|secret|token|seed|credential|master|private)s?[\\"'`]{0,4}(?: {0,3}(?:=>|[:=]|is)| ) {0,3}[\\"'`]{0,4}([A-Za-z\d+/]{32,512})={0,2}(?![\w+/-])/gi,
    validate: (word) => HEX.test(word) ? /\d/.test(word) && /[a-f]/i.test(word) : isMixed(word),
    example: `key=${DIGITS}`,
    counterexample: "key: theNameOfTheColumnThatTheRowsAreSortedBy",
  },
  {
    name: "beginning of a private key",
    pattern: /BEGIN [A-Z ]{0,20}PRIVATE KEY-{4,5}[\s\\rn]{0,6}([A-Za-z\d+/]{8})/g,
    example: "-----BEGIN PRIVATE KEY-----MIIEvQIBADANBg",
    counterexample: '"-----BEGIN PRIVATE KEY-----"',
  },
];

/** The beginning of a word that may be a secret; null when there is none. */
export function suspectedSecret(text: string): string | null {
  for (const { pattern, validate = () => true } of SUSPICIONS) {
    for (const found of text.matchAll(pattern)) {
      const word = found[1] ?? found[0];
      if (validate(word)) return word.slice(0, 4);
    }
  }
  return null;
}

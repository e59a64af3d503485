/** Finds words that look like secrets. Masking never uses this check; it runs before a row leaves the machine. */
/** A form that secrets have, and sometimes other words. */
export interface Suspicion {
  readonly name: string;
  /** Global. The first group, or else the whole match, may be a secret. */
  readonly pattern: RegExp;
  readonly validate?: (found: string) => boolean;
  /** A text that the form finds, and a similar one that it does not. */
  readonly example: string;
  readonly counterexample: string;
}

/** Digests with their name, as in lock files, and ids of Claude's interface. */
const NAMED = /^(?:(?:sha\d+|md5|integrity)[-=]|\w?(?:toolu|msg|req|call|srvtoolu)_)/i;
/** Random letters and digits: both cases, at least three digits, and no six letters of one case in a row. */
const RANDOM = /^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){3})(?!.*[a-z]{6})(?!.*[A-Z]{6})/;
/** Letters of both cases and a digit, without six small letters in a row. */
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
    // Keys of AWS have this form, with slashes.
    name: "forty characters",
    pattern: /(?<![\w+/=.-])[A-Za-z\d+/]{40}(?![\w+/=-]|\.\w)/g,
    validate: isMixed,
    example: "aws: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    counterexample: "src/operations/Verbs/Team2/Rows/Columns1",
  },
  {
    // Checksums have the same length, but a word like `sha256` comes before them or a file's name after them.
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

/** Returns the first four characters of the first suspected secret, or null. */
export function suspectedSecret(text: string): string | null {
  for (const { pattern, validate = () => true } of SUSPICIONS) {
    for (const found of text.matchAll(pattern)) {
      const word = found[1] ?? found[0];
      if (validate(word)) return word.slice(0, 4);
    }
  }
  return null;
}

/** A pattern for letters and digits: a cheap form for ASCII texts, and one for texts of any script. */
export type LetterPattern = Readonly<{ ascii: RegExp; any: () => RegExp }>;

export const LETTER: LetterPattern = {
  ascii: /[A-Za-z]/,
  any: scriptPattern(String.raw`\p{L}`, "u"),
};

/** Matches a row of letters and digits. */
export const WORD: LetterPattern = {
  ascii: /[A-Za-z\d]+/g,
  any: scriptPattern(String.raw`[\p{L}\p{N}]+`, "gu"),
};

export const LETTER_OR_DIGIT: LetterPattern = {
  ascii: /[A-Za-z\d]/,
  any: scriptPattern(String.raw`[\p{L}\p{N}]`, "u"),
};

const NOT_ASCII = /[^\0-\x7f]/;

export function isBeyondAscii(text: string): boolean {
  return NOT_ASCII.test(text);
}

/** Returns the form of a pattern that a text needs. */
export function patternFor({ ascii, any }: LetterPattern, text: string): RegExp {
  return isBeyondAscii(text) ? any() : ascii;
}

/** Tells whether a text has a match anywhere. The pattern must not have the flag `g`, which keeps a position. */
export function occursIn(pattern: LetterPattern, text: string): boolean {
  return patternFor(pattern, text).test(text);
}

/**
 * Makes a pattern with classes of all scripts (`\p{L}`) that is compiled at its first use. V8 compiles a literal when
 * it reads the file, which costs every process 0.1 to 0.5 ms a literal. @param source The text from `String.raw`.
 */
export function scriptPattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => made ??= new RegExp(source, flags);
}

/**
 * A pattern over letters and digits, for any text and for one of ASCII: the classes of all scripts take a process that has
 * just begun half a millisecond for each pattern.
 */
export interface LetterPattern {
  readonly ascii: RegExp;
  readonly any: RegExp;
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Whether there is a character in a text that ASCII has not. */
export function isBeyondAscii(text: string): boolean {
  return NOT_ASCII.test(text);
}

/** The form of a pattern that a text needs. */
export function patternFor({ ascii, any }: LetterPattern, text: string): RegExp {
  return isBeyondAscii(text) ? any : ascii;
}

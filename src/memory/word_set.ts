/** The words of a text, between which blanks and line breaks stand: tables of words are easier to read so. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

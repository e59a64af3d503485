import { editDistance } from "../likeness.ts";

/** Letters that a word needs for each typo that is forgiven. */
const LETTERS_A_SLIP = 3;
const MAX_SLIPS = 2;
/** The shortest beginning that stands for a whole word. */
const MIN_BEGINNING = 2;

/**
 * The words that a mistyped one may stand for: those that it begins, those of the same letters, those with one or two
 * typos. @returns Only the nearest; several when they are equally near.
 */
export function nearestWords(typed: string, known: readonly string[]): string[] {
  const word = typed.toLowerCase();
  const near = known.map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ name, slips }) =>
      slips <= MAX_SLIPS && slips * LETTERS_A_SLIP <= Math.max(word.length, name.length)
    );
  const least = Math.min(...near.map(({ slips }) => slips));
  return near.filter(({ slips }) => slips === least).map(({ name }) => name);
}

function slipsBetween(word: string, name: string): number {
  if (word.length >= MIN_BEGINNING && name.startsWith(word)) return 0;
  return lettersOf(word) === lettersOf(name) ? 1 : editDistance(word, name);
}

function lettersOf(word: string): string {
  return [...word].sort().join("");
}

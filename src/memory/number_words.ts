/** Words that count things, and what each comes to. */

/** From two on, by their language. */
const WORDS = {
  english: "two three four five six seven eight nine ten eleven twelve",
  german: "zwei drei vier fünf sechs",
  spanish: "dos tres cuatro cinco seis",
  french: "deux trois quatre cinq six",
  italian: "due tre quattro cinque sei",
} as const;

/** A language whose words for numbers are known. `due` is a number only where Italian may stand. */
export type CountingLanguage = keyof typeof WORDS;

const COUNTS: ReadonlyMap<string, number> = new Map([
  ...Object.values(WORDS).flatMap((words) =>
    words.split(" ").map((word, index) => [word, index + 2] as const)
  ),
  ...["both", "beide", "beides"].map((word) => [word, 2] as const),
]);

/** The words of some languages; of all where none is named. */
export function numberWords(...languages: readonly CountingLanguage[]): string[] {
  const wanted = languages.length === 0 ? Object.values(WORDS) : languages.map((one) => WORDS[one]);
  return wanted.flatMap((words) => words.split(" "));
}

/** The same for a pattern, between bars: `two|three|…`. */
export function numberPattern(...languages: readonly CountingLanguage[]): string {
  return numberWords(...languages).join("|");
}

/** What a word, in small letters, or digits come to: 2 for `two`, `both` and `2`. NaN where they are no number. */
export function countOf(word: string): number {
  return COUNTS.get(word) ?? Number(word);
}

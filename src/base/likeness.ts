/** Compares values and texts. */

/** Tells whether two values of JSON or YAML are equal; the order of keys does not count. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

/** Returns the Levenshtein distance: how many inserted, removed or replaced letters turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** How many letters a word needs for each accepted typo. */
const LETTERS_A_TYPO = 3;
const MAX_TYPOS = 2;
/** The shortest beginning that stands for a whole word. */
const MIN_BEGINNING = 2;

/**
 * Finds the known words that a person may have meant: words that begin with the typed one, words with the same letters,
 * and words with one or two typos. @returns Only the nearest; several when they are equally near.
 */
export function nearestWords(typed: string, known: readonly string[]): string[] {
  const word = typed.toLowerCase();
  const near = known.map((name) => ({ name, typos: typosBetween(word, name.toLowerCase()) }))
    .filter(({ name, typos }) =>
      typos <= MAX_TYPOS && typos * LETTERS_A_TYPO <= Math.max(word.length, name.length)
    );
  const least = Math.min(...near.map(({ typos }) => typos));
  return near.filter(({ typos }) => typos === least).map(({ name }) => name);
}

function typosBetween(word: string, name: string): number {
  if (word.length >= MIN_BEGINNING && name.startsWith(word)) return 0;
  return lettersOf(word) === lettersOf(name) ? 1 : editDistance(word, name);
}

function lettersOf(word: string): string {
  return [...word].sort().join("");
}

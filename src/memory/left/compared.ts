/** How much some words have in common with others. */

type Words = ReadonlySet<string>;

/** Of so many words all have to be there; of more most. */
const FEW = 3;
const MOST = 0.6;
const ENOUGH = 5;

/** The words with a digit. */
export function numbersOf(words: Words): Words {
  return new Set([...words].filter((word) => /\d/.test(word)));
}

/** Whether both are of something with a number, and of none that is the same. */
export function areApart(one: Words, other: Words): boolean {
  return one.size > 0 && other.size > 0 && one.isDisjointFrom(other);
}

/** Whether some words are of what others are about. @param options `isNear`: more than half of them are enough. */
export function speakOf(
  about: Words,
  words: Words,
  { isNear = false }: { readonly isNear?: boolean } = {},
): boolean {
  const { size } = about;
  const most = size <= FEW ? size : Math.max(FEW, Math.ceil(size * MOST));
  const wanted = Math.min(isNear ? Math.floor(size / 2) + 1 : most, ENOUGH);
  return size > 0 && sharedOf(about, words) >= wanted;
}

/** How many words two have in common. */
export function sharedOf(about: Words, words: Words): number {
  let shared = 0;
  for (const word of about) if (words.has(word)) shared++;
  return shared;
}

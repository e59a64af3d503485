/** Which key may have been meant by one that does not exist. */

/** Edits between two names that still count as a slip of the keyboard. */
const MAX_DISTANCE = 3;
const MAX_SUGGESTIONS = 3;

/**
 * The keys that an unknown one may stand for, nearest first: those that are spelled almost alike in the same section,
 * then those of the same name in other sections. Upper and lower case do not matter.
 *
 * @param unknown The dotted name that does not exist: `capture.exlude`.
 * @param known All dotted names, sections among them.
 * @returns At most three dotted names; empty when nothing is near.
 */
export function suggestKeys(unknown: string, known: readonly string[]): string[] {
  const section = sectionOf(unknown);
  const name = nameOf(unknown).toLowerCase();
  const near = known
    .filter((key) => sectionOf(key) === section)
    .map((key) => ({ key, distance: editDistance(name, nameOf(key).toLowerCase()) }))
    // A name whose every letter had to change is no slip.
    .filter(({ key, distance }) => distance <= MAX_DISTANCE && distance < nameOf(key).length)
    .sort((a, b) => a.distance - b.distance)
    .map(({ key }) => key);
  const elsewhere = known.filter((key) =>
    sectionOf(key) !== section && nameOf(key).toLowerCase() === name
  );
  return [...near, ...elsewhere].slice(0, MAX_SUGGESTIONS);
}

/** How many letters must be put in, taken out or replaced to turn one text into the other (Levenshtein). */
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

function sectionOf(key: string): string {
  return key.slice(0, Math.max(key.lastIndexOf("."), 0));
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

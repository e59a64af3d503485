/** Writes and adds up counts. */

/** Writes a number with its noun: `1 problem`, `2 problems`, `3 boxes`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function sumOf<Name extends string>(counts: Readonly<Record<Name, number>>): number {
  return Object.values<number>(counts).reduce((sum, n) => sum + n, 0);
}

/** Adds counts to others by name; a count of 0 adds no name. */
export function addCounts(
  sum: Record<string, number>,
  counts: Readonly<Record<string, number>>,
): void {
  for (const [name, n] of Object.entries(counts)) if (n > 0) sum[name] = (sum[name] ?? 0) + n;
}

/** Writes and adds up counts. */

/** Writes a number with its noun: `1 problem`, `2 problems`, `3 boxes`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function sumOf<Name extends string>(counts: Readonly<Record<Name, number>>): number {
  return Object.values<number>(counts).reduce((sum, n) => sum + n, 0);
}

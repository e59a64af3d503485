/** How many there are of something, in words: `1 problem`, `2 problems`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

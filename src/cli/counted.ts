/** A noun for one and for many: `["task", "tasks"]`. */
export type Noun = readonly [one: string, many: string];

/** A number with its noun: `1 task`, `2 tasks`. */
export function counted(n: number, [one, many]: Noun): string {
  return `${n} ${n === 1 ? one : many}`;
}

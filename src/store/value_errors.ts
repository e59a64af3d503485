/** SQLite's codes for what is wrong with a statement or a value, not with the database (https://sqlite.org/rescode.html). */
const OF_VALUES: ReadonlySet<number> = new Set([1, 18, 19, 20]);

/** Whether an error is about what is written. Any other would meet whatever is written after it, too. */
export function isOfValues(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  if (typeof errcode === "number") return OF_VALUES.has(errcode & 0xff);
  return thrown instanceof TypeError || thrown instanceof RangeError ||
    thrown instanceof SyntaxError;
}

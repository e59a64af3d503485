/** What stands at one place of a text, asked of sticky patterns. */

/** Where a match of a sticky pattern that starts here ends, or -1. */
export function endAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The match of a sticky pattern that starts here. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

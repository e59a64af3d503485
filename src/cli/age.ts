import { daysMs } from "../time.ts";

/** Days of a unit. */
const UNIT_DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30 };

/**
 * Reads an age: `30d`, `2w`, or `3m`, months of 30 days.
 *
 * @returns Milliseconds. @throws {SyntaxError} When the text is none.
 */
export function parseAge(text: string): number {
  const [, number, unit] = /^(\d{1,5})([dwm])$/.exec(text.trim()) ?? [];
  if (number === undefined) {
    throw new SyntaxError(`expected an age such as 30d, 2w or 3m (months), got "${text}"`);
  }
  return daysMs(Number(number) * UNIT_DAYS[unit!]!);
}

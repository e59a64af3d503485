const SECOND_MS = 1000;

/** Units of an age, in milliseconds. */
const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
};

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Reads a point in time: an age (`30s`, `15m`, `2h`, `3d`, `1w` before now) or a date of ISO 8601 (`2026-11-20`,
 * `2026-11-20T08:30`, `2026-11-20T08:30:00Z`). Without a zone it is the time of this machine, a date alone its
 * midnight.
 *
 * @param nowMs Epoch milliseconds. @returns Epoch milliseconds, 0 or more.
 * @throws {SyntaxError} When the text is neither.
 */
export function parseSince(text: string, nowMs: number): number {
  const trimmed = text.trim();
  const age = /^(\d{1,9})([smhdw])$/.exec(trimmed);
  if (age !== null) return Math.max(0, nowMs - Number(age[1]) * UNITS[age[2]!]!);
  const date = DATE.exec(trimmed);
  // JavaScript takes a date alone for one in UTC, and lets February have 31 days.
  const isRealDay = date !== null && Number(date[3]) >= 1 &&
    Number(date[3]) <= new Date(Date.UTC(Number(date[1]), Number(date[2]), 0)).getUTCDate();
  const ms = isRealDay
    ? Date.parse(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(" ", "T"))
    : NaN;
  if (Number.isNaN(ms)) {
    throw new SyntaxError(
      `expected an age such as 2h or 3d, or a date such as 2026-11-20 or 2026-11-20T08:30, got "${text}"`,
    );
  }
  return Math.max(0, ms);
}

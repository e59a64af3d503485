const SECOND_MS = 1000;

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
  w: 7 * 86_400 * SECOND_MS,
};

/** Matches an age: `2h`, or several units, each once and the largest first: `1h30m`. */
const AGE = /^(?=\d)(?:\d{1,9}w)?(?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,9}s)?$/;

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const DAY_MS = UNITS["d"]!;
/** Matches an age in words: `2 hours ago`. */
const SPOKEN_AGE = /^(\d{1,3}|an?) (second|minute|hour|day|week)s?(?: ago)?$/i;
/** Matches a period of the calendar: `last week`. */
const PERIOD = /^(this|last|previous) (week|month|year)$/i;

/**
 * Reads a point in time: an age (`30s`, `15m`, `1h30m`, `3d`, `1w` before now), `now`, a date of ISO 8601 (`2026-11-20`,
 * `2026-11-20T08:30`, `2026-11-20T08:30:00Z`), or what a question may say of a time: `yesterday`, `monday`, `last week`,
 * `18.11.2025`, `2026-11`. A text without a zone is in this machine's; a day, week or month means its first midnight.
 *
 * @param nowMs Epoch milliseconds. @param options `isExact`: refuses what only comes near a time: `two weeks ago`.
 * @returns Epoch milliseconds, 0 or more. @throws {SyntaxError} When the text is no such time, or may mean two days.
 */
export async function parseSince(
  text: string,
  nowMs: number,
  { isExact = false } = {},
): Promise<number> {
  const trimmed = text.trim();
  if (/^now$/i.test(trimmed)) return nowMs;
  const age = trimmed.replace(
    SPOKEN_AGE,
    (_, n: string, unit: string) => `${/\d/.test(n) ? n : 1}${unit[0]!.toLowerCase()}`,
  );
  if (AGE.test(age)) {
    const parts = Array.from(age.matchAll(/(\d+)([smhdw])/g));
    const ageMs = parts.reduce((sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!, 0);
    return Math.max(0, nowMs - ageMs);
  }
  const [, which, period] = PERIOD.exec(trimmed) ?? [];
  if (period !== undefined) return startOfPeriod(period.toLowerCase(), nowMs, which!);
  const date = DATE.exec(trimmed);
  // JavaScript takes a date alone for one in UTC, and lets February have 31 days.
  const isRealDay = date !== null && Number(date[3]) >= 1 &&
    Number(date[3]) <= new Date(Date.UTC(Number(date[1]), Number(date[2]), 0)).getUTCDate();
  const ms = isRealDay
    ? Date.parse(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(" ", "T"))
    : NaN;
  if (!Number.isNaN(ms)) return Math.max(0, ms);
  const spoken = date === null
    ? await spokenStart(trimmed.toLowerCase(), { nowMs, isExact })
    : null;
  if (spoken !== null) return Math.max(0, spoken);
  throw new SyntaxError(
    "expected an age such as 2h or 3d, a date such as 2026-11-20 or 2026-11-20T08:30, " +
      `or a day such as yesterday, got "${text}"`,
  );
}

/** Returns the first midnight of this or the last week (from Monday on), month or year, on this machine. */
function startOfPeriod(period: string, nowMs: number, which: string): number {
  const now = new Date(nowMs);
  const back = which.toLowerCase() === "this" ? 0 : 1;
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  if (period === "year") return new Date(year - back, 0).getTime();
  if (period === "month") return new Date(year, month - back).getTime();
  return new Date(year, month, day - (now.getDay() + 6) % 7 - 7 * back).getTime();
}

/** Returns the start of the time that the whole text names; null if it names none, a future one, or maybe two. */
async function spokenStart(
  text: string,
  { nowMs, isExact }: { readonly nowMs: number; readonly isExact: boolean },
): Promise<number | null> {
  const { spokenTime } = await import("./spoken_time.ts");
  // `spokenTime()` returns days of UTC, so this machine's clock is shifted to UTC for it.
  const shiftedMs = nowMs - new Date(nowMs).getTimezoneOffset() * 60 * SECOND_MS;
  for (const lead of ["", "in ", "on "]) {
    const words = text.replace(/^(?:in|on) /, "");
    const saysSomething = /[a-z]{3}|\d{4}|[^\0-\x7f]/.test(text);
    const spoken = saysSomething ? spokenTime(lead + words, shiftedMs) : null;
    if (spoken === null || spoken.words !== words && spoken.words !== lead + words) continue;
    const { fromMs, untilMs, isRelative, isAmbiguous } = spoken;
    if (isAmbiguous || fromMs > shiftedMs) return null;
    if (isExact && isRelative && untilMs - fromMs > DAY_MS) return null;
    return new Date(`${new Date(fromMs).toISOString().slice(0, 10)}T00:00`).getTime();
  }
  return null;
}

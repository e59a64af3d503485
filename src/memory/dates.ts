/** The time that a question speaks of. */

/** From a moment, inclusive, to another, exclusive; in epoch milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;
const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  couple: 2,
  few: 3,
};
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };
const MONTH = `(${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")})\\.?`;

/** A way to speak of a time: what it looks like, and what it means. */
interface Wording {
  readonly pattern: RegExp;
  readonly span: (found: RegExpExecArray, nowMs: number) => TimeSpan | null;
}

const WORDINGS: readonly Wording[] = [
  // 2026-03-04, 2026/3/4
  {
    pattern: /\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b/,
    span: ([, year, month, day]) => dayOf(Number(year), Number(month) - 1, Number(day)),
  },
  // March 4th, 2026 / March 4
  {
    pattern: new RegExp(`\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})\\b)?`),
    span: ([, month, day, year], nowMs) => inYear(monthOf(month!), Number(day), year, nowMs),
  },
  // 4 March 2026 / the 4th of March
  {
    pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${MONTH}\\b(?:,? (\\d{4})\\b)?`),
    span: ([, day, month, year], nowMs) => inYear(monthOf(month!), Number(day), year, nowMs),
  },
  // 2026-03, March 2026, in March
  {
    pattern: /\b(\d{4})-(\d{2})\b/,
    span: ([, year, month]) => monthSpan(Number(year), Number(month) - 1),
  },
  {
    pattern: new RegExp(`\\b${MONTH} (\\d{4})\\b`),
    span: ([, month, year]) => monthSpan(Number(year), monthOf(month!)),
  },
  {
    pattern: new RegExp(`\\b(?:in|during|since|last) ${MONTH}(?![\\w-])`),
    span: ([, month], nowMs) => {
      const now = new Date(nowMs);
      const index = monthOf(month!);
      const year = now.getUTCFullYear() - (index > now.getUTCMonth() ? 1 : 0);
      return monthSpan(year, index);
    },
  },
  { pattern: /\bday before yesterday\b/, span: (_, nowMs) => daysBefore(nowMs, 2) },
  { pattern: /\byesterday\b/, span: (_, nowMs) => daysBefore(nowMs, 1) },
  {
    pattern: /\b(?:today|this (?:morning|afternoon|evening))\b/,
    span: (_, nowMs) => daysBefore(nowMs, 0),
  },
  {
    pattern: new RegExp(`\\b(?:last |on |this )(${WEEKDAYS.join("|")})\\b`),
    span: ([, name], nowMs) => {
      const back = (new Date(nowMs).getUTCDay() - WEEKDAYS.indexOf(name!) + 7) % 7 || 7;
      return daysBefore(nowMs, back);
    },
  },
  {
    pattern:
      /\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|couple of|few) (day|week|month|year)s? ago\b/,
    span: ([, count, unit], nowMs) =>
      around(nowMs, numberOf(count!) * UNIT_DAYS[unit!]!, UNIT_DAYS[unit!]!),
  },
  {
    pattern: /\blast (week|month|year)\b/,
    span: ([, unit], nowMs) => around(nowMs, UNIT_DAYS[unit!]!, UNIT_DAYS[unit!]!),
  },
  {
    pattern:
      /\b(?:past|last) (\d{1,3}|two|three|four|five|six|seven|few|couple of) (day|week|month)s\b/,
    span: ([, count, unit], nowMs) => ({
      fromMs: startOfDay(nowMs) - numberOf(count!) * UNIT_DAYS[unit!]! * DAY_MS,
      untilMs: nowMs + 1,
    }),
  },
  {
    pattern: /\bthis week\b/,
    span: (_, nowMs) => ({ fromMs: startOfDay(nowMs) - 6 * DAY_MS, untilMs: nowMs + 1 }),
  },
];

/**
 * The time that a text speaks of, in days of UTC, widened by half a day on either side since nobody says which zone is
 * meant; null when it speaks of none.
 */
export function spokenTime(text: string, nowMs: number): TimeSpan | null {
  const lower = text.toLowerCase();
  for (const { pattern, span } of WORDINGS) {
    const found = pattern.exec(lower);
    const spoken = found === null ? null : span(found, nowMs);
    if (spoken !== null) {
      return { fromMs: spoken.fromMs - DAY_MS / 2, untilMs: spoken.untilMs + DAY_MS / 2 };
    }
  }
  return null;
}

function dayOf(year: number, month: number, day: number): TimeSpan | null {
  if (month < 0 || month > 11 || day < 1 || day > 31) return null;
  const fromMs = Date.UTC(year, month, day);
  return { fromMs, untilMs: fromMs + DAY_MS };
}

/** A day of a year that may not be told: then the last one that has passed. */
function inYear(
  month: number,
  day: number,
  year: string | undefined,
  nowMs: number,
): TimeSpan | null {
  if (year !== undefined) return dayOf(Number(year), month, day);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const span = dayOf(thisYear, month, day);
  return span !== null && span.fromMs > nowMs ? dayOf(thisYear - 1, month, day) : span;
}

function monthSpan(year: number, month: number): TimeSpan | null {
  if (month < 0 || month > 11) return null;
  return { fromMs: Date.UTC(year, month, 1), untilMs: Date.UTC(year, month + 1, 1) };
}

function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.startsWith(name.slice(0, 3)));
}

function numberOf(word: string): number {
  return NUMBERS[word.split(" ", 1)[0]!] ?? Number(word);
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

function daysBefore(nowMs: number, days: number): TimeSpan {
  const fromMs = startOfDay(nowMs) - days * DAY_MS;
  return { fromMs, untilMs: fromMs + DAY_MS };
}

/** About so many days ago: the longer ago, the less exactly it is meant. */
function around(nowMs: number, days: number, slackDays: number): TimeSpan {
  const middle = startOfDay(nowMs) - days * DAY_MS;
  return {
    fromMs: middle - (slackDays / 2) * DAY_MS,
    untilMs: middle + (slackDays / 2 + 1) * DAY_MS,
  };
}

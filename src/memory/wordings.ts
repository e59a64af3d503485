/**
 * The ways to speak of a time. Few questions speak of one, so the patterns are made when the first does: they take a
 * process that has just begun a millisecond.
 */
import {
  around,
  dayOf,
  DAYS_OF,
  daysBefore,
  inMonth,
  inYear,
  MONTH,
  monthOf,
  monthSpan,
  NUMBER,
  numberOf,
  part,
  SEASONS,
  since,
  startOfDay,
  type TimeSpan,
  WEEKDAYS,
} from "./spans.ts";

const DAY_MS = 86_400_000;

/** A way to speak of a time: what it looks like, and what it means. */
export interface Wording {
  readonly pattern: RegExp;
  readonly span: (found: RegExpExecArray, nowMs: number) => TimeSpan | null;
  /** What it means to others; null where there is no doubt. */
  readonly other?: (found: RegExpExecArray) => TimeSpan | null;
}

let days: readonly Wording[] | undefined;
let dates: readonly Wording[] | undefined;
let relative: readonly Wording[] | undefined;

/** Days by their dates; `year` is what says the year, and may be missing where a month is named. */
export function dayWordings(): readonly Wording[] {
  return days ??= [
    // 2026-03-04, 2026/3/4, and with a time of that day: 2026-03-04t10:15:00.123+01:00, in small letters as all texts here
    {
      pattern:
        /(?<![\w.-])(?<year>\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t\d\d(?::?\d\d){0,2}(?:\.\d{1,9})?(?:z|[+-]\d\d:?\d\d)?)?(?![\w-])/,
      span: ([, year, month, day]) => dayOf(Number(year), Number(month) - 1, Number(day)),
    },
    // 3/4/2026 and 3/4/26, as in America; 18/3/2026, as elsewhere
    {
      pattern: /(?<![\w./-])(\d{1,2})\/(\d{1,2})\/(?<year>20\d{2}|\d{2})(?![\w/-])/,
      span: ([, one, other, year]) => slashed(one!, other!, year!) ?? slashed(other!, one!, year!),
      other: ([, one, other, year]) =>
        one === other || slashed(one!, other!, year!) === null
          ? null
          : slashed(other!, one!, year!),
    },
    // 3-4-2026, as in America; 18-3-2026, as elsewhere
    {
      pattern: /(?<![\w./-])(\d{1,2})-(\d{1,2})-(?<year>20\d{2})(?![\w/-])/,
      span: ([, one, other, year]) => slashed(one!, other!, year!) ?? slashed(other!, one!, year!),
      other: ([, one, other, year]) =>
        one === other || slashed(one!, other!, year!) === null
          ? null
          : slashed(other!, one!, year!),
    },
    // 20260304
    {
      pattern: /(?<![\w.-])(?<year>20[1-3]\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?![\w-])/,
      span: ([, year, month, day]) => dayOf(Number(year), Number(month) - 1, Number(day)),
    },
    // 04.03.26, as in Europe; fewer digits are those of a version
    {
      pattern: /(?<![\w.-])(\d{2})\.(0\d|1[0-2])\.(?<year>[23]\d)(?![\w-]|\.\w)/,
      span: ([, day, month, year]) => slashed(month!, day!, year!),
    },
    // 4.3.2026, as in Europe
    {
      pattern: /(?<![\w.-])(\d{1,2})\. ?(\d{1,2})\. ?(?<year>20\d{2})\b/,
      span: ([, day, month, year]) => dayOf(Number(year), Number(month) - 1, Number(day)),
    },
    // 2026年3月4日
    {
      pattern: /(?:(?<year>\d{4})年)?(\d{1,2})月(\d{1,2})[日号]/,
      span: ([, year, month, day], nowMs) => inYear(Number(month) - 1, Number(day), year, nowMs),
    },
    // March 4th, 2026 / March 4
    {
      pattern: new RegExp(
        `\\b${MONTH} (\\d{1,2})(?:st|nd|rd|th)?\\b(?![:.]\\d)(?:,? (?<year>\\d{4})\\b)?`,
      ),
      span: ([, month, day, year], nowMs) => inYear(monthOf(month!), Number(day), year, nowMs),
    },
    // 4 March 2026 / 4-Mar-2026 / the 4th of March / 4. März
    {
      pattern: new RegExp(
        `\\b(\\d{1,2})(?:-|(?:st|nd|rd|th|\\.)? (?:of )?)${MONTH}(?![a-zà-ÿ])(?:(?:,? |-)(?<year>\\d{4})\\b)?`,
      ),
      span: ([, day, month, year], nowMs) => inYear(monthOf(month!), Number(day), year, nowMs),
    },
  ];
}

/** A date between slashes, the month first; a year of two digits is one of this century. */
function slashed(month: string, day: string, year: string): TimeSpan | null {
  return dayOf(Number(year) % 100 + 2000, Number(month) - 1, Number(day));
}

/** Dates, which stand in texts as well. */
export function dateWordings(): readonly Wording[] {
  return dates ??= [
    ...dayWordings(),
    // the end of March, early March 2026
    {
      pattern: new RegExp(
        `\\b(early|beginning of|start of|mid|middle of|late|end of)[ -]${MONTH}(?![a-zà-ÿ])(?: (\\d{4})\\b)?`,
      ),
      span: ([, which, month, year], nowMs) => part(inMonth(monthOf(month!), year, nowMs), which!),
    },
    // 2026-03, March 2026, in March
    {
      pattern: /(?<![\w.-])(20\d{2})-(\d{2})(?![\w-])/,
      span: ([, year, month]) => monthSpan(Number(year), Number(month) - 1),
    },
    {
      pattern: new RegExp(`\\b${MONTH} (\\d{4})\\b`),
      span: ([, month, year]) => monthSpan(Number(year), monthOf(month!)),
    },
    {
      pattern: new RegExp(
        `(?<![a-zà-ÿ])(?:in|im|en|during|last|of|back in) ${MONTH}(?![\\da-zà-ÿ-])`,
      ),
      span: ([, month], nowMs) => inMonth(monthOf(month!), undefined, nowMs),
    },
    // Q2 2026, the second quarter is not how people say it
    {
      pattern: /\bq([1-4])(?: (20\d{2}))?\b/,
      span: ([, quarter, year], nowMs) => {
        const first = inMonth((Number(quarter) - 1) * 3, year, nowMs);
        const start = new Date(first.fromMs);
        return {
          fromMs: first.fromMs,
          untilMs: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 3, 1),
        };
      },
    },
    // last summer, in the winter of 2025
    {
      pattern:
        /\b(?:last|this|in|in the|over the|during the) (spring|summer|autumn|fall|winter)(?: (?:of )?(20\d{2}))?\b/,
      span: ([, season, year], nowMs) => {
        const from = SEASONS[season!]!;
        const first = inMonth(from, year, nowMs);
        const start = new Date(first.fromMs);
        return {
          fromMs: first.fromMs,
          untilMs: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 3, 1),
        };
      },
    },
    {
      pattern: /\b(?:in|during|of) (20\d{2})\b(?![-./])/,
      span: ([, year]) => ({
        fromMs: Date.UTC(Number(year), 0, 1),
        untilMs: Date.UTC(Number(year) + 1, 0, 1),
      }),
    },
  ];
}

/** Times seen from now. */
export function relativeWordings(): readonly Wording[] {
  return relative ??= [
    {
      pattern: /\bday before yesterday\b|vorgestern|avant-hier|前天|一昨日/,
      span: (_, nowMs) => daysBefore(nowMs, 2),
    },
    {
      pattern: new RegExp(
        String
          .raw`\b(?:yesterday(?: (?:morning|afternoon|evening))?|last night|gestern|hier)\b|昨天|昨日|(?<!\p{L})(?:вчера|wczoraj|вчора)(?!\p{L})`,
        "u",
      ),
      span: (_, nowMs) => daysBefore(nowMs, 1),
    },
    {
      pattern: new RegExp(
        String
          .raw`\b(?:today|tonight|this (?:morning|afternoon|evening)|earlier today|heute|aujourd'hui)\b|今天|今日|(?<!\p{L})(?:сегодня|dzisiaj|сьогодні)(?!\p{L})`,
        "u",
      ),
      span: (_, nowMs) => daysBefore(nowMs, 0),
    },
    {
      pattern: /\b(\d{1,2}|an?|few|couple(?: of)?) (?:hour|minute)s? ago\b/,
      span: (_, nowMs) => daysBefore(nowMs, 0),
    },
    {
      pattern: new RegExp(
        `(?:\\b(?:last |on |this |past )|^\\s*)(${WEEKDAYS.join("|")})\\b`,
      ),
      span: ([, name], nowMs) => {
        const back = (new Date(nowMs).getUTCDay() - WEEKDAYS.indexOf(name!) + 7) % 7 || 7;
        return daysBefore(nowMs, back);
      },
    },
    {
      pattern: /\b(?:last|this|over the|at the|on the|past) weekend\b/,
      span: (_, nowMs) => {
        const back = (new Date(nowMs).getUTCDay() + 1) % 7 || 7;
        const saturday = daysBefore(nowMs, back);
        return { fromMs: saturday.fromMs, untilMs: saturday.untilMs + DAY_MS };
      },
    },
    {
      pattern: /\bthe other day\b/,
      span: (_, nowMs) => since(startOfDay(nowMs) - 10 * DAY_MS, nowMs),
    },
    {
      pattern: /\b(?:recently|lately)\b/,
      span: (_, nowMs) => since(startOfDay(nowMs) - 21 * DAY_MS, nowMs),
    },
    { pattern: /\bhalf a year ago\b/, span: (_, nowMs) => around(nowMs, 182, 60) },
    {
      pattern: new RegExp(
        `\\b${NUMBER}(?: and a half)? (day|week|month|year)s? (?:ago|back|earlier)\\b`,
      ),
      span: ([, count, unit], nowMs) =>
        around(nowMs, numberOf(count!) * DAYS_OF[unit!]!, DAYS_OF[unit!]!),
    },
    {
      pattern: new RegExp(`\\bvor ${NUMBER} (tag|woche|monat|jahr)(?:e?n?)\\b`),
      span: ([, count, unit], nowMs) =>
        around(nowMs, numberOf(count!) * DAYS_OF[unit!]!, DAYS_OF[unit!]!),
    },
    {
      pattern: new RegExp(`\\bil y a ${NUMBER} (jour|semaine|mois|an)s?\\b`),
      span: ([, count, unit], nowMs) =>
        around(nowMs, numberOf(count!) * DAYS_OF[unit!]!, DAYS_OF[unit!]!),
    },
    {
      pattern: new RegExp(
        `\\b(?:in |over |within )?(?:the )?(?:past|last|previous) ${NUMBER} (day|week|month|year)s?\\b`,
      ),
      span: ([, count, unit], nowMs) =>
        since(startOfDay(nowMs) - numberOf(count!) * DAYS_OF[unit!]! * DAY_MS, nowMs),
    },
    {
      pattern: /\b(?:the )?(?:last|previous) (week|month|quarter|year)\b/,
      span: ([, unit], nowMs) => around(nowMs, DAYS_OF[unit!]!, DAYS_OF[unit!]!),
    },
    {
      pattern:
        /\bletzte[nrsm]? (woche|monat|jahr)\b|\b(semaine|mois|an|année)(?: passée?| dernière?| dernier)\b|上(?:个)?(周|月)|(先週|先月)/,
      span: ([, ...units], nowMs) => {
        const days = DAYS_OF[units.find((unit) => unit !== undefined) ?? "week"] ?? 7;
        return around(nowMs, days, days);
      },
    },
    {
      pattern: /\b(?:earlier )?this (week|month|quarter|year)\b/,
      span: ([, unit], nowMs) => since(startOfDay(nowMs) - (DAYS_OF[unit!]! - 1) * DAY_MS, nowMs),
    },
  ];
}

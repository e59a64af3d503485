/** Spans of time by their names and numbers, in days of UTC. */
import { countOf, numberPattern } from "./number_words.ts";

/** From a moment, inclusive, to another, exclusive; in epoch milliseconds. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

const DAY_MS = 86_400_000;

/** How the months begin in English, German and French, each beginning enough to tell it. */
const MONTHS = [
  "jan(?:uary|uar|vier)?",
  "feb(?:ruary|ruar)?|février",
  "mar(?:ch|s)?|märz",
  "apr(?:il)?|avril",
  "may|mai",
  "june?|juni|juin",
  "july?|juli|juillet",
  "aug(?:ust)?|août",
  "sept?(?:ember|embre)?",
  "oct(?:ober|obre)?|okt(?:ober)?",
  "nov(?:ember|embre)?",
  "dec(?:ember)?|dez(?:ember)?|décembre",
];
/** Matches the name of a month, in small letters, as a group. */
export const MONTH = `(${MONTHS.join("|")})\\.?`;
/** As `Date` counts them. */
export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];
/** The month in which a season begins on the northern half, 0 for January. */
export const SEASONS: Readonly<Record<string, number>> = {
  spring: 2,
  summer: 5,
  autumn: 8,
  fall: 8,
  winter: 11,
};
/** Words for a number that is one, or that nobody has counted. */
const ABOUT: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  ein: 1,
  einer: 1,
  einem: 1,
  un: 1,
  une: 1,
  couple: 2,
  few: 3,
  several: 4,
};
/** Matches a number or a word for one, as a group. */
export const NUMBER = `(\\d{1,3}|couple of|${Object.keys(ABOUT).join("|")}|${
  numberPattern("english", "german", "french")
})`;
/** Days of the units of time. */
export const DAYS_OF: Readonly<Record<string, number>> = {
  day: 1,
  week: 7,
  month: 30,
  quarter: 91,
  year: 365,
  tag: 1,
  woche: 7,
  monat: 30,
  jahr: 365,
  jour: 1,
  semaine: 7,
  mois: 30,
  an: 365,
  année: 365,
  周: 7,
  月: 30,
  先週: 7,
  先月: 30,
};

/** A day; null when there is none of that number: `30 February`. */
export function dayOf(year: number, month: number, day: number): TimeSpan | null {
  const fromMs = Date.UTC(year, month, day);
  if (new Date(fromMs).getUTCMonth() !== month) return null;
  return { fromMs, untilMs: fromMs + DAY_MS };
}

/** A day of a year that may not be told: then the last one that has passed. */
export function inYear(
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

/** A month of a year; null when there is none of that number. */
export function monthSpan(year: number, month: number): TimeSpan | null {
  if (month < 0 || month > 11) return null;
  return { fromMs: Date.UTC(year, month, 1), untilMs: Date.UTC(year, month + 1, 1) };
}

/** A month of a year that may not be told: then the last one that has begun. */
export function inMonth(month: number, year: string | undefined, nowMs: number): TimeSpan {
  const now = new Date(nowMs);
  const last = now.getUTCFullYear() - (month > now.getUTCMonth() ? 1 : 0);
  const of = year === undefined ? last : Number(year);
  return { fromMs: Date.UTC(of, month, 1), untilMs: Date.UTC(of, month + 1, 1) };
}

/** The first, the middle or the last third of a span. */
export function part({ fromMs, untilMs }: TimeSpan, which: string): TimeSpan {
  const third = (untilMs - fromMs) / 3;
  const at = /^(?:early|beginning|start)/.test(which) ? 0 : /^mid/.test(which) ? 1 : 2;
  return { fromMs: fromMs + at * third, untilMs: fromMs + (at + 1) * third };
}

/** The number of a month by its name, 0 for January. */
export function monthOf(name: string): number {
  return MONTHS.findIndex((month) => new RegExp(`^(?:${month})$`).test(name));
}

/** What a number or a word of {@linkcode NUMBER} comes to. */
export function numberOf(word: string): number {
  const [first = ""] = word.split(" ", 1);
  return ABOUT[first] ?? countOf(first);
}

/** The beginning of a day. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** One day, so many before. */
export function daysBefore(nowMs: number, days: number): TimeSpan {
  const fromMs = startOfDay(nowMs) - days * DAY_MS;
  return { fromMs, untilMs: fromMs + DAY_MS };
}

/** From a moment until now. */
export function since(fromMs: number, nowMs: number): TimeSpan {
  return { fromMs, untilMs: nowMs + 1 };
}

/** About so many days ago: the longer ago, the less exactly it is meant. */
export function around(nowMs: number, days: number, slackDays: number): TimeSpan {
  const middle = startOfDay(nowMs) - days * DAY_MS;
  return {
    fromMs: middle - (slackDays / 2) * DAY_MS,
    untilMs: middle + (slackDays / 2 + 1) * DAY_MS,
  };
}

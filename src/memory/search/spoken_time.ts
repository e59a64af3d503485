/** Reads the time that a question names, with `chrono-node`. Loaded only by `browse`, and for texts that may name one. */
import * as german from "chrono-node/de";
import * as english from "chrono-node/en";
import * as french from "chrono-node/fr";
import * as japanese from "chrono-node/ja";
import * as chinese from "chrono-node/zh";
import type { ParsedResult } from "chrono-node";

export interface SpokenTime {
  /** From a moment, inclusive, to another, exclusive; epoch milliseconds, in days of UTC. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The words of the time, in small letters. */
  readonly words: string;
  /** Whether the time is relative to the question (`last week`): texts of that time do not hold these words. */
  readonly isRelative: boolean;
  /** Whether the words may mean another day: `3/4/2026` is in April outside of America. */
  readonly isAmbiguous: boolean;
}

const DAY_MS = 86_400_000;

/** Times that `chrono-node` does not read: a pattern over small letters, and what it means. */
const MORE_TIMES: readonly {
  readonly pattern: RegExp;
  readonly months: (
    found: RegExpExecArray,
  ) => readonly [year: number, month: number, count: number];
}[] = [
  {
    pattern: /\b(20\d\d)-(0[1-9]|1[0-2])\b(?!-)/,
    months: ([, y, m]) => [Number(y), Number(m) - 1, 1],
  },
  { pattern: /\bq([1-4]) (20\d\d)\b/, months: ([, q, y]) => [Number(y), (Number(q) - 1) * 3, 3] },
  {
    pattern: /(?<=\b(?:in|of|during|since|from) )(20\d\d)\b(?![-./\d])/,
    months: ([, y]) => [Number(y), 0, 12],
  },
];

const SHORT_MONTHS = /^(?:jan|feb|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)$/;

/** The length of the unit of a relative time, in days. */
const UNITS: readonly (readonly [word: RegExp, days: number])[] = [
  [/weekend|wochenende/, 2],
  [/week|woche|semaine|周|週/, 7],
  [/month|monat|mois|月/, 30],
  [/year|jahr|\bans?\b|année|年/, 365],
];

/**
 * Reads the first time in a text; null when there is none. Versions (`24.04.01`), fractions (`1/2`) and verbs that are names
 * of months (`march on`) are no times. A time in the future means the last one of that name.
 */
export function spokenTime(text: string, nowMs: number): SpokenTime | null {
  const lower = text.toLowerCase();
  const reference = { instant: new Date(nowMs), timezone: 0 };
  const dotted = /\b\d{1,2}\.\d{1,2}\.\d{2,4}\b/.test(lower);
  for (const language of dotted ? [german] : [english, german, french, japanese, chinese]) {
    const [found, next] = language.parse(lower, reference).filter((one) => isTime(one, lower));
    if (found !== undefined) return readTime(found, next, { lower, nowMs });
  }
  for (const { pattern, months } of MORE_TIMES) {
    const found = pattern.exec(lower);
    if (found === null) continue;
    const [year, month, count] = months(found);
    const span = { fromMs: Date.UTC(year, month), untilMs: Date.UTC(year, month + count) };
    return {
      ...span,
      untilMs: isSince(lower, found.index) ? Math.max(nowMs + 1, span.untilMs) : span.untilMs,
      words: found[0],
      isRelative: false,
      isAmbiguous: false,
    };
  }
  return null;
}

function isTime({ text, index }: ParsedResult, lower: string): boolean {
  // The words are part of a longer one: `data2`, `v1.2.3`.
  if (/[\w./-]$/.test(lower.slice(0, index)) && /^\w/.test(text)) return false;
  if (/^[\d./-]+$/.test(text)) return /\b(?:19|20)\d\d\b|^\d{1,2}\/\d{1,2}\/\d\d$/.test(text);
  // Short names of days are words of other languages: `so`, `mar`.
  if (/^[a-z]{1,3}$/.test(text) && !SHORT_MONTHS.test(text)) return false;
  // Memory holds nothing of a time to come (`in a year`).
  if (/^(?:in|within|for) (?:an?|the|\d+)\b/.test(text)) return false;
  // The name of a month by itself may be a verb.
  if (/^[a-zà-ÿ]+\.?$/.test(text) && /^(?:may|march|mars?)$/.test(text)) {
    return /\b(?:in|last|since|of|during|seit|depuis|en) $/.test(lower.slice(0, index));
  }
  return true;
}

function readTime(
  found: ParsedResult,
  next: ParsedResult | undefined,
  { lower, nowMs }: { readonly lower: string; readonly nowMs: number },
): SpokenTime {
  const words = lower.slice(found.index, found.index + found.text.length);
  const { start } = found;
  const isDated = start.isCertain("month") &&
    !/\d{1,3} ?[a-zà-ÿ]+ (?:ago|back)|^(?:vor|il y a) |前$|^last |^past |^this /.test(words) &&
    /\d|[月]/.test(words);
  const isMonth = !start.isCertain("day") && !start.isCertain("weekday") &&
    start.isCertain("month") && !/month|monat|mois/.test(words);
  const unitDays = isDated ? 1 : UNITS.find(([word]) => word.test(words))?.[1] ?? 1;
  const startMs = start.date().getTime();
  let fromMs = startOfDay(startMs);
  let untilMs = fromMs + DAY_MS;
  if (isMonth) {
    const day = new Date(startMs);
    fromMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
    untilMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1);
  } else if (found.end) {
    untilMs = startOfDay(found.end.date().getTime()) + DAY_MS;
  } else if (unitDays > 1 && /past|letzten \d|this |diese|ces? /.test(words)) {
    untilMs = nowMs + 1;
  } else if (unitDays > 1) {
    fromMs -= unitDays / 2 * DAY_MS;
    untilMs += unitDays / 2 * DAY_MS;
  }
  if (fromMs > nowMs && !start.isCertain("year")) {
    const day = new Date(fromMs);
    const back = isDated || isMonth
      ? fromMs - Date.UTC(day.getUTCFullYear() - 1, day.getUTCMonth(), day.getUTCDate())
      : 7 * DAY_MS;
    fromMs -= back;
    untilMs -= back;
  }
  if (isSince(lower, found.index)) untilMs = Math.max(nowMs + 1, untilMs);
  const between = next === undefined ? "" : lower.slice(found.index + words.length, next.index);
  if (/^ (?:and|to|until|till|through|bis|und|–|-) $/.test(between)) {
    untilMs = Math.max(untilMs, startOfDay(next!.start.date().getTime()) + DAY_MS);
  }
  const [, one, other] = /^(\d{1,2})[/-](\d{1,2})[/-]\d{2,4}$/.exec(words) ?? [];
  return {
    fromMs,
    untilMs,
    words,
    isRelative: !isDated && !isMonth,
    isAmbiguous: one !== other && Number(one) <= 12 && Number(other) <= 12,
  };
}

function isSince(lower: string, at: number): boolean {
  return /\b(?:since|after|seit|depuis)(?: the)? $/.test(lower.slice(0, at));
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** The time that a question speaks of. */
import { inMonth, MONTH, monthOf, since, type TimeSpan } from "./spans.ts";
import { dateWordings, dayWordings, relativeWordings } from "./wordings.ts";

/** A time, and how it was spoken of. */
export interface SpokenTime extends TimeSpan {
  /** The part of the text that speaks of it. */
  readonly words: string;
  /** Seen from the moment of the question (`last week`): what was said then does not have these words. */
  readonly isRelative: boolean;
  /** What the same words say to others, as `3/4/2026` in Europe; null where there is no doubt. */
  readonly other: TimeSpan | null;
}

/** By so much a spoken time is widened on either side, in milliseconds: nobody says which zone is meant. */
export const TIME_SLACK_MS = 43_200_000;

/** Without one of these there is no time in a text; most questions are done with this look. */
const ANY_TIME =
  /\d|\b(?:ago|back|last|past|previous|this|yesterday|today|tonight|earlier|recently|lately|other day|weekend|(?:sun|mon|tues|wednes|thurs|fri|satur)day|spring|summer|autumn|fall|winter|quarter|jan|feb|mar|apr|may|mai|jun|jui|jul|aug|sep|oct|okt|nov|dec|dez|f[eé]v|m[aä]r|avr|ao[uû]t|d[eé]c|vor|gestern|vorgestern|heute|letzte|hier|avant|aujourd|semaine|mois|ann[eé]e|il y a)|[年月日天周週]|вчера|вчора|сегодня|сьогодні|wczoraj|dzisiaj/;

/** Without one of these there is no whole date in a text; `2026-03-04` is one word already. */
const WHOLE_DATE =
  /\d[./] ?\d{1,2}[./] ?\d\d|\d年|[a-zà-ÿ\d][.,]{0,2} (?:19|20)\d\d(?!\d)|\d-(?:[a-z]{3,9}|\d\d?)-20\d\d|20[1-3]\d[01]\d[0-3]\d/i;

/**
 * The time that a text speaks of, in days of UTC, widened by half a day on either side since nobody says which zone is
 * meant; null when it speaks of none. "since March" and "between March 3 and March 9" are understood.
 */
export function spokenTime(text: string, nowMs: number): SpokenTime | null {
  const lower = text.toLowerCase();
  if (!ANY_TIME.test(lower)) return null;
  for (const isRelative of [false, true]) {
    for (const { pattern, span, other } of isRelative ? relativeWordings() : dateWordings()) {
      const found = pattern.exec(lower);
      const spoken = found === null ? null : span(found, nowMs);
      if (spoken === null) continue;
      const reach = reachOf(lower, { found: found!, spoken, nowMs });
      const doubted = reach === spoken ? other?.(found!) ?? null : null;
      return {
        ...widened(reach),
        words: found![0],
        isRelative,
        other: doubted === null ? null : widened(doubted),
      };
    }
  }
  return sinceMonth(lower, nowMs);
}

function widened({ fromMs, untilMs }: TimeSpan): TimeSpan {
  return { fromMs: fromMs - TIME_SLACK_MS, untilMs: untilMs + TIME_SLACK_MS };
}

/**
 * The days that a text tells by whole dates, whichever way they are written but `2026-03-04`, as that; a date that has two
 * meanings as both.
 */
export function daysSaid(text: string): string[] {
  // The first look costs less to make than the second, which every question would pay for.
  if (!/\d/.test(text) || !WHOLE_DATE.test(text)) return [];
  return wholeDates(text).flatMap(({ days }) => days);
}

/** The words with which a text says a day by its whole date, in small letters. @param day `2026-03-04`. */
export function wordsOfDay(text: string, day: string): string[] {
  return wholeDates(text).filter(({ days }) => days.includes(day)).map(({ words }) => words);
}

/** The whole dates in a text: how each is said, and the days that it may mean. */
function wholeDates(text: string): { readonly words: string; readonly days: readonly string[] }[] {
  const lower = text.toLowerCase();
  return dayWordings().flatMap(({ pattern, span, other }) =>
    [...lower.matchAll(new RegExp(pattern, "g"))]
      .filter(({ groups }) => groups?.["year"] !== undefined)
      .map((found) => ({
        words: found[0],
        days: [span(found, 0), other?.(found) ?? null]
          .flatMap((day) => day === null ? [] : isoDay(day.fromMs)),
      }))
  );
}

/** `2026-03-04`, in UTC. */
export function isoDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** A time goes on until now after "since", and until another one after "between" and "from". */
function reachOf(
  text: string,
  { found, spoken, nowMs }: {
    readonly found: RegExpExecArray;
    readonly spoken: TimeSpan;
    readonly nowMs: number;
  },
): TimeSpan {
  const before = text.slice(0, found.index);
  if (/\b(?:since|after|seit|depuis)(?: the)? $/.test(before)) {
    return { fromMs: spoken.fromMs, untilMs: Math.max(nowMs + 1, spoken.untilMs) };
  }
  if (!/\b(?:between|from|von|zwischen)(?: the)? $/.test(before)) return spoken;
  const [, rest] = /^ (?:and|to|until|till|through|bis|und|–|-) (.+)/s.exec(
    text.slice(found.index + found[0].length),
  ) ?? [];
  const end = rest === undefined ? null : dateWordings().map(({ pattern, span }) => {
    const last = pattern.exec(rest);
    return last === null || last.index > 4 ? null : span(last, nowMs);
  }).find((span) => span !== null);
  return end === null || end === undefined || end.untilMs <= spoken.fromMs
    ? spoken
    : { fromMs: spoken.fromMs, untilMs: end.untilMs };
}

/** "since March"; "before March" says too little: everything is before something. */
function sinceMonth(lower: string, nowMs: number): SpokenTime | null {
  const found = new RegExp(`(?<![a-zà-ÿ])(?:since|seit|depuis) ${MONTH}(?![\\da-zà-ÿ-])`).exec(
    lower,
  );
  if (found === null) return null;
  const { fromMs } = inMonth(monthOf(found[1]!), undefined, nowMs);
  return {
    ...since(fromMs - TIME_SLACK_MS, nowMs + TIME_SLACK_MS),
    words: found[0],
    isRelative: false,
    other: null,
  };
}

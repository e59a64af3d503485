/** Times as people read them. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The last moment that an id can tell, in epoch milliseconds: it has 48 bits for it. */
export const MAX_TIME_MS = 2 ** 48 - 1;

/** How long ago something was, for people: `just now`, `5m ago`, `3h ago`, `yesterday`, `4d ago`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (age < MINUTE_MS) return "just now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)}m ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)}h ago`;
  if (age < 2 * DAY_MS) return "yesterday";
  return `${Math.floor(age / DAY_MS)}d ago`;
}

/** How soon something is, for people: `now`, `in 8 s`, `in 5 min`, rounded up. */
export function timeUntil(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (ms <= 0) return "now";
  return ms <= MINUTE_MS ? `in ${Math.ceil(ms / 1_000)} s` : `in ${Math.ceil(ms / MINUTE_MS)} min`;
}

/** How long something lasts: `5m 0s`, from an hour on `3h 12m`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}m ${seconds % 60}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

export function daysMs(days: number): number {
  return days * DAY_MS;
}

/** A time as a part of a file name: `2026-11-20T22-42-28Z`, the same on every system. */
export function fileStamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-") + "Z";
}

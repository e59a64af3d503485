/** Writes times for people. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The latest time that an id can hold in its 48 bits, in epoch milliseconds. */
export const MAX_TIME_MS = 2 ** 48 - 1;

/** Writes how long ago something was: `just now`, `5m ago`, `3h ago`, `yesterday`, `4d ago`. */
export function relativeTime(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (age < MINUTE_MS) return "just now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)}m ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)}h ago`;
  if (age < 2 * DAY_MS) return "yesterday";
  return `${Math.floor(age / DAY_MS)}d ago`;
}

/** Writes how soon something is: `now`, `in 8 s`, `in 5 min`, rounded up. */
export function timeUntil(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  if (ms <= 0) return "now";
  return ms <= MINUTE_MS ? `in ${Math.ceil(ms / 1_000)} s` : `in ${Math.ceil(ms / MINUTE_MS)} min`;
}

/** Writes a duration: `8s`, `5m 0s`, or `3h 12m` from an hour on. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s`;
  return minutes < 60
    ? `${minutes}m ${seconds % 60}s`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

export function daysMs(days: number): number {
  return days * DAY_MS;
}

/** Writes a time for a file name that every system accepts: `2026-11-20T22-42-28Z`. */
export function fileStamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll(":", "-") + "Z";
}

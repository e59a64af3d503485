/** Durations as workflow files write them: `90s`, `1h30m`, `500ms`. */

/** Milliseconds of each unit, largest first. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

const MS_OF: ReadonlyMap<string, number> = new Map(UNITS);

/**
 * The milliseconds that a text means: numbers with the units `h`, `m`, `s` and `ms`, in any order, as Go reads them.
 * A plain `0` is no time at all.
 *
 * @returns Whole milliseconds, 0 and up; null when the text is no duration.
 */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/.test(trimmed)) return null;
  let total = 0;
  for (const [, number, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)) {
    total += Number(number) * MS_OF.get(unit!)!;
  }
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : null;
}

/** A duration as `parseDuration` reads it, without units that are zero: `1h30m`, `500ms`, `0s`. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms));
  let text = "";
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === "" ? "0s" : text;
}

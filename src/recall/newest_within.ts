/** What was done in a time that a question speaks of. */
import type { DatabaseSync } from "node:sqlite";
import { TIME_SLACK_MS } from "../memory/dates.ts";
import type { TimeSpan } from "../memory/spans.ts";
import type { IndexHit, MemoryFilter } from "../store/memory_search.ts";
import { newestObservations } from "../store/memory_times.ts";

/** What was done in a time, whatever it says: what surely was before what may have been, by the zone of the clock. */
export function newestWithin(
  db: DatabaseSync,
  time: TimeSpan,
  { filter, limit }: { readonly filter: MemoryFilter; readonly limit: number },
): IndexHit[] {
  const sure = {
    fromMs: time.fromMs + TIME_SLACK_MS,
    untilMs: Math.max(time.untilMs - TIME_SLACK_MS, time.fromMs + 2 * TIME_SLACK_MS),
  };
  for (const span of [sure, time]) {
    const { sinceMs, untilMs } = overlapOf(filter, span);
    const hits = newestObservations(db, { filter, fromMs: sinceMs, untilMs, limit });
    if (hits.length > 0) return hits;
  }
  return [];
}

/** A time, as far as the filter lets it through. */
export function overlapOf({ sinceMs, untilMs }: MemoryFilter, time: TimeSpan) {
  return {
    sinceMs: Math.max(sinceMs ?? time.fromMs, time.fromMs),
    untilMs: Math.min(untilMs ?? time.untilMs, time.untilMs),
  };
}

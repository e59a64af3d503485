/** Reads from which event or time on a client wants to be told. */
import type { DatabaseSync } from "node:sqlite";
import { lastEventId, listEvents } from "../store/events.ts";
import { eventIdAt } from "../store/state_counts.ts";
import { invalidInput } from "./input.ts";

/** Smaller numbers are those of events, larger ones are times: 1973 lies between. */
const FIRST_TIME_MS = 100_000_000_000;

/** The event that a stream of events begins after, and the time; from now on where nothing is said. */
export function startOf(db: DatabaseSync, since: string | undefined): { id: number; ms: number } {
  if (since === undefined) return { id: lastEventId(db), ms: -Infinity };
  const isNumber = /^\d{1,16}$/.test(since);
  if (isNumber && Number(since) < FIRST_TIME_MS) return { id: Number(since), ms: -Infinity };
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(since);
  const ms = isNumber ? Number(since) : isTime ? Date.parse(since) : NaN;
  if (Number.isNaN(ms)) {
    throw invalidInput(
      "since",
      "expected an event's number, epoch milliseconds or an RFC 3339 time",
    );
  }
  return { id: eventIdAt(db, ms), ms };
}

/** The same as a time alone, for what is no event: that of the event which is named, or of the next one that is kept. */
export function startMsOf(db: DatabaseSync, since: string): number {
  const { id, ms } = startOf(db, since);
  if (ms !== -Infinity || id === 0) return ms;
  const filter = { afterId: id - 1, sinceMs: null, type: null, entityId: null, limit: 1 };
  return listEvents(db, filter)[0]?.createdAtMs ?? Infinity;
}

/** The route of events, as a list or as a stream that goes on. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { countState, type EventRow, lastEventId, listEvents } from "../../work/store.ts";
import type { EventFacts, ReadyEvent } from "../event_hub.ts";
import { type Daemon, type Route, routesOf, streamOf } from "../route.ts";
import { eventSchema, fields, isSet, words } from "../schemas.ts";
import { startOf } from "../input.ts";

const BATCH = 500;

const query = z.strictObject({
  ...words("since", "type", "entity"),
  limit: z.optional(fields.number(1, 10_000)),
  stream: z.optional(fields.flag),
});

type Query = z.output<typeof query>;

export const eventRoutes: readonly Route[] = [
  routesOf("events")({
    name: "GET /events",
    query,
    response: z.object({ events: z.array(eventSchema), more: z.boolean() }),
    handle: (daemon, { query, request, author }) => {
      const accept = request.headers.get("accept") ?? "";
      const isStream = isSet(query.stream) || /\btext\/event-stream\b/i.test(accept);
      const seen = request.headers.get("last-event-id");
      const lastSeen = isStream && seen !== null && seen !== "" ? seen : null;
      const filter = filterOf(daemon, { ...query, lastSeen, isStream, nowMs: author.atMs });
      return isStream
        ? streamOf(daemon, eventStream(filter, daemon))
        : listOf(daemon.db, filter, query.limit ?? 1_000);
    },
  }),
];

function listOf(db: DatabaseSync, filter: StreamFilter, limit: number) {
  const events: EventRow[] = [];
  let afterId = filter.afterId;
  for (let isEnd = false; !isEnd && events.length <= limit;) {
    const batch = listEvents(db, { afterId, limit: BATCH });
    events.push(...batch.filter(filter.accepts));
    isEnd = batch.length < BATCH;
    afterId = batch.at(-1)?.id ?? afterId;
  }
  return { events: events.slice(0, limit), more: events.length > limit };
}

/** @param query.lastSeen Goes before `since`: a client that reconnects repeats its first query. */
function filterOf(
  { db, toldSinceMs }: Daemon,
  query: Query & {
    readonly lastSeen: string | null;
    readonly isStream: boolean;
    readonly nowMs: number;
  },
): StreamFilter {
  const newest = lastEventId(db);
  const since = startOf(db, query.lastSeen ?? query.since ?? (query.isStream ? undefined : "0"));
  // Retention removes older events later.
  const fromMs = Math.max(since.ms, toldSinceMs(query.nowMs));
  const type = query.type === undefined ? null : globOf(query.type);
  const entities = query.entity?.split(",").map((id) => id.trim()) ?? null;
  return {
    // A client that has seen a later event knew another database, and has seen nothing of this one.
    afterId: query.lastSeen !== null && since.id > newest ? 0 : Math.min(since.id, newest),
    accepts: (event) =>
      // Later events count as younger, also when the clock was set back.
      (event.createdAtMs > fromMs || event.id > newest) &&
      (type === null || type.test(event.type)) &&
      (entities === null || entities.includes(event.entityId)),
  };
}

function globOf(pattern: string): RegExp {
  const parts = pattern.split(",").map((part) =>
    part.trim().split("*").map((text) => text.replace(/[^\w]/g, "\\$&")).join(".*")
  );
  return new RegExp(`^(?:${parts.join("|")})$`, "s");
}

/** How often a stream sends the state in a few numbers, in milliseconds. */
const SNAPSHOT_MS = 30_000;

/** The most that is written at once, in bytes: what a client that does not read costs. */
const MAX_CHUNK_BYTES = 32 * 1024;

interface StreamFilter {
  readonly afterId: number;
  readonly accepts: (event: EventFacts) => boolean;
}

const ENCODER = new TextEncoder();

function eventStream(
  filter: StreamFilter,
  { db, hub, toldSinceMs }: Pick<Daemon, "db" | "hub" | "toldSinceMs">,
): ReadableStream {
  let cursor = filter.afterId;
  let snapshotAtMs = 0;

  /** The next piece; null when there is nothing new. */
  function nextChunk(): Uint8Array | null {
    for (;;) {
      const fresh = hub.after(cursor);
      if (fresh.length === 0) return null;
      const told: ReadyEvent[] = [];
      let length = 0;
      for (const event of fresh) {
        const { row, bytes } = event;
        if (length > 0 && length + bytes.length > MAX_CHUNK_BYTES) break;
        cursor = row.id;
        if (!filter.accepts(row)) continue;
        told.push(event);
        length += bytes.length;
      }
      if (length > 0) return hub.chunkOf(told);
    }
  }

  return hub.stream(() => {
    const now = Date.now();
    if (now - snapshotAtMs < SNAPSHOT_MS) return nextChunk() ?? snapshotAtMs + SNAPSHOT_MS - now;
    snapshotAtMs = now;
    // The id is how far this stream has come, so that a client that leaves now comes back to that place.
    const data = JSON.stringify(countState(db, toldSinceMs(now)));
    return ENCODER.encode(`event: state.snapshot\nid: ${cursor}\ndata: ${data}\n\n`);
  });
}

/** The route of events: what happened, as a list or as a stream that goes on. */
import * as z from "zod/mini";
import type { DatabaseSync } from "node:sqlite";
import { type EventRow, lastEventId, listEvents } from "../../store/events.ts";
import { countState } from "../../store/state_counts.ts";
import { type Daemon, type Route, route } from "../route.ts";
import { eventSchema, fields, isSet } from "../schemas.ts";
import { startOf } from "../since.ts";
import { eventStream, type StreamFilter } from "../sse.ts";

const BATCH = 500;

const query = z.strictObject({
  since: z.optional(fields.words),
  type: z.optional(fields.words),
  entity: z.optional(fields.words),
  limit: z.optional(fields.number(1, 10_000)),
  stream: z.optional(fields.flag),
});

type Query = z.output<typeof query>;

export const eventRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/events",
    summary:
      "What happened after `since` (an event's number, epoch milliseconds or an RFC 3339 time); " +
      "with `Accept: text/event-stream` or stream=1 as a stream, which `Last-Event-ID` takes up again",
    tag: "events",
    query,
    response: z.object({ events: z.array(eventSchema), more: z.boolean() }),
    handle: (daemon, { query, request, author }) => {
      const accept = request.headers.get("accept") ?? "";
      const isStream = isSet(query.stream) || /\btext\/event-stream\b/i.test(accept);
      const seen = request.headers.get("last-event-id");
      const lastSeen = isStream && seen !== null && seen !== "" ? seen : null;
      const filter = filterOf(daemon, { ...query, lastSeen, isStream, nowMs: author.atMs });
      return isStream ? streamOf(daemon, filter) : listOf(daemon.db, filter, query.limit ?? 1_000);
    },
  }),
];

function listOf(db: DatabaseSync, filter: StreamFilter, limit: number) {
  const events: EventRow[] = [];
  let afterId = filter.afterId;
  for (let isEnd = false; !isEnd && events.length <= limit;) {
    const batch = listEvents(db, {
      afterId,
      sinceMs: null,
      type: null,
      entityId: null,
      limit: BATCH,
    });
    events.push(...batch.filter(filter.accepts));
    isEnd = batch.length < BATCH;
    afterId = batch.at(-1)?.id ?? afterId;
  }
  return { events: events.slice(0, limit), more: events.length > limit };
}

function streamOf(daemon: Daemon, filter: StreamFilter): Response {
  daemon.metrics.streams++;
  daemon.metrics.add("sse_connections");
  const stream = eventStream(filter, {
    hub: daemon.hub,
    snapshot: () => countState(daemon.db, daemon.toldSinceMs(Date.now())),
    ended: () => void daemon.metrics.streams--,
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** @param query.lastSeen Outranks `since`: a client that comes again still asks what it asked at first. */
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
  // Retention removes the old ones some time later.
  const fromMs = Math.max(since.ms, toldSinceMs(query.nowMs));
  const type = query.type === undefined ? null : globOf(query.type);
  const entities = query.entity?.split(",").map((id) => id.trim()) ?? null;
  return {
    // Nobody has seen what is yet to come: that client knew another database, and has seen nothing of this one.
    afterId: query.lastSeen !== null && since.id > newest ? 0 : Math.min(since.id, newest),
    accepts: (event) =>
      // What comes later is younger, whatever a clock says that was set back.
      (event.createdAtMs > fromMs || event.id > newest) &&
      (type === null || type.test(event.type)) &&
      (entities === null || entities.includes(event.entityId)),
  };
}

/** `*` is any text, a comma means or. */
function globOf(pattern: string): RegExp {
  const parts = pattern.split(",").map((part) =>
    part.trim().split("*").map((text) => text.replace(/[^\w]/g, "\\$&")).join(".*")
  );
  return new RegExp(`^(?:${parts.join("|")})$`, "s");
}

/** Routes for events, as a list or as a stream, and the stream that keeps a page up to date. */
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { joined } from "../../base/byte_lines.ts";
import { auditMark, sessionsSince } from "../../db/executions.ts";
import { lastObservation } from "../../memory/store.ts";
import { policyMark } from "../../policy/store.ts";
import { countState, type EventRow, lastEventId, listEvents } from "../../work/store.ts";
import type { EventFacts } from "../event_hub.ts";
import { startOf } from "../input.ts";
import { type Daemon, type Read, type Route, routesOf } from "../route.ts";
import { fields, isSet, rows, words } from "../schemas.ts";

const BATCH = 500;

const query = {
  ...words("since", "type", "entity"),
  limit: z.optional(fields.number(1, 10_000)),
  stream: z.optional(fields.flag),
};

type Query = Read<typeof query>;

export const streamRoutes: readonly Route[] = [
  routesOf("events")("GET /events", {
    query,
    response: { events: z.array(rows.event), more: z.boolean() },
  }, (daemon, { query, request: { headers }, author: { atMs } }) => {
    const accept = headers.get("accept") ?? "";
    const isStream = isSet(query.stream) || /\btext\/event-stream\b/i.test(accept);
    const lastSeen = isStream ? headers.get("last-event-id") || null : null;
    const filter = filterOf(daemon, { ...query, lastSeen, isStream, nowMs: atMs });
    return isStream
      ? streamOf(daemon, eventStream(filter, daemon))
      : listOf(daemon.db, filter, query.limit ?? 1_000);
  }),
  routesOf("page")(
    "GET /live",
    {
      mediaType: "text/event-stream",
      transaction: "own",
    },
    (daemon, { request }) =>
      streamOf(daemon, liveStream(daemon, request.headers.get("last-event-id"))),
  ),
];

function streamOf({ metrics }: Daemon, stream: ReadableStream): Response {
  metrics.add("sse_connections");
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

interface StreamFilter {
  readonly afterId: number;
  readonly accepts: (event: EventFacts) => boolean;
}

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

/** @param query.lastSeen Overrides `since`, since a client that reconnects repeats its first query. */
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
  // Older events may still be stored, since retention removes them later.
  const fromMs = Math.max(since.ms, toldSinceMs(query.nowMs));
  const type = query.type === undefined ? null : globOf(query.type);
  const entities = query.entity?.split(",").map((id) => id.trim()) ?? null;
  return {
    // A client that has seen a later event has seen another database, and nothing of this one.
    afterId: query.lastSeen !== null && since.id > newest ? 0 : Math.min(since.id, newest),
    accepts: (event) =>
      // Events after the newest one count as new even if the clock was set back.
      (event.createdAtMs > fromMs || event.id > newest) &&
      (type === null || type.test(event.type)) &&
      (entities === null || entities.includes(event.entityId)),
  };
}

function globOf(pattern: string): RegExp {
  const parts = pattern.split(",").map((part) =>
    part.trim().split("*").map(RegExp.escape).join(".*")
  );
  return new RegExp(`^(?:${parts.join("|")})$`, "s");
}

/** How often a stream sends counts of the state, in milliseconds. */
const SNAPSHOT_MS = 30_000;

/** The most bytes in one piece, which limits the cost of a client that does not read. */
const MAX_CHUNK_BYTES = 32 * 1024;

function eventStream(filter: StreamFilter, { db, hub, toldSinceMs }: Daemon): ReadableStream {
  let cursor = filter.afterId;
  let snapshotAtMs = 0;

  /** Returns the next piece; null when there is nothing new. */
  function nextChunk(): Uint8Array | null {
    for (;;) {
      const fresh = hub.after(cursor);
      if (fresh.length === 0) return null;
      const accepted: Uint8Array<ArrayBuffer>[] = [];
      let length = 0;
      for (const { row, bytes } of fresh) {
        if (length > 0 && length + bytes.length > MAX_CHUNK_BYTES) break;
        cursor = row.id;
        if (!filter.accepts(row)) continue;
        accepted.push(bytes);
        length += bytes.length;
      }
      if (length > 0) return joined(accepted);
    }
  }

  return hub.stream(() => {
    const now = Date.now();
    if (now - snapshotAtMs < SNAPSHOT_MS) return nextChunk() ?? snapshotAtMs + SNAPSHOT_MS - now;
    snapshotAtMs = now;
    // The id is the stream's position, so that a client that reconnects continues there.
    return piece("state.snapshot", cursor, countState(db, toldSinceMs(now)));
  });
}

const ENCODER = new TextEncoder();

function piece(event: string, id: number | string, data: unknown): Uint8Array {
  return ENCODER.encode(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** The numbers of a mark: the newest audit row, observation and event, and the mark of requirements and pauses. */
const PARTS = ["hooks", "memory", "work", "rules"] as const;

/** The position of a page's stream; its text is the `id` of a piece. */
type Mark = Readonly<Record<typeof PARTS[number], number>>;

/** The longest wait between two looks, in milliseconds; a write of another process wakes the stream sooner. */
const LOOK_MS = 900;
/** The time between two pings, in milliseconds, which show browsers and proxies that the stream lives. */
const PING_MS = 15_000;

/**
 * Makes the stream of a page. It tells which sessions had hooks and which other data changed; the page then loads what it
 * shows. Each piece sums up all changes since the last one.
 * @param lastSeen The `Last-Event-ID` of a page that comes back; null for a new page.
 */
function liveStream({ db, hub }: Daemon, lastSeen: string | null): ReadableStream {
  const seen = lastSeen === null ? null : markIn(lastSeen);
  const isKnown = seen !== null && !isLost(db, seen);
  let at = isKnown ? seen : markOf(db);
  let first: "hello" | "gap" | null = lastSeen === null || isKnown ? "hello" : "gap";
  let pingedAtMs = Date.now();
  return hub.stream(() => {
    const before = at;
    if (first === null) at = markOf(db);
    // The newest rows were removed, so the page must load its lists anew.
    if ((["hooks", "memory", "work"] as const).some((one) => at[one] < before[one])) first = "gap";
    if (first !== null) {
      const event = first;
      first = null;
      return piece(event, textOf(at), {});
    }
    if (textOf(at) !== textOf(before)) {
      return piece("changed", textOf(at), {
        sessions: at.hooks === before.hooks ? {} : sessionsSince(db, before.hooks, at.hooks),
        parts: PARTS.slice(1).filter((one) => at[one] !== before[one]),
      });
    }
    if (Date.now() - pingedAtMs < PING_MS) return LOOK_MS;
    pingedAtMs = Date.now();
    return ENCODER.encode(": ping\n\n");
  });
}

function textOf(mark: Mark): string {
  return PARTS.map((part) => mark[part]).join(".");
}

function markIn(text: string): Mark | null {
  if (!/^\d+(\.\d+){3}$/.test(text)) return null;
  const [hooks, memory, work, rules] = text.split(".").map(Number);
  return { hooks: hooks!, memory: memory!, work: work!, rules: rules! };
}

function markOf(db: DatabaseSync): Mark {
  return {
    hooks: auditMark(db).newest,
    memory: lastObservation(db),
    work: lastEventId(db),
    rules: policyMark(db),
  };
}

/** Whether rows after a mark were removed, or the mark belongs to another database. */
function isLost(db: DatabaseSync, { hooks }: Mark): boolean {
  const { oldest, newest } = auditMark(db);
  return hooks > newest || (newest > hooks && hooks + 1 < oldest);
}

/** Events as a stream (`text/event-stream`): every one once, in order, however slowly they are read. */
import type { EventFacts, EventHub, ReadyEvent } from "./event_hub.ts";

/** How often a stream says that it lives, with the state in a few numbers. */
const SNAPSHOT_MS = 30_000;

/** What is written at once at most, in bytes: what a client that does not read costs. */
const MAX_CHUNK_BYTES = 32 * 1024;

/** Which events a stream tells. */
export interface StreamFilter {
  /** Only events after this one. */
  readonly afterId: number;
  readonly accepts: (event: EventFacts) => boolean;
}

/** What a stream is made with. */
export interface StreamContext {
  readonly hub: EventHub;
  /** The state in a few numbers, as JSON. */
  readonly snapshot: () => unknown;
  /** Called when the stream is over, however that came. */
  readonly ended: () => void;
}

const ENCODER = new TextEncoder();

/**
 * Makes the stream. It has no buffer of its own: it is asked for more when what it gave is on its way, and then reads
 * on from where it stands. It ends when the hub is closed or the client has left.
 */
export function eventStream(filter: StreamFilter, context: StreamContext): ReadableStream {
  const left = new AbortController();
  let cursor = filter.afterId;
  let snapshotAtMs = 0;
  let isOver = false;
  const leave = context.hub.join();
  const end = () => {
    if (isOver) return;
    isOver = true;
    leave();
    context.ended();
  };

  /** What is to be sent next; null when there is nothing yet. */
  function nextChunk(): Uint8Array | null {
    const told: ReadyEvent[] = [];
    let length = 0;
    for (
      let fresh = context.hub.after(cursor);
      fresh.length > 0 && length === 0;
      fresh = context.hub.after(cursor)
    ) {
      for (const event of fresh) {
        const { row, bytes } = event;
        if (length > 0 && length + bytes.length > MAX_CHUNK_BYTES) break;
        cursor = row.id;
        if (!filter.accepts(row)) continue;
        told.push(event);
        length += bytes.length;
      }
    }
    return length === 0 ? null : context.hub.chunkOf(told);
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (!context.hub.isClosed && !left.signal.aborted) {
        const now = Date.now();
        if (now - snapshotAtMs >= SNAPSHOT_MS) {
          snapshotAtMs = now;
          // Its id is how far this stream has told, which may be less than the snapshot counts: a client that leaves
          // before its first event comes again to where it stood.
          const data = JSON.stringify(context.snapshot());
          return controller.enqueue(
            ENCODER.encode(`event: state.snapshot\nid: ${cursor}\ndata: ${data}\n\n`),
          );
        }
        const chunk = nextChunk();
        if (chunk !== null) return controller.enqueue(chunk);
        await context.hub.wait(snapshotAtMs + SNAPSHOT_MS - now, left.signal);
      }
      end();
      if (!left.signal.aborted) controller.close();
    },
    cancel() {
      left.abort();
      end();
    },
  }, { highWaterMark: 0 });
}

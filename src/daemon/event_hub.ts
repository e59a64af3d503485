/** Wakes the streams when there are new events, and reads these once for all streams that have come equally far. */
import type { DatabaseSync } from "node:sqlite";
import { joined } from "../base/byte_lines.ts";
import { Rounds } from "../base/rounds.ts";
import { dataVersionReader } from "../db/transaction.ts";
import { lastEventId, listStoredEvents, type StoredEvent } from "../work/store.ts";

/** How often to look whether another process has written, in milliseconds: while somebody waits, and otherwise. */
const POLL_MS = { watched: 100, idle: 250 };

/** How long own writes are gathered, in milliseconds, so that a stream gets them in one piece. */
const GATHER_MS = 10;

/** How many events are read at once. */
const BATCH_EVENTS = 64;

export type EventFacts = Omit<StoredEvent, "data">;

/** An event, and its bytes for a stream. */
export interface ReadyEvent {
  readonly row: EventFacts;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface HubContext {
  readonly problem: (thrown: unknown) => void;
  /** Called when another process has written. */
  readonly onNews: () => void;
  /** Whether agents run, which other processes may want to end. */
  readonly isBusy: () => boolean;
}

export class EventHub {
  readonly #db: DatabaseSync;
  readonly #waiting = new Set<() => void>();
  readonly #version: () => number;
  readonly #told: HubContext;
  readonly #looks = new Rounds(() => this.#look(), { restMs: GATHER_MS });
  readonly #streams = new Set<AbortSignal>();
  /** The events that the hub read last. */
  #batch: { readonly afterId: number; readonly events: readonly ReadyEvent[] } = NO_BATCH;
  #chunk = { ids: "", bytes: new Uint8Array() };
  #seenVersion: number;
  #lastId: number;
  #isClosed = false;

  constructor(db: DatabaseSync, told: HubContext) {
    this.#db = db;
    this.#told = told;
    this.#version = dataVersionReader(db);
    this.#seenVersion = this.#version();
    this.#lastId = lastEventId(db);
  }

  start(): void {
    this.#looks.start();
  }

  /**
   * A stream of pieces as they come. It has no buffer: when its last piece is on its way, the next one is asked for. It ends
   * when the hub is closed or the client has left.
   * @param next The next piece, or how long to wait for news, in milliseconds.
   */
  stream(next: () => Uint8Array | number): ReadableStream<Uint8Array> {
    const left = new AbortController();
    const { signal } = left;
    this.#streams.add(signal);
    const leave = () => this.#streams.delete(signal);
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (!this.#isClosed && !signal.aborted) {
          const piece = next();
          if (typeof piece !== "number") return controller.enqueue(piece);
          await this.#wait(piece, signal);
        }
        leave();
        if (!signal.aborted) controller.close();
      },
      cancel: () => {
        left.abort();
        leave();
      },
    }, { highWaterMark: 0 });
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** To be called after every write of this process. Several writes share one look. */
  changed(): void {
    this.#looks.wake();
  }

  /** The next events after an id, the oldest first; none when there are no more. */
  after(id: number): readonly ReadyEvent[] {
    if (id >= this.#lastId) return [];
    if (this.#batch.afterId !== id) {
      const stored = listStoredEvents(this.#db, { afterId: id, limit: BATCH_EVENTS });
      const events = stored.map(({ data, ...row }) => ({ row, bytes: eventBytes(row, data) }));
      this.#batch = { afterId: id, events };
    }
    return this.#batch.events;
  }

  /** Joins the bytes of events, once for all streams that have come equally far. */
  chunkOf(events: readonly ReadyEvent[]): Uint8Array {
    const ids = events.map(({ row }) => row.id).join();
    if (this.#chunk.ids !== ids) {
      this.#chunk = { ids, bytes: joined(events.map(({ bytes }) => bytes)) };
    }
    return this.#chunk.bytes;
  }

  /** Waits for news or the end of the hub, at most `maxMs`. */
  #wait(maxMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed || signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, maxMs);
      this.#waiting.add(done);
      signal.addEventListener("abort", done);
    });
  }

  /** Ends all waiting, and so all streams. */
  close(): void {
    this.#isClosed = true;
    void this.#looks.stop();
    this.#wakeAll();
  }

  #look(): Promise<number> {
    try {
      const newest = lastEventId(this.#db);
      if (newest !== this.#lastId) {
        this.#lastId = newest;
        this.#batch = NO_BATCH;
        this.#wakeAll();
      }
      const version = this.#version();
      if (version !== this.#seenVersion) {
        this.#told.onNews();
        this.#wakeAll();
      }
      this.#seenVersion = version;
    } catch (thrown) {
      this.#told.problem(thrown);
    }
    const isWatched = this.streams > 0 || this.#told.isBusy();
    return Promise.resolve(isWatched ? POLL_MS.watched : POLL_MS.idle);
  }

  #wakeAll(): void {
    for (const done of [...this.#waiting]) done();
  }
}

const NO_BATCH = { afterId: -1, events: [] };

const ENCODER = new TextEncoder();

/** An event in the format of a stream. Its data is JSON already, in one line. */
function eventBytes(row: EventFacts, data: string): Uint8Array<ArrayBuffer> {
  const facts = JSON.stringify(row);
  return ENCODER.encode(
    `id: ${row.id}\nevent: ${row.type}\ndata: ${facts.slice(0, -1)},"data":${data}}\n\n`,
  );
}

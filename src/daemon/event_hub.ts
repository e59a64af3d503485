/** Wakes streams when there are new events, and reads each batch once for all streams at the same position. */
import type { DatabaseSync } from "node:sqlite";
import { Rounds } from "../base/rounds.ts";
import { dataVersionReader } from "../db/transaction.ts";
import { lastEventId, listStoredEvents, type StoredEvent } from "../work/store.ts";

/** The time between looks for writes of other processes, in milliseconds: while streams or agents run, or not. */
const POLL_MS = { watched: 100, idle: 250 };

/** How long this process's writes gather, in milliseconds, so that a stream gets them in one piece. */
const GATHER_MS = 10;

const BATCH_EVENTS = 64;

export type EventFacts = Omit<StoredEvent, "data">;

/** An event, and its bytes in the format of a stream. */
interface ReadyEvent {
  readonly row: EventFacts;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface HubContext {
  readonly problem: (thrown: unknown) => void;
  /** Called when another process has written. */
  readonly onNews: () => void;
  /** Whether agents run, which other processes may ask to end. */
  readonly isBusy: () => boolean;
}

export class EventHub {
  readonly #db: DatabaseSync;
  readonly #waiting = new Set<() => void>();
  readonly #version: () => number;
  readonly #context: HubContext;
  readonly #looks = new Rounds(() => this.#look(), { restMs: GATHER_MS });
  readonly #streams = new Set<AbortSignal>();
  #batch: { readonly afterId: number; readonly events: readonly ReadyEvent[] } = NO_BATCH;
  #seenVersion: number;
  #lastId: number;
  #isClosed = false;

  constructor(db: DatabaseSync, context: HubContext) {
    this.#db = db;
    this.#context = context;
    this.#version = dataVersionReader(db);
    this.#seenVersion = this.#version();
    this.#lastId = lastEventId(db);
  }

  start(): void {
    this.#looks.start();
  }

  /**
   * Makes a stream without a buffer: it requests the next piece when the last one is on its way. It ends when the hub
   * is closed or the client has left.
   * @param next Returns the next piece, or how long to wait for news, in milliseconds.
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

  get streams(): number {
    return this.#streams.size;
  }

  /** Tells the hub of a write of this process; must be called after every one. Several writes share one look. */
  changed(): void {
    this.#looks.wake();
  }

  /** Returns the next events after an id, the oldest first; none when there are no more. */
  after(id: number): readonly ReadyEvent[] {
    if (id >= this.#lastId) return [];
    if (this.#batch.afterId !== id) {
      const stored = listStoredEvents(this.#db, { afterId: id, limit: BATCH_EVENTS });
      const events = stored.map(({ data, ...row }) => ({ row, bytes: eventBytes(row, data) }));
      this.#batch = { afterId: id, events };
    }
    return this.#batch.events;
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

  /** Wakes and thereby ends all streams. */
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
        this.#context.onNews();
        this.#wakeAll();
      }
      this.#seenVersion = version;
    } catch (thrown) {
      this.#context.problem(thrown);
    }
    const isWatched = this.streams > 0 || this.#context.isBusy();
    return Promise.resolve(isWatched ? POLL_MS.watched : POLL_MS.idle);
  }

  #wakeAll(): void {
    for (const done of [...this.#waiting]) done();
  }
}

const NO_BATCH = { afterId: -1, events: [] };

const ENCODER = new TextEncoder();

/** Writes an event in the format of a stream. Its data is JSON already, in one line. */
function eventBytes(row: EventFacts, data: string): Uint8Array<ArrayBuffer> {
  const facts = JSON.stringify(row);
  return ENCODER.encode(
    `id: ${row.id}\nevent: ${row.type}\ndata: ${facts.slice(0, -1)},"data":${data}}\n\n`,
  );
}

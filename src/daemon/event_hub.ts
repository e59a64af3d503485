/** Reads new events once for all streams, keeps them for a while, and gives them to each stream at its own pace. */
import type { DatabaseSync } from "node:sqlite";
import { dataVersionReader } from "../db/transaction.ts";
import { lastEventId, listStoredEvents, type StoredEvent } from "../work/store.ts";

/** How often to look whether another process has written, in milliseconds: while somebody waits, and otherwise. */
const POLL_MS = { watched: 75, idle: 250 };

/** How long own writes are gathered, in milliseconds, so that a stream gets them in one piece. */
const GATHER_MS = 10;

/** How many of the newest events are kept; a stream that is further behind reads the database. */
const RING_EVENTS = 4_096;

const BATCH_EVENTS = 256;

export type EventFacts = Omit<StoredEvent, "data">;

/** An event, and its bytes for a stream. */
export interface ReadyEvent {
  readonly row: EventFacts;
  readonly bytes: Uint8Array;
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
  readonly #ring: ReadyEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #version: () => number;
  readonly #told: HubContext;
  #timer: ReturnType<typeof setTimeout>;
  #streams = 0;
  #chunk = { ids: "", bytes: new Uint8Array() };
  #seenVersion: number;
  #lastId: number;
  #isClosed = false;
  #isAnnounced = false;

  constructor(db: DatabaseSync, told: HubContext) {
    this.#db = db;
    this.#told = told;
    this.#version = dataVersionReader(db);
    this.#seenVersion = this.#version();
    this.#lastId = lastEventId(db);
    this.#timer = setTimeout(() => this.#poll(), POLL_MS.idle);
  }

  /** Lets a stream listen. @returns What ends that; to be called once. */
  join(): () => void {
    this.#streams++;
    return () => void this.#streams--;
  }

  get lastId(): number {
    return this.#lastId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** To be called after every write of this process. Several writes share one look. */
  changed(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    setTimeout(() => {
      this.#isAnnounced = false;
      this.#look();
    }, GATHER_MS);
  }

  /** The next events after an id, the oldest first; none when there are no more. */
  after(id: number): readonly ReadyEvent[] {
    if (id >= this.#lastId) return [];
    const first = this.#ring[0];
    if (first !== undefined && id >= first.row.id - 1) {
      const start = this.#ring.findIndex(({ row }) => row.id > id);
      return this.#ring.slice(start, start + BATCH_EVENTS);
    }
    return this.#read(id);
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
  wait(maxMs: number, signal: AbortSignal): Promise<void> {
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
    clearTimeout(this.#timer);
    this.#wakeAll();
  }

  #pollLater(): void {
    const isWatched = this.#streams > 0 || this.#told.isBusy();
    this.#timer = setTimeout(() => this.#poll(), isWatched ? POLL_MS.watched : POLL_MS.idle);
  }

  #poll(): void {
    this.#pollLater();
    try {
      const version = this.#version();
      if (version === this.#seenVersion) return;
      this.#seenVersion = version;
      this.#look();
      this.#told.onNews();
    } catch (thrown) {
      this.#told.problem(thrown);
    }
  }

  #look(): void {
    if (this.#isClosed) return;
    try {
      if (this.#streams === 0) return this.#pass();
      const before = this.#lastId;
      for (let fresh = this.#read(before); fresh.length > 0; fresh = this.#read(this.#lastId)) {
        this.#ring.push(...fresh);
        this.#lastId = fresh.at(-1)!.row.id;
        if (fresh.length < BATCH_EVENTS) break;
      }
      if (this.#ring.length > 2 * RING_EVENTS) {
        this.#ring.splice(0, this.#ring.length - RING_EVENTS);
      }
      if (this.#lastId !== before) this.#wakeAll();
    } catch (thrown) {
      this.#told.problem(thrown);
    }
  }

  /** Without streams nothing is kept: a later one reads the database. */
  #pass(): void {
    this.#ring.length = 0;
    this.#lastId = lastEventId(this.#db);
  }

  #read(afterId: number): ReadyEvent[] {
    return listStoredEvents(this.#db, { afterId, limit: BATCH_EVENTS }).map(({ data, ...row }) => ({
      row,
      bytes: eventBytes(row, data),
    }));
  }

  #wakeAll(): void {
    for (const done of [...this.#waiting]) done();
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const ENCODER = new TextEncoder();

/** An event in the format of a stream. Its data is JSON already, in one line. */
function eventBytes(row: EventFacts, data: string): Uint8Array {
  const facts = JSON.stringify(row);
  return ENCODER.encode(
    `id: ${row.id}\nevent: ${row.type}\ndata: ${facts.slice(0, -1)},"data":${data}}\n\n`,
  );
}

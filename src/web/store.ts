/** The state of the page: where it is, how the stream stands, and what of its data is out of date. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, type Piece, readStream, Refused } from "./api.ts";

/** What a piece of data is made of; the stream names what changed. */
export type Part = "sessions" | "memory" | "work" | "rules" | `session:${string}`;

export type Connection = "opening" | "live" | "lost" | "closed";

export const connection = signal<Connection>("opening");
/** The address behind `#`: `/session/0198`. */
export const route = signal(routeNow());
/** What a person is told for a moment. */
export const toast = signal<{ readonly text: string; readonly isError: boolean } | null>(null);
/** Rises every second, for times that count. */
export const clock = signal(Date.now());

const versions = new Map<Part, Signal<number>>();
const SLOWEST_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 250;
/** The least time between two requests for data that changes all the time. */
const LEAST_BETWEEN_MS = 300;
/** In a tab that nobody sees. */
const HIDDEN_MS = 5_000;
/** The page rests this many times as long as its last request took. */
const BUSY_SHARE = 4;
const TOAST_MS = 6_000;

function versionOf(part: Part): Signal<number> {
  let found = versions.get(part);
  if (found === undefined) versions.set(part, found = signal(0));
  return found;
}

function routeNow(): string {
  return location.hash.startsWith("#/") ? location.hash.slice(1) : "/now";
}

addEventListener("hashchange", () => route.value = routeNow());
setInterval(() => clock.value = Date.now(), 1_000);

export function go(path: string): void {
  location.hash = path;
}

export function tell(text: string, isError = false): void {
  const told = { text, isError };
  toast.value = told;
  setTimeout(() => toast.value === told && (toast.value = null), TOAST_MS);
}

/** Does something for a person, and tells what came of it. @param work What it returns as a text is told instead. */
export async function act(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    const other = await work();
    if (typeof other === "string") tell(other, true);
    else tell(what);
    return true;
  } catch (thrown) {
    tell(thrown instanceof Refused ? thrown.whole : String(thrown), true);
    return false;
  }
}

/**
 * Calls `load` now and after each change of the parts, but leaves it at least as long as it rests, four times as long as it
 * took, and in a hidden tab some seconds. @returns `again` calls it soon, `end` no more.
 */
export function keepFresh(
  parts: readonly Part[],
  load: () => Promise<unknown>,
  restMs = LEAST_BETWEEN_MS,
): { readonly again: () => void; readonly end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isLoading, isStale, isOver] = [false, false, false];
  let notBeforeMs = 0;
  const run = async () => {
    timer = undefined;
    [isLoading, isStale] = [true, false];
    const begunMs = Date.now();
    await load();
    isLoading = false;
    notBeforeMs = Math.max(begunMs + restMs, begunMs + BUSY_SHARE * (Date.now() - begunMs));
    if (isStale) soon();
  };
  const soon = () => {
    if (isOver) return;
    if (isLoading) isStale = true;
    else {
      const hiddenMs = document.hidden ? HIDDEN_MS : 0;
      timer ??= setTimeout(run, Math.max(hiddenMs, notBeforeMs - Date.now()));
    }
  };
  const onShown = () => {
    if (timer === undefined || document.hidden) return;
    clearTimeout(timer);
    timer = undefined;
    soon();
  };
  document.addEventListener("visibilitychange", onShown);
  const leave = parts.map((part) => versionOf(part).subscribe(soon));
  soon();
  return {
    again: soon,
    end() {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
      for (const one of leave) one();
    },
  };
}

interface Held<Value> {
  readonly value?: Value;
  readonly error?: Refused;
}

/** What is shown of an address of the daemon, by all who show it. */
interface Resource {
  readonly held: Signal<Held<unknown>>;
  readonly fresh: ReturnType<typeof keepFresh>;
  users: number;
}

const resources = new Map<string, Resource>();

function join(path: string, parts: readonly Part[], restMs?: number): Resource {
  let found = resources.get(path);
  if (found === undefined) {
    const held = signal<Held<unknown>>({});
    const load = () =>
      ask("GET", path).then(
        (value) => void (held.value = { value }),
        // While the daemon is gone, what was seen last stays.
        (error: Refused) => {
          if (error.status !== 0 || held.value.value === undefined) {
            held.value = { ...held.value, error };
          }
        },
      );
    found = { held, fresh: keepFresh(parts, load, restMs), users: 0 };
    resources.set(path, found);
  }
  found.users++;
  return found;
}

function leave(path: string): void {
  const found = resources.get(path);
  if (found === undefined || --found.users > 0) return;
  found.fresh.end();
  resources.delete(path);
}

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Refused | undefined;
  readonly reload: () => void;
}

const NOTHING: Held<unknown> = {};

/**
 * Data of the daemon, asked for anew when one of its parts changes; once, however many show it.
 * @param path Null asks for nothing. @param restMs The least time between two requests.
 */
export function useData<Value>(
  path: string | null,
  parts: readonly Part[],
  restMs?: number,
): Loaded<Value> {
  const [joined, setJoined] = useState<{ path: string; resource: Resource } | null>(null);
  useEffect(() => {
    if (path === null) return;
    setJoined({ path, resource: join(path, parts, restMs) });
    return () => leave(path);
  }, [path]);
  const isCurrent = joined !== null && joined.path === path;
  const { value, error } = isCurrent ? joined.resource.held.value : NOTHING;
  return {
    value: value as Value | undefined,
    error,
    reload: () => joined?.resource.fresh.again(),
  };
}

function changed(part: Part): void {
  versionOf(part).value++;
}

/** Rises when the page cannot know what it has missed: whoever keeps rows begins anew. */
export const gaps = signal(0);

function take({ event, data }: Piece): void {
  const wasGone = connection.value === "lost";
  connection.value = "live";
  if (event === "gap") gaps.value++;
  // A daemon that comes back may have another truth.
  if (event === "gap" || wasGone) { for (const part of versions.keys()) changed(part); }
  const sessions = Object.keys(data.sessions ?? {});
  if (sessions.length > 0) changed("sessions");
  for (const id of sessions) if (versions.has(`session:${id}`)) changed(`session:${id}`);
  for (const part of data.parts ?? []) changed(part as Part);
}

/** What a tab says that wants to know how the stream stands. */
const NEW_TAB = "new tab";
/** Held by the tab that reads the stream. */
const READER = "conclaude-live";

/**
 * Follows the stream. One of all tabs reads it, and tells the others.
 * @returns Settles when whatever happens from now on is told, or the daemon does not answer: a request before may miss
 * something.
 */
export function follow(): Promise<void> {
  const channel = new BroadcastChannel("conclaude");
  const { promise, resolve: ready } = Promise.withResolvers<void>();
  /** The last piece of the stream, kept also while another tab reads: this tab may have to go on from there. */
  const seen = { id: null as string | null };
  let isReader = false;
  channel.onmessage = ({ data }: MessageEvent<Piece | Connection | typeof NEW_TAB>) => {
    if (data === NEW_TAB) { if (isReader) channel.postMessage(connection.value); }
    else if (typeof data === "string") connection.value = data;
    else {
      if (!isReader) seen.id = data.id;
      take(data);
    }
  };
  const say = (state: Connection) => {
    connection.value = state;
    channel.postMessage(state);
    ready();
  };
  const read = async () => {
    isReader = true;
    for (let pauseMs = FIRST_RETRY_MS;;) {
      // What was loaded before a stream that begins without an id may be older than the stream.
      let isBlind = seen.id === null;
      try {
        const told = (piece: Piece) => {
          pauseMs = FIRST_RETRY_MS;
          const whole: Piece = isBlind ? { ...piece, event: "gap" } : piece;
          isBlind = false;
          take(whole);
          channel.postMessage(whole);
          ready();
        };
        await readStream(seen, told, new AbortController().signal);
        say("lost");
      } catch (thrown) {
        if (thrown instanceof Refused && thrown.status === 401) return say("closed");
        say("lost");
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(2 * pauseMs, SLOWEST_RETRY_MS);
    }
  };
  void navigator.locks.request(READER, { ifAvailable: true }, async (lock) => {
    if (lock !== null) return await read();
    channel.postMessage(NEW_TAB);
    ready();
    void navigator.locks.request(READER, read);
  });
  return promise;
}

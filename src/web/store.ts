/** Holds the state of the page: its address, the connection, and its data, which it reloads after changes. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, type Piece, readStream, Refused } from "./api.ts";

/** A part of the data; the stream names the parts that changed. */
export type Part = "sessions" | "memory" | "work" | "rules" | `session:${string}`;

export type Connection = "opening" | "live" | "lost" | "closed";

export const connection = signal<Connection>("opening");
/** The part of the address after `#`: `/session/0198`. */
export const route = signal(routeNow());
/** A message that is shown for some seconds. */
export const toast = signal<{ readonly text: string; readonly isError: boolean } | null>(null);
/** The current time, updated every second. */
export const clock = signal(Date.now());

const versions = new Map<Part, Signal<number>>();
const SLOWEST_RETRY_MS = 5_000;
const FIRST_RETRY_MS = 250;
/** The least time between two requests for data that changes all the time. */
const LEAST_BETWEEN_MS = 300;
/** The delay of requests in a hidden tab. */
const HIDDEN_MS = 5_000;
/** The least time between the starts of two calls, as a multiple of how long the first one took. */
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
  const shown = { text, isError };
  toast.value = shown;
  setTimeout(() => toast.value === shown && (toast.value = null), TOAST_MS);
}

/** Runs `work` for a person. Shows `what`, the text that `work` returns, or its error. @returns False for an error. */
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
 * Calls `load` now and after each change of the parts. Two calls begin at least `restMs` apart, and at least four times
 * as long as the first one took; a hidden tab waits some seconds. @returns `again` requests a call, `end` stops all.
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

/** The data of one address of the daemon, shared by all components that show it. */
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
        // While the daemon is gone, the last data stays.
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
 * Loads data of the daemon, again when one of its parts changes; only once, even if several components show it.
 * @param path Null loads nothing. @param restMs The least time between two requests.
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

/** Rises when the page may have missed changes, so that lists must be loaded anew. */
export const gaps = signal(0);

function take({ event, data }: Piece): void {
  const wasGone = connection.value === "lost";
  connection.value = "live";
  if (event === "gap") gaps.value++;
  // A daemon that comes back may have other data.
  if (event === "gap" || wasGone) { for (const part of versions.keys()) changed(part); }
  const sessions = Object.keys(data.sessions ?? {});
  if (sessions.length > 0) changed("sessions");
  for (const id of sessions) if (versions.has(`session:${id}`)) changed(`session:${id}`);
  for (const part of data.parts ?? []) changed(part as Part);
}

/** The message with which a new tab asks the others for the connection's state. */
const NEW_TAB = "new tab";
/** The name of the lock of the tab that reads the stream. */
const READER = "conclaude-live";

/**
 * Follows the stream. One tab reads it and passes it on to the others.
 * @returns Resolves when all further changes will be noticed, or the daemon does not answer; requests before that may
 * miss changes.
 */
export function follow(): Promise<void> {
  const channel = new BroadcastChannel("conclaude");
  const { promise, resolve: ready } = Promise.withResolvers<void>();
  /** The id of the last piece, kept up to date even while another tab reads, since this tab may have to continue. */
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
  const announce = (state: Connection) => {
    connection.value = state;
    channel.postMessage(state);
    ready();
  };
  const read = async () => {
    isReader = true;
    for (let pauseMs = FIRST_RETRY_MS;;) {
      // A stream without a start id may have begun after the data was loaded, so changes may be missing.
      let isBlind = seen.id === null;
      try {
        const onPiece = (piece: Piece) => {
          pauseMs = FIRST_RETRY_MS;
          const whole: Piece = isBlind ? { ...piece, event: "gap" } : piece;
          isBlind = false;
          take(whole);
          channel.postMessage(whole);
          ready();
        };
        await readStream(seen, onPiece, new AbortController().signal);
        announce("lost");
      } catch (thrown) {
        if (thrown instanceof Refused && thrown.status === 401) return announce("closed");
        announce("lost");
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

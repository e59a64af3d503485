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
/** Data that changes all the time is asked for so often. */
const LEAST_BETWEEN_MS = 300;
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

/** Does something for a person, and tells what came of it. */
export async function act(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    tell(what);
    return true;
  } catch (thrown) {
    tell(thrown instanceof Refused ? thrown.whole : String(thrown), true);
    return false;
  }
}

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Refused | undefined;
  readonly reload: () => void;
}

/**
 * Data of the daemon, asked for anew when one of its parts changes. @param path Null asks for nothing.
 * @param restMs The least time between two requests.
 */
export function useData<Value>(
  path: string | null,
  parts: readonly Part[],
  restMs = LEAST_BETWEEN_MS,
): Loaded<Value> {
  const [held, hold] = useState<{ path: string | null; value?: Value; error?: Refused }>({ path });
  const [asked, askAgain] = useState(0);
  useEffect(() => {
    if (path === null) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastMs = 0;
    const load = () => {
      timer = undefined;
      lastMs = Date.now();
      ask<Value>("GET", path).then(
        (value) => isOver || hold({ path, value }),
        (error) => isOver || hold((before) => ({ ...before, path, error })),
      );
    };
    const soon = () => {
      timer ??= setTimeout(load, Math.max(0, lastMs + restMs - Date.now()));
    };
    const leave = parts.map((part) => versionOf(part).subscribe(soon));
    soon();
    return () => {
      isOver = true;
      clearTimeout(timer);
      for (const one of leave) one();
    };
  }, [path, asked, parts.join()]);
  const isCurrent = held.path === path;
  return {
    value: isCurrent ? held.value : undefined,
    error: isCurrent ? held.error : undefined,
    reload: () => askAgain(asked + 1),
  };
}

function changed(part: Part): void {
  versionOf(part).value++;
}

function take({ event, data }: Piece): void {
  connection.value = "live";
  if (event === "hello") return;
  if (event === "gap") {
    for (const part of versions.keys()) changed(part);
    return;
  }
  const sessions = Object.keys(data.sessions ?? {});
  if (sessions.length > 0) changed("sessions");
  for (const id of sessions) if (versions.has(`session:${id}`)) changed(`session:${id}`);
  for (const part of data.parts ?? []) changed(part as Part);
}

/** What a tab says that wants to know how the stream stands. */
const NEW_TAB = "new tab";

/** Follows the stream. Of all tabs one reads it, and tells the others. */
export function follow(): void {
  const channel = new BroadcastChannel("conclaude");
  let isReader = false;
  channel.onmessage = ({ data }: MessageEvent<Piece | Connection | typeof NEW_TAB>) => {
    if (data === NEW_TAB) { if (isReader) channel.postMessage(connection.value); }
    else if (typeof data === "string") connection.value = data;
    else take(data);
  };
  channel.postMessage(NEW_TAB);
  void navigator.locks.request("conclaude-live", async () => {
    isReader = true;
    const seen = { id: null as string | null };
    const say = (state: Connection) => {
      connection.value = state;
      channel.postMessage(state);
    };
    for (let pauseMs = FIRST_RETRY_MS;;) {
      try {
        const told = (piece: Piece) => {
          pauseMs = FIRST_RETRY_MS;
          take(piece);
          channel.postMessage(piece);
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
  });
}

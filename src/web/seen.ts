/** Keeps in this browser up to which time a person has seen each session. */
import { signal } from "@preact/signals";

const KEY = "conclaude-seen";
/** The most sessions that are remembered; those that were seen longest ago are dropped. */
const MOST = 500;

const seen = signal<Readonly<Record<string, number>>>(storedTimes());

function storedTimes(): Record<string, number> {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

/** Returns epoch milliseconds; null for a session that nobody has marked. */
export function seenUpTo(sessionId: string): number | null {
  return seen.value[sessionId] ?? null;
}

export function markSeen(sessionId: string, atMs: number): void {
  const entries = Object.entries({ ...storedTimes(), [sessionId]: atMs });
  const newest = entries.toSorted(([, a], [, b]) => b - a).slice(0, MOST);
  seen.value = Object.fromEntries(newest);
  localStorage.setItem(KEY, JSON.stringify(seen.value));
}

// Other tabs mark sessions as well.
addEventListener("storage", ({ key }) => {
  if (key === KEY) seen.value = storedTimes();
});

/** Up to when a person has seen each session; this browser keeps it. */
import { signal } from "@preact/signals";

const KEY = "conclaude-seen";
/** More sessions are not remembered: those that were seen longest ago go. */
const MOST = 500;

const seen = signal<Readonly<Record<string, number>>>(kept());

function kept(): Record<string, number> {
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    return {};
  }
}

/** In epoch milliseconds; null for a session that nobody has marked. */
export function seenUpTo(sessionId: string): number | null {
  return seen.value[sessionId] ?? null;
}

export function markSeen(sessionId: string, atMs: number): void {
  const entries = Object.entries({ ...kept(), [sessionId]: atMs });
  const newest = entries.toSorted(([, a], [, b]) => b - a).slice(0, MOST);
  seen.value = Object.fromEntries(newest);
  localStorage.setItem(KEY, JSON.stringify(seen.value));
}

// Other tabs mark as well.
addEventListener("storage", ({ key }) => {
  if (key === KEY) seen.value = kept();
});

/** Notices of the browser about what waits for a person; only where the person has asked for them. */
import { signal } from "@preact/signals";
import { go, tell } from "./store.ts";

/** Something that waits, once for all tabs by its key. */
export interface Waiting {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  /** The address of the screen. */
  readonly path: string;
}

const KEPT = "conclaude-notices";

/** Whether a person has asked for notices, and the browser lets the page show them. */
export const hasNotices = signal(mayShow());

function mayShow(): boolean {
  return localStorage.getItem(KEPT) === "on" && Notification.permission === "granted";
}

/** Switches notices on, which the browser may ask about, or off. */
export async function switchNotices(isOn: boolean): Promise<void> {
  localStorage.setItem(KEPT, isOn ? "on" : "off");
  if (isOn && await Notification.requestPermission() !== "granted") {
    tell("The browser forbids notices: allow them for this page in its settings", true);
  }
  hasNotices.value = mayShow();
}

let known: ReadonlySet<string> | null = null;

/** Shows what waits now and did not before. What waits already when the page opens is not told. */
export function tellWaiting(waiting: readonly Waiting[]): void {
  const before = known;
  known = new Set(waiting.map(({ key }) => key));
  if (before === null || !mayShow()) return;
  for (const { key, title, text, path } of waiting.filter(({ key }) => !before.has(key))) {
    // With the same tag the browser shows one notice, whichever tabs ask for it.
    new Notification(title, { body: text, tag: key }).onclick = () => {
      focus();
      go(path);
    };
  }
}

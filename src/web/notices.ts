/** Shows the browser's notices about what waits for a person, if the person has switched them on. */
import { signal } from "@preact/signals";
import { go, tell } from "./store.ts";

/** Something that waits for a person. All tabs use the same key for it. */
export interface Waiting {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  /** The address of the screen. */
  readonly path: string;
}

const STORAGE_KEY = "conclaude-notices";

/** Whether notices are switched on and the browser permits them. */
export const hasNotices = signal(mayShow());

function mayShow(): boolean {
  return localStorage.getItem(STORAGE_KEY) === "on" && Notification.permission === "granted";
}

/** Switches notices on or off; the browser may ask for permission. */
export async function switchNotices(isOn: boolean): Promise<void> {
  localStorage.setItem(STORAGE_KEY, isOn ? "on" : "off");
  if (isOn && await Notification.requestPermission() !== "granted") {
    tell("The browser forbids notices: allow them for this page in its settings", true);
  }
  hasNotices.value = mayShow();
}

let known: ReadonlySet<string> | null = null;

/** Shows a notice for everything that begins to wait; not for what waits already when the page opens. */
export function tellWaiting(waiting: readonly Waiting[]): void {
  const before = known;
  known = new Set(waiting.map(({ key }) => key));
  if (before === null || !mayShow()) return;
  for (const { key, title, text, path } of waiting.filter(({ key }) => !before.has(key))) {
    // The tag makes the browser show one notice, even if several tabs create it.
    new Notification(title, { body: text, tag: key }).onclick = () => {
      focus();
      go(path);
    };
  }
}

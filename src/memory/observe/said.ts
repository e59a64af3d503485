/** A text that somebody said: a prompt, a message, a rule, a note. */
import { digestOf } from "../fnv.ts";
import type { ObservationKind, Observed } from "../observation.ts";
import { headAndTail, titleLine } from "../text.ts";

/** Longer texts keep head and tail; the whole is behind the observation. */
export const KEPT_WORDS = { head: 48_000, tail: 16_000 };

/** A text that somebody said; null when there is nothing in it. */
export function said(kind: ObservationKind, text: string): Observed | null {
  if (text === "") return null;
  return {
    kind,
    outcome: null,
    title: titleLine(text),
    text: headAndTail(text, KEPT_WORDS),
    files: [],
    facts: {},
    sameAs: `${kind} ${digestOf(text)}`,
  };
}

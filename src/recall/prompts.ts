/** What a person has asked between two moments, also where it waits yet to be worked in: prompts come behind commands there. */
import type { DatabaseSync } from "node:sqlite";
import { isUserError } from "../errors.ts";
import { textIn } from "../memory/text.ts";
import { readPayload, type StoredPayload } from "../store/payloads.ts";
import { promptsWaiting } from "../store/queue_work.ts";
import { promptsBetween } from "../store/session_observations.ts";

/** Behind that stands what was pasted. */
const MAX_CHARS = 2_000;

/** A prompt. */
export interface Prompt {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

/** The prompts of a session between two moments, both included; oldest first. */
export function promptsOf(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number },
): Prompt[] {
  const waiting = promptsWaiting(db, sessionId, between)
    .map((stored) => ({ text: textOf(stored), atMs: stored.createdAtMs }));
  const known = promptsBetween(db, sessionId, between)
    .map(({ text, updatedAtMs }) => ({ text, atMs: updatedAtMs }));
  return [...known, ...waiting].map(({ text, atMs }) => ({ text: text.slice(0, MAX_CHARS), atMs }))
    .sort((one, other) => one.atMs - other.atMs);
}

/** Empty where Claude Code says it, and where what is stored is damaged: its own capture tells of that. */
function textOf(stored: StoredPayload): string {
  try {
    const text = textIn(readPayload(stored).value, "prompt").trim();
    return text.startsWith("<") ? "" : text;
  } catch (thrown) {
    if (!isUserError(thrown)) throw thrown;
    return "";
  }
}

/** Tells words apart: a prompt, Claude's last message of a turn, the summary of a compaction. They have no id that lasts. */
import { digestOf } from "./fnv.ts";
import { titleLine } from "./text.ts";
import type { ItemKind } from "./transcript/reader.ts";
import { bareSummary } from "./transcript/spoken.ts";

/** What somebody said, by who and when. */
export type WordsKind = Exclude<ItemKind, "toolUse">;

/** Under which name hooks keep words, and the field of the payload that holds them. */
export const WORDS: Readonly<
  Record<WordsKind, { readonly event: string; readonly field: string }>
> = {
  prompt: { event: "UserPromptSubmit", field: "prompt" },
  lastMessage: { event: "Stop", field: "last_assistant_message" },
  compaction: { event: "PostCompact", field: "compact_summary" },
};

/** Longest title of a session, in characters. */
export const MAX_SESSION_TITLE_CHARS = 120;

const MAX_COMPARED_CHARS = 2_000;
const COMPARED_TITLE_CHARS = 100;

/** What words a capture of this name holds; null for a tool use. */
function wordsKindOf(toolName: string): WordsKind | null {
  for (const kind of ["prompt", "lastMessage", "compaction"] as const) {
    if (WORDS[kind].event === toolName) return kind;
  }
  return null;
}

/** Of the words of a capture; empty for a tool use, and for a payload that cannot be read. */
export function keysOfCapture(toolName: string, payload: string): readonly string[] {
  return wordsOf(toolName, payload).map(({ kind, text }) => textKey(kind, text));
}

/** Of the titles that the prompt in a capture may have given to its session. */
export function titleKeysOfCapture(toolName: string, payload: string): readonly string[] {
  return wordsOf(toolName, payload).flatMap(({ kind, text }) =>
    kind === "prompt" ? titleKeysOf(text) : []
  );
}

/** Of the words that an observation may be made of; empty for one of anything else. */
export function keysOfObservation(kind: string, text: string): readonly string[] {
  // What Claude Code sends in a person's place is a message.
  const kinds: readonly WordsKind[] = kind === "prompt"
    ? ["prompt"]
    : kind === "message"
    ? ["prompt", "lastMessage", "compaction"]
    : [];
  return kinds.map((one) => textKey(one, text));
}

/** A hook makes one line of the whole prompt, a transcript is told by its first line. */
export function titleKeysOf(prompt: string): readonly string[] {
  return [...new Set([titleKey(titleLine(prompt, MAX_SESSION_TITLE_CHARS)), titleKey(prompt)])];
}

function wordsOf(
  toolName: string,
  payload: string,
): readonly { readonly kind: WordsKind; readonly text: string }[] {
  const kind = wordsKindOf(toolName);
  if (kind === null) return [];
  try {
    return [{ kind, text: String(Object(JSON.parse(payload))[WORDS[kind].field]) }];
  } catch {
    return [];
  }
}

/** Of the title of a session. */
export function titleKey(title: string): string {
  return `title ${digestOf(compared(title).slice(0, COMPARED_TITLE_CHARS).replace(/[\s…]+$/, ""))}`;
}

function textKey(kind: WordsKind, text: string): string {
  return `${kind} ${digestOf(compared(kind === "compaction" ? bareSummary(text) : text))}`;
}

function compared(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_COMPARED_CHARS);
}

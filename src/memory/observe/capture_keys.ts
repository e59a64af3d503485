/**
 * Makes keys by which a capture is recognised again in a transcript, a fork or an import: for tool uses, whose ids some
 * gateways repeat in each session, and for prompts, last messages and compactions, which have no id.
 */
import { quietly } from "../../base/errors.ts";
import { digestOf } from "../../base/fnv.ts";
import { withoutMark } from "../text.ts";
import type { ItemKind } from "../../claude/transcript/transcript_reader.ts";
import { bareSummary } from "../../claude/transcript/spoken.ts";

/** The kinds of words: prompts, last messages of turns, and summaries of compactions. */
export type WordsKind = Exclude<ItemKind, "toolUse">;

/** The event under which hooks store words, and the field of the payload that holds them. */
export const WORDS: Readonly<
  Record<WordsKind, { readonly event: string; readonly field: string }>
> = {
  prompt: { event: "UserPromptSubmit", field: "prompt" },
  lastMessage: { event: "Stop", field: "last_assistant_message" },
  compaction: { event: "PostCompact", field: "compact_summary" },
};

const MAX_COMPARED_CHARS = 2_000;
const COMPARED_TITLE_CHARS = 100;

/** Returns the kind of words that captures of this event hold; null for a tool use. */
export function wordsKindOf(toolName: string): WordsKind | null {
  const kinds = ["prompt", "lastMessage", "compaction"] as const;
  return kinds.find((kind) => WORDS[kind].event === toolName) ?? null;
}

/** Returns the keys of a capture's words; empty for a tool use, and for a payload that cannot be read. */
export function keysOfCapture(toolName: string, payload: string): readonly string[] {
  return wordsOf(toolName, payload).map(({ kind, text }) => textKey(kind, text));
}

/** Returns the keys of the titles that the prompt in a capture may have given to its session. */
export function titleKeysOfCapture(toolName: string, payload: string): readonly string[] {
  return wordsOf(toolName, payload).flatMap(({ kind, text }) =>
    kind === "prompt" ? titleKeysOf(text) : []
  );
}

/** Returns the keys of the words from which an observation may be made; empty for other kinds. */
export function keysOfObservation(kind: string, text: string): readonly string[] {
  // A prompt that Claude Code sends in a person's place is observed as a message.
  if (kind === "prompt") return [textKey(kind, text)];
  const kinds = ["prompt", "lastMessage", "compaction"] as const;
  return kind === "message" ? kinds.map((one) => textKey(one, text)) : [];
}

/** Returns keys of the titles that a prompt may have given. Older versions took a title from the first line. */
export function titleKeysOf(prompt: string): readonly string[] {
  const line = prompt.split("\n").find((line) => line.trim() !== "") ?? "";
  return [...new Set([titleKey(withoutMark(line)), titleKey(prompt)])];
}

function wordsOf(
  toolName: string,
  payload: string,
): readonly { readonly kind: WordsKind; readonly text: string }[] {
  const kind = wordsKindOf(toolName);
  const fields = kind === null ? undefined : quietly(() => Object(JSON.parse(payload)));
  return kind === null || !fields ? [] : [{ kind, text: String(fields[WORDS[kind].field]) }];
}

/** Returns the key of a title, which equals the key of the prompt that gave it. */
export function titleKey(title: string): string {
  return `title ${digestOf(compared(title).slice(0, COMPARED_TITLE_CHARS).replace(/[\s…]+$/, ""))}`;
}

function textKey(kind: WordsKind, text: string): string {
  return `${kind} ${digestOf(compared(kind === "compaction" ? bareSummary(text) : text))}`;
}

function compared(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_COMPARED_CHARS);
}

/** The first characters of a field that are compared, since a payload may lack the middle of a long field. */
const COMPARED_CHARS = 500;

/** Matches the run of letters and digits that makes an id unique. */
const UNIQUE_ID = /[0-9a-z]{20}/i;

/**
 * Returns the key of a tool use: its id, tool and input; null when the payload of its capture, in JSON, holds no input
 * any more. The session does not count, since a fork repeats the tool uses of its parent. `description` and flags do not
 * count either, because Claude Code does not always send them.
 */
export function useKeyOfCapture(
  { toolUseId, toolName, payload }: Readonly<Record<"toolUseId" | "toolName" | "payload", string>>,
): string | null {
  const input = quietly(() => Object(JSON.parse(payload)).tool_input);
  if (input === undefined) return null;
  const fields = Object.entries(Object(input))
    .filter(([name, value]) => name !== "description" && isTelling(value))
    .map(([name, value]) => [name, headOf(value)])
    .sort();
  return `toolUse ${toolUseId} ${digestOf(JSON.stringify([toolName, ...fields]))}`;
}

/** Tells whether an id is so random that no other tool use has it, in any session. */
export function isUniqueId(toolUseId: string): boolean {
  return UNIQUE_ID.test(toolUseId);
}

function isTelling(value: unknown): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function headOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/\s+/g, " ").trim().slice(0, COMPARED_CHARS);
}

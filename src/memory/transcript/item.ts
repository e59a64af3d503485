/** What a transcript of Claude Code tells that a hook would have told as well. */

/** Where and when something in a transcript happened. */
export interface TranscriptPlace {
  /** The session that the line names. */
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Of the line. */
  readonly uuid: string;
  readonly cwd: string | null;
  /** Null where nothing is checked out by name. */
  readonly branch: string | null;
  readonly promptId: string | null;
  /** The sub-agent that did it; null for the session itself. */
  readonly agentId: string | null;
  readonly agentType: string | null;
}

/** A tool that was used, and what came of it. */
export interface TranscribedToolUse extends TranscriptPlace {
  readonly kind: "toolUse";
  readonly toolName: string;
  readonly toolUseId: string;
  readonly toolInput: unknown;
  /** What the tool gave back; what a hook calls `tool_response`. Undefined when it failed. */
  readonly response: unknown;
  /** Null when it did not fail. */
  readonly error: string | null;
}

/** What somebody said: a prompt, Claude's last message of a turn, the summary of a compaction. */
export interface TranscribedWords extends TranscriptPlace {
  readonly kind: "prompt" | "lastMessage" | "compaction";
  readonly text: string;
}

/** One thing in a transcript that memory is made of. */
export type TranscriptItem = TranscribedToolUse | TranscribedWords;

/** The kinds of items, in the order in which they are told. */
export const ITEM_KINDS = ["toolUse", "prompt", "lastMessage", "compaction"] as const;

/** One of {@linkcode ITEM_KINDS}. */
export type ItemKind = TranscriptItem["kind"];

/** Reads a transcript of Claude Code line by line, as the hooks would have seen the same session. */
import { normalizeSessionId } from "../../ids.ts";
import { messageText, promptOf, saysInterrupted } from "./spoken.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a line brings. */
export interface LineNews {
  readonly items: readonly TranscriptItem[];
  /** The session that the line names; null for none. */
  readonly sessionId: string | null;
  readonly cwd: string | null;
  /** True for a line that was copied from another session when this one was forked from it: so were those before it. */
  readonly isCopied: boolean;
}

/** Reads one transcript; it remembers what is not over yet. */
export interface TranscriptReader {
  /** The next line, as parsed JSON. What is no line of a transcript brings nothing. */
  readonly take: (line: unknown) => LineNews;
  /** Items that were still open when the transcript ended. */
  readonly end: () => readonly TranscriptItem[];
}

/** Whether a line may tell something, without reading it: most of a transcript does not. */
export function mayTell(text: string): boolean {
  return text.includes('"user"') || text.includes('"assistant"') ||
    text.includes('"queued_command"');
}

/** Reasons why Claude's message ends, after which it goes on by itself. */
const GOES_ON = new Set(["tool_use", "pause_turn"]);

interface OpenUse {
  readonly toolName: string;
  readonly toolInput: unknown;
  readonly agentType: string | null;
}

interface LastMessage {
  readonly words: TranscribedWords;
  readonly messageId: unknown;
  readonly stopReason: unknown;
}

/** A reader for one file, from its first line. */
export function transcriptReader(): TranscriptReader {
  const open = new Map<string, OpenUse>();
  let last: LastMessage | null = null;
  let latestMs = 0;

  const closeTurn = (): TranscriptItem[] => {
    const closed = last;
    last = null;
    return closed === null || GOES_ON.has(String(closed.stopReason)) ? [] : [closed.words];
  };

  const takeAnswer = (line: Fields, place: TranscriptPlace): TranscriptItem[] => {
    const message: Fields = Object(line["message"]);
    const items: TranscriptItem[] = [];
    const isMain = line["isSidechain"] !== true;
    if (isMain && last !== null && last.messageId !== message["id"]) {
      if (last.stopReason === "end_turn") items.push(...closeTurn());
      last = null;
    }
    for (const block of Array.isArray(message["content"]) ? message["content"] : []) {
      const { type, id, name, input, text } = Object(block);
      if (type === "tool_use" && typeof id === "string" && typeof name === "string") {
        open.set(id, { toolName: name, toolInput: input ?? {}, agentType: place.agentType });
        if (isMain) last = null;
      } else if (type === "text" && isMain && typeof text === "string" && text.trim() !== "") {
        const isClaude = line["isApiErrorMessage"] !== true && message["model"] !== "<synthetic>";
        last = isClaude
          ? {
            words: { ...place, kind: "lastMessage", text },
            messageId: message["id"],
            stopReason: message["stop_reason"],
          }
          : null;
      }
    }
    return items;
  };

  const takeResults = (line: Fields, place: TranscriptPlace): TranscriptItem[] => {
    const content: unknown = Object(line["message"]).content;
    return toolResults(line, content).flatMap(({ toolUseId, ...result }): TranscriptItem[] => {
      const use = open.get(toolUseId);
      open.delete(toolUseId);
      if (use === undefined) return [];
      const agentType = place.agentType ?? use.agentType;
      return [{ ...place, ...use, ...result, agentType, kind: "toolUse", toolUseId }];
    });
  };

  const takeWords = (line: Fields, place: TranscriptPlace): TranscriptItem[] => {
    const content: unknown = Object(line["message"]).content;
    if (line["isSidechain"] === true) return [];
    if (saysInterrupted(content)) {
      last = null;
      return [];
    }
    if (line["isCompactSummary"] === true) {
      const text = messageText(content);
      return [...closeTurn(), { ...place, kind: "compaction", text }];
    }
    if (hasResult(content)) return [];
    const isOwn = line["isMeta"] === true || line["isVisibleInTranscriptOnly"] === true;
    return [...closeTurn(), ...isOwn ? [] : promptItem(content, place)];
  };

  return {
    take(given) {
      const line: Fields = Object(given);
      const sessionId = normalizeSessionId(line["sessionId"]) ?? null;
      const cwd = textOf(line["cwd"]);
      const parsed = Date.parse(String(line["timestamp"]));
      if (!Number.isNaN(parsed) && parsed >= 0) latestMs = parsed;
      const copiedFrom = textOf(line["requestSessionId"]);
      const isCopied = copiedFrom !== null && sessionId !== null && copiedFrom !== sessionId;
      const uuid = textOf(line["uuid"]);
      if (isCopied) last = null;
      if (isCopied || sessionId === null || uuid === null || latestMs === 0) {
        return { items: [], sessionId, cwd, isCopied };
      }
      const place = placeOf(line, { sessionId, uuid, cwd, atMs: latestMs });
      const items = line["type"] === "assistant"
        ? takeAnswer(line, place)
        : line["type"] === "user"
        ? [...takeResults(line, place), ...takeWords(line, place)]
        : line["type"] === "attachment"
        ? takeQueued(line, place)
        : [];
      return { items, sessionId, cwd, isCopied };
    },
    end: closeTurn,
  };
}

/** A prompt that was sent while Claude worked. */
function takeQueued(line: Fields, place: TranscriptPlace): TranscriptItem[] {
  const { type, prompt, commandMode } = Object(line["attachment"]);
  if (type !== "queued_command" || line["isSidechain"] === true) return [];
  return commandMode === undefined || commandMode === "prompt" ? promptItem(prompt, place) : [];
}

function promptItem(content: unknown, place: TranscriptPlace): TranscriptItem[] {
  const text = promptOf(content);
  return text === null ? [] : [{ ...place, kind: "prompt", text }];
}

function hasResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => Object(block).type === "tool_result");
}

function placeOf(
  line: Fields,
  known: Pick<TranscriptPlace, "sessionId" | "uuid" | "cwd" | "atMs">,
): TranscriptPlace {
  const branch = textOf(line["gitBranch"]);
  return {
    ...known,
    // Claude Code writes `HEAD` where no branch is checked out, and outside of a repository.
    branch: branch === "HEAD" ? null : branch,
    promptId: textOf(line["promptId"]),
    agentId: textOf(line["agentId"]),
    agentType: textOf(line["attributionAgent"]),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** How results of tools begin that were never used, where a line does not say so in a field of its own. */
const NEVER_USED =
  /^(?:<tool_use_error>|The user doesn't want to proceed|The user doesn't want to take this action|Permission to use |\[Request interrupted)/;

/** The result of a tool use: what it gave, or why it failed. */
interface ToolResult {
  readonly toolUseId: string;
  readonly response: unknown;
  /** Null when it did not fail. */
  readonly error: string | null;
}

/** The results in a message, without those of tools that were never used: refused, unknown, called with a wrong input. */
function toolResults(line: Fields, content: unknown): ToolResult[] {
  if (!Array.isArray(content)) return [];
  const blocks: Fields[] = content.filter((block) =>
    Object(block).type === "tool_result" && typeof block.tool_use_id === "string"
  );
  // The structured result of a line is that of its one block.
  const structured = blocks.length === 1 ? line["toolUseResult"] : undefined;
  return blocks.filter((block) => wasUsed(line, block)).map((block) => {
    const toolUseId = String(block["tool_use_id"]);
    const failed = block["is_error"] === true;
    return failed
      ? { toolUseId, response: undefined, error: errorOf(structured, block["content"]) }
      : { toolUseId, response: structured ?? block["content"] ?? "", error: null };
  });
}

function wasUsed(line: Fields, block: Fields): boolean {
  if (typeof line["toolDenialKind"] === "string") return false;
  const decision = Object(line["permissionDecision"]).decision;
  if (typeof decision === "string") return decision === "accept";
  return block["is_error"] !== true || !NEVER_USED.test(plainText(block["content"]));
}

/** A hook is told the error itself; the block may have advice for Claude behind it. */
function errorOf(structured: unknown, content: unknown): string {
  return typeof structured === "string"
    ? structured.replace(/^Error: /, "")
    : plainText(content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => String(Object(block).text ?? "")).join("\n");
}

/** The place and time of something in a transcript. */
interface TranscriptPlace {
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
  /** The tool's answer, which a hook calls `tool_response`. Undefined when it failed. */
  readonly response: unknown;
  /** Null when it did not fail. */
  readonly error: string | null;
}

/** Words: a prompt, Claude's last message of a turn, the summary of a compaction. */
interface TranscribedWords extends TranscriptPlace {
  readonly kind: "prompt" | "lastMessage" | "compaction";
  readonly text: string;
}

/** One thing in a transcript that memory is made of. */
export type TranscriptItem = TranscribedToolUse | TranscribedWords;

/** The kinds of items, in the order in which they are told. */
export const ITEM_KINDS = ["toolUse", "prompt", "lastMessage", "compaction"] as const;

/** One of {@linkcode ITEM_KINDS}. */
export type ItemKind = TranscriptItem["kind"];

/** Reads a transcript of Claude Code line by line and gives what hooks would have seen of the same session. */
import { normalizeSessionId } from "../../base/ids.ts";
import { messageText, promptOf, saysInterrupted } from "./spoken.ts";
import { ownValue } from "../../base/mapping.ts";

export interface TranscriptPlace {
  readonly sessionId: string;
  readonly atMs: number;
  readonly uuid: string;
  readonly cwd: string | null;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly promptId: string | null;
  /** The sub-agent that wrote the line; null for the session itself. */
  readonly agentId: string | null;
  readonly agentType: string | null;
}

export interface TranscribedToolUse extends TranscriptPlace {
  readonly kind: "toolUse";
  readonly toolName: string;
  readonly toolUseId: string;
  readonly toolInput: unknown;
  /** The tool's answer, which a hook receives as `tool_response`; undefined when the tool failed. */
  readonly response: unknown;
  readonly error: string | null;
}

/** A prompt, Claude's last message of a turn, or the summary of a compaction. */
export interface TranscribedWords extends TranscriptPlace {
  readonly kind: "prompt" | "lastMessage" | "compaction";
  readonly text: string;
}

export type TranscriptItem = TranscribedToolUse | TranscribedWords;

export type ItemKind = TranscriptItem["kind"];

/** The kinds of items, in the order in which reports list them. */
export const ITEM_KINDS = ["toolUse", "prompt", "lastMessage", "compaction"] as const;

type Fields = Readonly<Record<string, unknown>>;

/** A message with one of these stop reasons does not end its turn. */
const GOES_ON = new Set(["tool_use", "pause_turn"]);

export function transcriptReader() {
  const open = new Map<string, Pick<TranscribedToolUse, "toolName" | "toolInput" | "agentType">>();
  let last: {
    readonly words: TranscribedWords;
    readonly messageId: unknown;
    readonly stopReason: unknown;
  } | null = null;
  let latestMs = 0;

  const closeTurn = (): TranscriptItem[] => {
    const closed = last;
    last = null;
    return closed === null || GOES_ON.has(String(closed.stopReason)) ? [] : [closed.words];
  };

  const takeAnswer = (line: Fields, place: TranscriptPlace): TranscriptItem[] => {
    const { id: messageId, content, model, stop_reason: stopReason } = Object(line["message"]);
    const items: TranscriptItem[] = [];
    const isMain = line["isSidechain"] !== true;
    if (isMain && last !== null && last.messageId !== messageId) {
      if (last.stopReason === "end_turn") items.push(...closeTurn());
      last = null;
    }
    for (const block of Array.isArray(content) ? content : []) {
      const { type, id, name, input, text } = Object(block);
      if (type === "tool_use" && typeof id === "string" && typeof name === "string") {
        open.set(id, { toolName: name, toolInput: input ?? {}, agentType: place.agentType });
        if (isMain) last = null;
      } else if (type === "text" && isMain && typeof text === "string" && text.trim() !== "") {
        const isClaude = line["isApiErrorMessage"] !== true && model !== "<synthetic>";
        const words = { ...place, kind: "lastMessage" as const, text };
        last = isClaude ? { words, messageId, stopReason } : null;
      }
    }
    return items;
  };

  const takeResults = (line: Fields, place: TranscriptPlace): TranscriptItem[] =>
    toolResults(line).flatMap(({ toolUseId, ...result }): TranscriptItem[] => {
      const use = open.get(toolUseId);
      open.delete(toolUseId);
      if (use === undefined) return [];
      const agentType = place.agentType ?? use.agentType;
      return [{ ...place, ...use, ...result, agentType, kind: "toolUse", toolUseId }];
    });

  const takeWords = (line: Fields, place: TranscriptPlace): TranscriptItem[] => {
    const content = contentOf(line);
    if (line["isSidechain"] === true) return [];
    if (saysInterrupted(content)) {
      last = null;
      return [];
    }
    if (line["isCompactSummary"] === true) {
      return [...closeTurn(), { ...place, kind: "compaction", text: messageText(content) }];
    }
    if (blocksOf(content).some(({ type }) => type === "tool_result")) return [];
    const isOwn = line["isMeta"] === true || line["isVisibleInTranscriptOnly"] === true;
    return [...closeTurn(), ...isOwn ? [] : promptItem(content, place)];
  };

  /** What each type of line holds; all other types hold no items. */
  const takers: Readonly<
    Record<string, (line: Fields, place: TranscriptPlace) => TranscriptItem[]>
  > = {
    assistant: takeAnswer,
    user: (line, place) => [...takeResults(line, place), ...takeWords(line, place)],
    attachment: takeQueued,
  };

  return {
    /**
     * Takes the next line, as parsed JSON. A line of an unknown kind gives no items. `isCopied`: the line, and all before
     * it, were copied from the session that this one was forked from.
     */
    take(given: unknown) {
      const line: Fields = Object(given);
      const sessionId = normalizeSessionId(line["sessionId"]) ?? null;
      const cwd = textOf(line["cwd"]);
      const parsed = Date.parse(String(line["timestamp"]));
      if (!Number.isNaN(parsed) && parsed >= 0) latestMs = parsed;
      const copiedFrom = textOf(line["requestSessionId"]);
      const isCopied = copiedFrom !== null && sessionId !== null && copiedFrom !== sessionId;
      const uuid = textOf(line["uuid"]);
      const take = ownValue(takers, String(line["type"]));
      if (isCopied) last = null;
      if (isCopied || sessionId === null || uuid === null || latestMs === 0 || !take) {
        const items: TranscriptItem[] = [];
        return { items, sessionId, cwd, isCopied };
      }
      const place = placeOf(line, { sessionId, uuid, cwd, atMs: latestMs });
      return { items: take(line, place), sessionId, cwd, isCopied };
    },
    /** Returns the items that were still open at the end of the transcript. */
    end: (): readonly TranscriptItem[] => closeTurn(),
  };
}

/** Returns a prompt that a person sent while Claude worked. */
function takeQueued(line: Fields, place: TranscriptPlace): TranscriptItem[] {
  const { type, prompt, commandMode } = Object(line["attachment"]);
  if (type !== "queued_command" || line["isSidechain"] === true) return [];
  return commandMode === undefined || commandMode === "prompt" ? promptItem(prompt, place) : [];
}

function promptItem(content: unknown, place: TranscriptPlace): TranscriptItem[] {
  const text = promptOf(content);
  return text === null ? [] : [{ ...place, kind: "prompt", text }];
}

function contentOf(line: Fields): unknown {
  return Object(line["message"]).content;
}

function blocksOf(content: unknown): readonly Fields[] {
  return Array.isArray(content) ? content.map((block) => Object(block)) : [];
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

/** Matches the result of a tool that was never used, on lines without a field that says so. */
const NEVER_USED =
  /^(?:<tool_use_error>|The user doesn't want to proceed|The user doesn't want to take this action|Permission to use |\[Request interrupted)/;

/** Returns the results in a message, without those of tools that were refused, are unknown, or got a wrong input. */
function toolResults(line: Fields): Pick<TranscribedToolUse, "toolUseId" | "response" | "error">[] {
  const blocks = blocksOf(contentOf(line)).filter((block) =>
    block["type"] === "tool_result" && typeof block["tool_use_id"] === "string"
  );
  // A line with one result also has that result in a structured form.
  const structured = blocks.length === 1 ? line["toolUseResult"] : undefined;
  return blocks.filter((block) => wasUsed(line, block)).map((block) => {
    const toolUseId = String(block["tool_use_id"]);
    return block["is_error"] === true
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

/** Returns the error as a hook gets it. The block may add advice for Claude. */
function errorOf(structured: unknown, content: unknown): string {
  return typeof structured === "string"
    ? structured.replace(/^Error: /, "")
    : plainText(content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1");
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return blocksOf(content).map(({ text }) => String(text ?? "")).join("\n");
}

/** Reads from a line of a transcript how many tokens a message of Claude took. */
import { digestOf } from "../../base/fnv.ts";

/** The kinds of tokens that have a price of their own. */
export const TOKEN_KINDS = ["input", "output", "cacheRead", "cacheWrite"] as const;

export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The number of tokens of each kind. */
export type Tokens = Readonly<Record<TokenKind, number>>;

export interface MessageUsage extends Tokens {
  /** Identifies the message, which has several lines; a fork repeats them. The last line counts for the message. */
  readonly id: string;
  readonly model: string;
  /** `main` for the session itself, else the type of its sub-agent. */
  readonly agent: string;
  /** The session that a fork copied the line from; null for a line of the session's own. */
  readonly copiedFrom: string | null;
  readonly atMs: number;
}

/** A text that is in every line about tokens. */
export const TELLS_USAGE = '"usage"';

/** The model that Claude Code names in a message that it writes itself. */
const NO_MODEL = "<synthetic>";
const MAX_NAME_CHARS = 100;

/** Reads how many tokens a message took. @param line Parsed JSON. @returns Null for a line without Claude's message. */
export function usageOf(line: unknown): MessageUsage | null {
  const { type, message, requestId, requestSessionId, sessionId, ...other } = Object(line);
  const { id, model, usage } = Object(message);
  const atMs = Date.parse(String(other.timestamp));
  if (type !== "assistant" || Object(usage) !== usage || Number.isNaN(atMs)) return null;
  if (typeof model !== "string" || model === "" || model === NO_MODEL) return null;
  return {
    id: digestOf(`${id ?? other.uuid}/${requestId ?? ""}`),
    model: model.slice(0, MAX_NAME_CHARS),
    agent: agentOf(other),
    copiedFrom: typeof requestSessionId === "string" && requestSessionId !== sessionId
      ? requestSessionId
      : null,
    atMs,
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
  };
}

/** Returns the type of an agent. Older versions do not name the type of a sub-agent. */
function agentOf(
  { agentId, isSidechain, attributionAgent }: Readonly<Record<string, unknown>>,
): string {
  if (isSidechain !== true && typeof agentId !== "string") return "main";
  return typeof attributionAgent === "string" && attributionAgent !== ""
    ? attributionAgent.slice(0, MAX_NAME_CHARS)
    : "sub-agent";
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}

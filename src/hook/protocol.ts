/** Reads what Claude Code writes to a hook's stdin, and makes a {@linkcode HookEvent} of it. */
import type { Environment } from "../system/environment.ts";
import { normalizeSessionId } from "../base/ids.ts";

/** One hook event. A field that was absent or of another type is null. */
export interface HookEvent {
  readonly name: string;
  readonly sessionId: string | null;
  readonly transcriptPath: string | null;
  readonly cwd: string | null;
  readonly permissionMode: string | null;
  readonly toolName: string | null;
  readonly toolUseId: string | null;
  /** The input as it was sent, of any type; undefined when it was not sent. */
  readonly toolInput: unknown;
  readonly stopHookActive: boolean;
  /** Every field beside the common ones, under Claude Code's names. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** The JSON object that a hook writes to stdout; null for none. */
export type Answer = Readonly<Record<string, unknown>> | null;

export type Input =
  & { readonly text: string; readonly cutBytes: number }
  & (
    | { readonly kind: "event"; readonly fields: Readonly<Record<string, unknown>> }
    | { readonly kind: "unreadable"; readonly problem: string }
  );

const MAX_NAME_CHARS = 256;
const MAX_PATH_CHARS = 4_096;
/** The longest input that is parsed whole, in bytes. The values of a longer one may not fit into memory. */
const MAX_PARSED_BYTES = 4_194_304;
/** How many bytes of a longer input are read. */
const KEPT_BYTES = 2_097_152;

/** Reads standard input. From an input that is too large, it takes the beginnings of the long texts. */
export async function readInput(stdin: string | Uint8Array): Promise<Input> {
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  if (bytes.length <= MAX_PARSED_BYTES) return parseInput(new TextDecoder().decode(bytes));
  const { shortenJson } = await import("../claude/shorten.ts");
  const { text, cutBytes } = shortenJson(bytes, KEPT_BYTES);
  return parseInput(text, cutBytes);
}

/** Reads the text of stdin; never throws. @param cutBytes How many bytes of stdin the text lacks. */
export function parseInput(text: string, cutBytes = 0): Input {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    // The message of `JSON.parse` quotes the text, including secrets.
    const problem = text.trim() === "" ? "stdin was empty" : "stdin is not JSON";
    return { kind: "unreadable", problem, text, cutBytes };
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    return { kind: "unreadable", problem: "stdin holds JSON, but not an object", text, cutBytes };
  }
  return { kind: "event", fields: fields as Record<string, unknown>, text, cutBytes };
}

/**
 * Returns the same JSON with plain letters and signs: `<private>` for `\u003cprivate>`, `https://` for `https:\/\/`.
 * Lone surrogates, quotes, backslashes and control characters stay escaped.
 */
export function withPlainLetters(text: string): string {
  if (!text.includes("\\u") && !text.includes("\\/")) return text;
  const escapes = /\\(?:\\|\/|u(00[2-7a-f][0-9a-f]|(?!d[89a-f]|00)[0-9a-f]{4}))/gi;
  return text.replace(escapes, (whole: string, hex: string | undefined) => {
    if (whole === "\\/") return "/";
    const letter = hex === undefined ? "\\" : String.fromCharCode(parseInt(hex, 16));
    return letter === '"' || letter === "\\" || letter === "\x7f" ? whole : letter;
  });
}

/** Makes an event from its fields. @param eventName The name on the command line, which wins over the payload's. */
export function toEvent(
  fields: Readonly<Record<string, unknown>>,
  eventName: string | undefined,
): HookEvent {
  // The common fields have their own columns in the audit row or the session.
  const { session_id, transcript_path, cwd, hook_event_name, permission_mode, ...own } = fields;
  return {
    name: nameOf(eventName) ?? nameOf(hook_event_name) ?? "unknown",
    sessionId: normalizeSessionId(session_id) ?? null,
    transcriptPath: textOf(transcript_path, MAX_PATH_CHARS),
    cwd: textOf(cwd, MAX_PATH_CHARS),
    permissionMode: nameOf(permission_mode),
    toolName: nameOf(own["tool_name"]),
    toolUseId: nameOf(own["tool_use_id"]),
    toolInput: own["tool_input"],
    stopHookActive: own["stop_hook_active"] === true,
    own,
  };
}

/** Returns the fields that identify events, sessions and tools. A user's own pattern does not mask them. */
export function identityOf(
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = "session_id hook_event_name tool_name tool_use_id prompt_id agent_id".split(" ");
  const sent = names.filter((name) => Object.hasOwn(fields, name));
  return Object.fromEntries(sent.map((name) => [name, fields[name]]));
}

/** Returns the folder that the session is in; null when it was not sent. */
export function folderOf(fields: Readonly<Record<string, unknown>>): string | null {
  return textOf(fields["cwd"], MAX_PATH_CHARS);
}

/** Returns the session's transcript as it was sent; null when it was not sent. */
export function transcriptOf(fields: Readonly<Record<string, unknown>>): string | null {
  return textOf(fields["transcript_path"], MAX_PATH_CHARS);
}

/** Returns a short name that was sent (a reason, a source), safe to store; null for anything else. */
export function nameOf(value: unknown): string | null {
  return textOf(value, MAX_NAME_CHARS);
}

/** Returns a string that is safe to store (not empty, no NUL, no lone surrogates, of limited length), or null. */
function textOf(value: unknown, maxChars: number): string | null {
  if (typeof value !== "string" || value === "") return null;
  return value.slice(0, maxChars).replaceAll("\u0000", "").toWellFormed() || null;
}

/** Adds texts for Claude to the answer to an event; empty texts add nothing. */
export function withContext(answer: Answer, event: string, ...texts: readonly string[]): Answer {
  const own = Object(answer?.["hookSpecificOutput"]);
  const told = [own.additionalContext ?? "", ...texts].filter((text) => text !== "");
  return told.length === 0 ? answer : {
    ...answer,
    hookSpecificOutput: { hookEventName: event, ...own, additionalContext: told.join("\n\n") },
  };
}

/** Returns how long a run has taken so far, in milliseconds with three decimals. */
export function elapsedMs({ beganMs }: Environment): number {
  return Math.round((performance.now() - beganMs) * 1000) / 1000;
}

/** Tells whether a command has not ended, but goes on in the background. */
export function goesOn(response: unknown): boolean {
  return (Object(response).backgroundTaskId ?? null) !== null;
}

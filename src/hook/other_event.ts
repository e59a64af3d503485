import { exclusionOf } from "../capture/exclusion.ts";
import { filesTouched, summarizeInput } from "../capture/payload.ts";
import type { Answer, HookWork } from "./handler.ts";

/** Longest title of a session, in characters. */
const MAX_TITLE_CHARS = 120;

/** What a tool is about to be used for comes again, whole, when it has been. */
const TOOL_LIMITS = { maxChars: 200, maxBytes: 800 };

/** Every event without a rule of its own, known or not: it is recorded, and answered with nothing. */
export async function handle(work: HookWork): Promise<Answer> {
  const { event, problem } = work;
  if (problem !== null) {
    await work.save({
      status: "failure",
      errorMessage: problem,
      metadata: work.keepsContent ? summarizeInput({ stdin: work.text }) : {},
    });
    return null;
  }
  if (!work.keepsContent) {
    await work.save({ session: sessionOf(work) });
    return null;
  }
  const skipped = exclusion(work, event.toolName, event.toolInput);
  if (skipped !== null) {
    await work.save({ status: "skipped", metadata: { skipped } });
    return null;
  }
  const { tool_name: _name, tool_use_id: _id, ...own } = event.own;
  const rest = Array.isArray(own["tool_calls"])
    ? { ...own, tool_calls: own["tool_calls"].map((call) => withoutExcluded(call, work)) }
    : own;
  const files = event.toolName === null
    ? {}
    : { files: filesTouched(event.toolName, event.toolInput) };
  await work.save({
    session: sessionOf(work),
    metadata: { ...files, ...summarizeInput(rest, event.toolName === null ? {} : TOOL_LIMITS) },
    counters: event.name === "UserPromptSubmit" ? ["prompts"] : [],
  });
  return null;
}

/** Which key of the configuration keeps a tool use out; null when it may be told, and for what is no tool use. */
function exclusion(
  { config, event, projectDir }: HookWork,
  toolName: unknown,
  toolInput: unknown,
): string | null {
  if (typeof toolName !== "string") return null;
  return exclusionOf(config, { toolName, toolInput, folder: event.cwd, projectDir });
}

/** One tool use of a batch: of one that is kept out, only its name. */
function withoutExcluded(call: unknown, work: HookWork): unknown {
  if (typeof call !== "object" || call === null) return call;
  const name: unknown = Reflect.get(call, "tool_name");
  const skipped = exclusion(work, name, Reflect.get(call, "tool_input"));
  return skipped === null ? call : { tool_name: name, skipped };
}

/** A prompt can only come from a live session, and the first one says what the session is about. */
function sessionOf({ event, keepsContent }: HookWork) {
  if (event.name !== "UserPromptSubmit") return {};
  return { effect: "revive" as const, title: keepsContent ? titleOf(event.own) : null };
}

function titleOf(own: Readonly<Record<string, unknown>>): string | null {
  const given = own["session_title"];
  if (typeof given === "string" && given.trim() !== "") return clip(given);
  const prompt = own["prompt"];
  // A prompt that begins with a tag is a message of Claude Code's own (a finished background task).
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.trimStart().startsWith("<")) {
    return null;
  }
  return clip(prompt);
}

function clip(text: string): string {
  const line = text.replaceAll("\u0000", "").replace(/\s+/g, " ").trim().toWellFormed();
  return line.length <= MAX_TITLE_CHARS
    ? line
    : `${line.slice(0, MAX_TITLE_CHARS - 1).toWellFormed()}…`;
}

import {
  filesTouched,
  serializePayload,
  sessionTitleOf,
  summarizeInput,
} from "../claude/payload.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import type { Capture } from "../db/captures.ts";

/** The beginnings of Claude Code's own prompts. `memory` has the whole list, which takes too long to load. */
const OWN_PROMPT = /^\s*(?:<|This session is being continued from )/;
/** The limits of a tool's input. They are small because PostToolUse stores the whole input. */
const TOOL_LIMITS = { maxChars: 200, maxBytes: 800 };

/** Events that begin or end subagents and questions. */
const TELLING: ReadonlySet<string> = new Set([
  "SubagentStart",
  "Notification",
  "Elicitation",
  "ElicitationResult",
  "PostToolBatch",
  "StopFailure",
]);

/** Records every other event, known or not, and answers nothing. */
export async function handle(work: HookWork): Promise<Answer> {
  const { event: { name }, problem, config } = work;
  if (problem === null && TELLING.has(name)) {
    await (await import("./told.ts")).saveTold(work);
  }
  const draft = { ...await draftOf(work), ...await saidIn(work) };
  const mayChange = problem === null && name === "UserPromptExpansion" &&
    config.requirements !== "";
  const changes = mayChange ? (await import("./command_changes.ts")).changesOfCommand(work) : [];
  await work.save({ ...draft, changes });
  return null;
}

export async function draftOf(work: HookWork): Promise<Draft> {
  const { event, problem } = work;
  if (problem !== null) {
    return {
      status: "failure",
      errorMessage: problem,
      metadata: work.keepsContent ? summarizeInput({ stdin: work.maskedText() }) : {},
    };
  }
  if (!work.keepsContent) return { session: sessionOf(work) };
  const { toolName, toolInput } = event;
  const skipped = toolName === null ? null : await work.exclusion(toolName, toolInput);
  if (skipped !== null) return { status: "skipped", metadata: { skipped } };
  const { tool_name: _name, tool_use_id: _id, tool_calls: calls, ...own } = event.own;
  const rest = Array.isArray(calls)
    ? { ...own, tool_calls: await Promise.all(calls.map((call) => withoutExcluded(call, work))) }
    : { ...own, ...(calls === undefined ? {} : { tool_calls: calls }) };
  const files = toolName === null ? {} : { files: filesTouched(toolName, toolInput) };
  return {
    session: sessionOf(work),
    metadata: { ...files, ...summarizeInput(rest, toolName === null ? {} : TOOL_LIMITS) },
    counters: event.name === "UserPromptSubmit" ? ["prompts"] : [],
  };
}

/** Stores only the name of a batch's tool use that the configuration excludes. */
async function withoutExcluded(call: unknown, work: HookWork): Promise<unknown> {
  const { tool_name: name, tool_input: toolInput, tool_response: toolResponse } = Object(call);
  if (typeof name !== "string") return call;
  const skipped = await work.exclusion(name, toolInput, { toolResponse });
  return skipped === null ? call : { tool_name: name, skipped };
}

/** Lets a prompt revive its session. The first prompt gives the session its title. */
function sessionOf({ event, keepsContent }: HookWork) {
  if (event.name !== "UserPromptSubmit") return {};
  return { effect: "revive" as const, title: keepsContent ? titleOf(event.own) : null };
}

function titleOf(own: Readonly<Record<string, unknown>>): string | null {
  const given = own["session_title"];
  if (typeof given === "string" && given.trim() !== "") return sessionTitleOf(given);
  const prompt = own["prompt"];
  if (typeof prompt !== "string" || prompt.trim() === "" || OWN_PROMPT.test(prompt)) return null;
  return sessionTitleOf(prompt);
}

/** Masks texts that quote a command or its output. Returns none when no content is stored. */
export async function tellable(
  { keepsContent, mask }: HookWork,
  draft: Draft,
  texts: readonly string[],
): Promise<readonly string[]> {
  if (draft.status === "skipped" || !keepsContent) return [];
  return texts.every((text) => text === "") ? [] : await mask(texts);
}

/** The field of an event that is stored whole, and other fields that are stored beside it. */
const SAID = new Map<string, readonly [field: string, ...beside: string[]]>([
  ["UserPromptSubmit", ["prompt"]],
  ["Stop", ["last_assistant_message"]],
  ["StopFailure", ["error", "last_assistant_message", "error_details"]],
  ["PostCompact", ["compact_summary"]],
]);

/** Returns the part of a draft that stores what was said; empty without words, and when no content is stored. */
export async function saidIn(work: HookWork): Promise<Pick<Draft, "capture">> {
  const { event, keepsContent } = work;
  const [field = "", ...beside] = SAID.get(event.name) ?? [];
  const text = event.own[field];
  if (!keepsContent || typeof text !== "string" || text.trim() === "") return {};
  const more = beside.map((name) => [name, event.own[name]]);
  const payload = {
    [field]: text,
    ...Object.fromEntries(more.filter(([, value]) => typeof value === "string")),
    project_dir: work.shownProjectDir ?? "",
  };
  const { text: json, cutBytes } = await serializePayload(payload, {
    maxBytes: work.config.maxPayloadBytes,
    sent: work.maskedText,
  });
  const capture: Capture = {
    toolName: event.name,
    toolUseId: null,
    outcome: "success",
    priority: "normal",
    filesTouched: [],
    payload: json,
    cutBytes: cutBytes + work.cutBytes,
  };
  return { capture };
}

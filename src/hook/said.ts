/**
 * What is kept whole of an event that is no tool use: a prompt, Claude's last message, the error that ended a turn,
 * the summary of a compaction.
 */
import { serializePayload } from "../capture/payload.ts";
import type { Capture } from "../store/captures.ts";
import type { Draft, HookWork } from "./handler.ts";

/** The field of each event that is kept. */
const FIELDS: Readonly<Record<string, string>> = {
  UserPromptSubmit: "prompt",
  Stop: "last_assistant_message",
  StopFailure: "error",
  PostCompact: "compact_summary",
};
/** Fields that are kept beside it. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  StopFailure: ["last_assistant_message", "error_details"],
};

/** The part of a draft that keeps what was said; nothing where nothing was, or where nothing of the content is kept. */
export async function saidIn(work: HookWork): Promise<Pick<Draft, "capture">> {
  const { event, keepsContent } = work;
  const field = FIELDS[event.name];
  const text = field === undefined ? undefined : event.own[field];
  if (field === undefined || !keepsContent || typeof text !== "string" || text.trim() === "") {
    return {};
  }
  const more = (MORE[event.name] ?? []).map((name) => [name, event.own[name]]);
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

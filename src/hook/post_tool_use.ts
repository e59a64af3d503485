import {
  capturePriority,
  EDITING_TOOLS,
  excerpt,
  filesTouched,
  inputExcerpt,
  mayChangeUnseen,
  serializePayload,
  SHELL_TOOLS,
} from "../claude/payload.ts";
import { hasWrittenRules } from "../config/discover.ts";
import { type Capture, hasOpenQuestion } from "../db/captures.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { nameOf } from "./protocol.ts";

/** Lets Claude Code go on, and keeps the hook out of its transcript (seed 001 §4.2.1). */
const SILENT: Answer = { continue: true, suppressOutput: true };

/** Stores the tool use of a PostToolUse or PostToolUseFailure, and tells what a command changed without permission. */
export async function handle(work: HookWork): Promise<Answer> {
  if (!hasWrittenRules(work.config) || !mayChangeUnseen(work.event.toolName ?? "")) {
    return await saveUse(work, {});
  }
  const { effectsOf, withContext } = await import("./violations.ts");
  const { notes, text, blocks } = await effectsOf(work, "after");
  const answer = await saveUse(work, notes);
  if (text === "") return answer;
  return blocks
    ? { decision: "block", reason: text }
    : withContext(answer === SILENT ? null : answer, work.event.name, text);
}

/** Stores the whole tool use, unless the configuration excludes it. */
async function saveUse(work: HookWork, notes: Readonly<Record<string, unknown>>): Promise<Answer> {
  const { event, config } = work;
  const toolName = event.toolName ?? "unknown";
  const after = config.followedTools.some((tool) => tool === toolName || tool === "*")
    ? (await import("./after_use.ts")).followUp(work)
    : null;
  const changes = after === null || after.changes.length === 0 ? {} : { changes: after.changes };
  const gate: Pick<Draft, "metadata" | "counters"> = hasWrittenRules(config)
    ? await (await import("./gate_asked.ts")).gateNote(work)
    : {};
  const files = filesTouched(toolName, event.toolInput);
  const skipped = await work.exclusion(toolName, event.toolInput);
  const failed = event.name === "PostToolUseFailure";
  const counters = ["tool_uses", ...gate.counters ?? []];
  if (failed) counters.push("tool_failures");
  else if (EDITING_TOOLS.has(toolName)) counters.push("edits");
  const isWaiting = work.db !== null && hasOpenQuestion(work.db, work.sessionId);
  if (toolName === "Agent" || toolName === "Task" || isWaiting) {
    await (await import("./told.ts")).saveTold(work);
  }
  if (skipped !== null) {
    await work.save({
      status: "skipped",
      metadata: { skipped, ...gate.metadata, ...notes },
      counters,
      ...changes,
    });
    return await after?.answer() ?? SILENT;
  }
  const capture = await captureOf(work, { toolName, files, failed });
  const agentId = nameOf(event.own["agent_id"]);
  await work.save({
    capture,
    metadata: {
      files,
      input: inputExcerpt(capture.payload),
      ...(failed ? { error: excerpt(textOfError(event.own["error"])) } : {}),
      ...(agentId === null ? {} : { agentId, agentType: nameOf(event.own["agent_type"]) }),
      ...gate.metadata,
      ...notes,
    },
    counters,
    ...changes,
  });
  return await after?.answer() ?? SILENT;
}

function textOfError(error: unknown): string {
  return typeof error === "string" ? error : JSON.stringify(error) ?? "";
}

async function captureOf(
  work: HookWork,
  tool: { readonly toolName: string; readonly files: readonly string[]; readonly failed: boolean },
): Promise<Capture> {
  const { event } = work;
  const { tool_name: _name, tool_input: _input, tool_response: response, ...rest } = event.own;
  // The same command in another folder is a different command.
  const isElsewhere = SHELL_TOOLS.has(tool.toolName) && event.cwd !== null &&
    event.cwd !== work.shownProjectDir;
  const payload = {
    tool_name: tool.toolName,
    tool_input: event.toolInput === undefined ? {} : event.toolInput,
    ...(tool.failed ? {} : { tool_response: response === undefined ? {} : response }),
    project_dir: work.shownProjectDir ?? "",
    ...(isElsewhere ? { cwd: event.cwd } : {}),
    ...rest,
  };
  const { text, cutBytes } = await serializePayload(payload, {
    maxBytes: work.config.maxPayloadBytes,
    sent: work.maskedText,
  });
  return {
    toolName: tool.toolName,
    toolUseId: event.toolUseId,
    outcome: tool.failed ? "failure" : "success",
    priority: capturePriority(tool.toolName),
    filesTouched: tool.files,
    payload: text,
    cutBytes: cutBytes + work.cutBytes,
  };
}

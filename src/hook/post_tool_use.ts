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
import { hasOpenQuestion } from "../db/captures.ts";
import type { Answer, Draft, HookWork } from "./handler.ts";
import { nameOf, withContext } from "./protocol.ts";

/** Lets Claude Code go on, and keeps the hook out of its transcript. */
const SILENT: Answer = { continue: true, suppressOutput: true };

/** Stores the tool use of a PostToolUse or PostToolUseFailure, and tells what a command changed without permission. */
export async function handle(work: HookWork): Promise<Answer> {
  if (!hasWrittenRules(work.config) || !mayChangeUnseen(work.event.toolName ?? "")) {
    return await saveUse(work, {});
  }
  const { effectsOf } = await import("./violations.ts");
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
  const gate: Pick<Draft, "metadata" | "counters"> = hasWrittenRules(config)
    ? await (await import("./gate_asked.ts")).gateNote(work)
    : {};
  const skipped = await work.exclusion(toolName, event.toolInput);
  const failed = event.name === "PostToolUseFailure";
  const counters = ["tool_uses", ...gate.counters ?? []];
  if (failed) counters.push("tool_failures");
  else if (EDITING_TOOLS.has(toolName)) counters.push("edits");
  const isWaiting = work.db !== null && hasOpenQuestion(work.db, work.sessionId);
  if (toolName === "Agent" || toolName === "Task" || isWaiting) {
    await (await import("./told.ts")).saveTold(work);
  }
  const kept: Draft = skipped === null
    ? await contentOf(work, toolName, failed)
    : { status: "skipped", metadata: { skipped } };
  await work.save({
    ...kept,
    metadata: { ...kept.metadata, ...gate.metadata, ...notes },
    counters,
    changes: after?.changes ?? [],
  });
  return await after?.answer() ?? SILENT;
}

/** Returns the whole tool use, as it is stored. */
async function contentOf(work: HookWork, toolName: string, failed: boolean): Promise<Draft> {
  const { event: { own, toolUseId, toolInput, cwd }, shownProjectDir } = work;
  const { tool_name: _name, tool_input: _input, tool_response: response, ...rest } = own;
  const { error } = own;
  // The same command in another folder is a different command.
  const isElsewhere = SHELL_TOOLS.has(toolName) && cwd !== null && cwd !== shownProjectDir;
  const sent = {
    tool_name: toolName,
    tool_input: toolInput === undefined ? {} : toolInput,
    ...(failed ? {} : { tool_response: response === undefined ? {} : response }),
    project_dir: shownProjectDir ?? "",
    ...(isElsewhere ? { cwd } : {}),
    ...rest,
  };
  const { text: payload, cutBytes } = await serializePayload(sent, {
    maxBytes: work.config.maxPayloadBytes,
    sent: work.maskedText,
  });
  const files = filesTouched(toolName, toolInput);
  const agentId = nameOf(own["agent_id"]);
  return {
    capture: {
      toolName,
      toolUseId,
      outcome: failed ? "failure" : "success",
      priority: capturePriority(toolName),
      filesTouched: files,
      payload,
      cutBytes: cutBytes + work.cutBytes,
    },
    metadata: {
      files,
      input: inputExcerpt(payload),
      ...(failed
        ? { error: excerpt(typeof error === "string" ? error : JSON.stringify(error) ?? "") }
        : {}),
      ...(agentId === null ? {} : { agentId, agentType: nameOf(own["agent_type"]) }),
    },
  };
}

/** The end of a command that ran in the background, told as that of the command itself. */
import type { DatabaseSync } from "node:sqlite";
import type { ToolUse } from "../memory/observation.ts";
import { readNotification } from "../memory/observe/observe_prompt.ts";
import { textIn } from "../memory/text.ts";
import { readPayload } from "../store/payloads.ts";
import { captureOfToolUse, type ClaimedCapture } from "../store/queue_work.ts";
import type { LateRedaction } from "./late_redaction.ts";

/**
 * A prompt that tells of the end of a command, as Claude Code would have told of that command had it been awaited.
 *
 * @returns Null for any other, and where the command has left the queue.
 * @throws {UserError} When what is stored of the command is damaged.
 */
export function endedCommand(
  db: DatabaseSync,
  { toolName, sessionId }: Pick<ClaimedCapture, "toolName" | "sessionId">,
  { payload, redact }: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly redact: LateRedaction | undefined;
  },
): Omit<ToolUse, "root"> | null {
  if (toolName !== "UserPromptSubmit") return null;
  const end = readNotification(textIn(payload, "prompt").trim());
  if (end === null || end.toolUseId === null || end.outcome === null) return null;
  const begun = captureOfToolUse(db, sessionId, end.toolUseId);
  if (begun === null) return null;
  const { text, value } = readPayload(begun);
  const whole: Record<string, unknown> = Object(value);
  const { tool_input: input, cwd, project_dir } = redact?.(whole, text) ?? whole;
  const command = textIn(input, "command");
  if (command === "") return null;
  const { outcome, exitCode, summary } = end;
  const said = outcome === "success"
    ? { tool_response: { stdout: summary, stderr: "", isSummary: true } }
    : { error: exitCode === null ? summary : `Exit code ${exitCode}\n${summary}` };
  return {
    toolName: "Bash",
    outcome,
    payload: { tool_input: { command }, cwd, project_dir, ...said },
  };
}

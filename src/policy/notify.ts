/** Decides which events are shown on the desktop, and writes the reports of commands that were run. */
import type {
  CommandEnd,
  CommandRun,
  HeadOfOutput,
  Notification,
} from "../system/process/types.ts";
import type { ExecutionStatus } from "../db/captures.ts";
import { count } from "../base/counts.ts";

export interface NotificationPolicy {
  readonly hooks: readonly string[];
  readonly showErrors: boolean;
  readonly showSuccess: boolean;
  readonly showSystemEvents: boolean;
}

export interface HandledEvent {
  readonly hookName: string;
  readonly status: ExecutionStatus;
  readonly context: string | null;
}

/** Events that are neither a success nor a failure. */
const SYSTEM_EVENTS: ReadonlySet<string> = new Set(
  "SessionStart SessionEnd UserPromptSubmit SubagentStart SubagentStop PreCompact".split(" "),
);

const FAILURE_EVENTS: ReadonlySet<string> = new Set(["PostToolUseFailure", "StopFailure"]);

const FAILURES: ReadonlySet<ExecutionStatus> = new Set(["failure", "timeout", "blocked"]);

const MAX_BODY_CHARS = 300;

export function notificationOf(
  policy: NotificationPolicy,
  { hookName, status, context }: HandledEvent,
): Notification | null {
  if (!policy.hooks.includes("*") && !policy.hooks.includes(hookName)) return null;
  const isUrgent = FAILURES.has(status) || FAILURE_EVENTS.has(hookName);
  const isShown = isUrgent
    ? policy.showErrors
    : SYSTEM_EVENTS.has(hookName)
    ? policy.showSystemEvents
    : policy.showSuccess;
  if (!isShown) return null;
  // The hook may have succeeded although the event reports a failure.
  const what = isUrgent && !FAILURES.has(status) ? "failure" : status;
  const usual = isUrgent ? "Command failed" : "All checks passed";
  return {
    title: `Conclaude - ${hookName}`,
    body: clip(context === null ? usual : `${what}: ${context}`),
    isUrgent,
  };
}

function clip(text: string): string {
  // deno-lint-ignore no-control-regex
  const plain = text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim().toWellFormed();
  return plain.length <= MAX_BODY_CHARS
    ? plain
    : `${plain.slice(0, MAX_BODY_CHARS - 1).toWellFormed()}…`;
}

/** Returns the line at which a command ended; null where it is unknown, or where the configuration hides it. */
export function lineOf({ command, line }: Pick<CommandRun, "command" | "line">): string | null {
  const { lines, showCommand } = command;
  // A command of one line can only have ended at that line.
  const at = line ?? (lines.length === 1 ? 0 : null);
  return showCommand && at !== null ? lines[at] ?? null : null;
}

/** Writes the report of a failed command: its name, its end, the configured message, and the outputs to show. */
export function failureText({ command, end, line, stdout, stderr }: CommandRun): string {
  const named = lineOf({ command, line });
  return [
    `${command.rule} ${endText(end)}${named === null ? "" : `: ${named}`}`,
    ...(command.message === null ? [] : [command.message]),
    ...outputText("Stdout", stdout),
    ...outputText("Stderr", stderr),
  ].join("\n");
}

/** Says how a command ended, as the rest of a sentence: `failed with exit code 3`. */
export function endText(end: CommandEnd): string {
  switch (end.kind) {
    case "passed":
      return "succeeded";
    case "failed":
      return `failed with exit code ${end.code}`;
    case "timedOut":
      return `timed out after ${end.seconds} ${end.seconds === 1 ? "second" : "seconds"}` +
        (end.ofDeadline ? ", all that is left of a hook's time" : "");
    case "notStarted":
      return `could not be run (${end.why})`;
    case "interrupted":
      return "was interrupted";
  }
}

function outputText(name: string, output: HeadOfOutput | null): string[] {
  if (output === null || (output.text === "" && output.omittedLines === 0)) return [];
  const text = output.text.replace(/\n$/, "");
  return output.omittedLines === 0
    ? [`${name}:`, text]
    : [`${name}:`, text, `... (${count(output.omittedLines, "line")} omitted)`];
}

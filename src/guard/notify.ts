/** Which events are shown on the desktop, and in which words. */
import type { Notification } from "../process/types.ts";
import type { ExecutionStatus } from "../store/captures.ts";

export interface NotificationPolicy {
  readonly hooks: readonly string[];
  readonly showErrors: boolean;
  readonly showSuccess: boolean;
  readonly showSystemEvents: boolean;
}

export interface HandledEvent {
  readonly hookName: string;
  readonly status: ExecutionStatus;
  /** What it was about, in a few words; null for nothing. */
  readonly context: string | null;
}

/** Events that tell of no success and no failure. */
const SYSTEM_EVENTS: ReadonlySet<string> = new Set([
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
]);

const FAILURE_EVENTS: ReadonlySet<string> = new Set(["PostToolUseFailure", "StopFailure"]);

const FAILURES: ReadonlySet<ExecutionStatus> = new Set(["failure", "timeout", "blocked"]);

const MAX_BODY_CHARS = 300;

export function notificationOf(
  policy: NotificationPolicy,
  { hookName, status, context }: HandledEvent,
): Notification | null {
  if (!policy.hooks.includes("*") && !policy.hooks.includes(hookName)) return null;
  const kind = FAILURES.has(status) || FAILURE_EVENTS.has(hookName)
    ? "failure"
    : SYSTEM_EVENTS.has(hookName)
    ? "event"
    : "success";
  const isShown = {
    failure: policy.showErrors,
    event: policy.showSystemEvents,
    success: policy.showSuccess,
  };
  if (!isShown[kind]) return null;
  // The hook may have succeeded while the event reports a failure.
  const what = kind === "failure" && !FAILURES.has(status) ? "failure" : status;
  const usual = kind === "failure" ? "Command failed" : "All checks passed";
  return {
    title: `Conclaude - ${hookName}`,
    body: clip(context === null ? usual : `${what}: ${context}`),
    isUrgent: kind === "failure",
  };
}

function clip(text: string): string {
  // deno-lint-ignore no-control-regex
  const plain = text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim().toWellFormed();
  return plain.length <= MAX_BODY_CHARS
    ? plain
    : `${plain.slice(0, MAX_BODY_CHARS - 1).toWellFormed()}…`;
}

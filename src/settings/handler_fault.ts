/** Whether Claude Code starts a handler of ours, and waits for its answer. */
import { memberOf } from "./member.ts";
import { OWN_MARK } from "./hooks.ts";

/** What only the machine can tell of a handler. */
export interface Machine {
  /** Why the program of a command cannot be started; null when it can, or when only the shell knows. */
  readonly whyNotStarted: (command: string) => string | null;
  readonly hasPowerShell: () => boolean;
}

/** Events whose matcher is tried on the name of a tool. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
]);
/** Tools that gates are about. */
export const GATED_TOOLS: readonly string[] = [
  "Edit",
  "Write",
  "MultiEdit",
  "NotebookEdit",
  "Bash",
  "PowerShell",
  "Monitor",
  "Skill",
];

/** Whether a matcher lets a tool through, as Claude Code reads it. */
export function letsThrough(event: string, matcher: unknown, tool: string): boolean {
  if (!TOOL_EVENTS.has(event) || typeof matcher !== "string") return true;
  if (matcher === "" || matcher === "*") return true;
  if (/^[A-Za-z0-9_ ,|-]+$/.test(matcher)) {
    return matcher.split(/[|,]/).some((name) => name.trim() === tool);
  }
  try {
    return new RegExp(matcher).test(tool);
  } catch {
    return false;
  }
}

/** Why a handler of ours does not answer. */
export interface HandlerFault {
  /** Follows the handler in a sentence. */
  readonly says: string;
  /** True when it is the program that cannot be started. */
  readonly isProgram?: true;
}

/** No process starts and answers in less, in seconds. */
const LEAST_SECONDS = 0.1;

/** The event that a command names; none where the payload tells. */
const NAMED_EVENT = new RegExp(` hook ([A-Za-z]+)(?: ${OWN_MARK})?\\s*$`);

/** Whether Claude Code starts a handler for every use, as it is written, and waits for its answer. */
export function faultOf(handler: unknown, event: string, machine: Machine): HandlerFault | null {
  if (memberOf(handler, "async") === true || memberOf(handler, "asyncRewake") === true) {
    return { says: "is not waited for: it is `async`" };
  }
  if (memberOf(handler, "if") !== undefined) return { says: "is asked only where its `if` holds" };
  if (memberOf(handler, "args") !== undefined) {
    return { says: "is handed arguments that are not ours, as `args`" };
  }
  if (memberOf(handler, "shell") === "powershell" && !machine.hasPowerShell()) {
    return { says: "cannot start: its `shell` is PowerShell, and there is no `pwsh` here" };
  }
  const timeout = memberOf(handler, "timeout");
  if (typeof timeout === "number" && timeout < LEAST_SECONDS) {
    return { says: `has no time to answer: its \`timeout\` is ${timeout} s` };
  }
  const command = String(memberOf(handler, "command"));
  const named = NAMED_EVENT.exec(command)?.[1];
  if (named !== undefined && named !== event) {
    return { says: `does what another event wants: \`hook ${named}\`` };
  }
  const why = machine.whyNotStarted(command);
  return why === null ? null : { says: `cannot start: ${why}`, isProgram: true };
}

/** What memory makes of one shell command. */
import assert from "node:assert/strict";
import type { Observed } from "../../src/memory/observe/observation.ts";
import { observe } from "../../src/memory/observe/observe.ts";

/** The folder that paths are told from. */
export const ROOT = "/home/ana/app";

/** What a command tells that ended well, as far as Claude Code knows. */
export function ran(command: string, stdout: string): Observed {
  return tell("success", { tool_input: { command }, tool_response: { stdout, stderr: "" } });
}

/** What a command tells that failed. */
export function failed(command: string, output: string): Observed {
  return tell("failure", { tool_input: { command }, error: `Exit code 1\n${output}` });
}

function tell(outcome: "success" | "failure", payload: Record<string, unknown>): Observed {
  const told = observe({ toolName: "Bash", outcome, payload, root: ROOT });
  assert.ok(told);
  return told;
}

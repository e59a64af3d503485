/** What any other tool tells, of an MCP server for example: what it was given and what it gave. */
import { digestOf } from "../fnv.ts";
import type { Observed, ToolUse } from "../observation.ts";
import { pathInProject } from "../paths.ts";
import { headAndTail, KEPT_ANSWER, shortened, textIn, titleLine } from "../text.ts";
import { failureKey, keyOf } from "./command_key.ts";

/** Any other tool, of an MCP server for example: what it was given and what it gave. */
export function observeOther({ toolName, payload, outcome, root }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const given = typeof input === "object" && input !== null
    ? JSON.stringify(input)
    : String(input ?? "");
  const error = typeof payload["error"] === "string" ? payload["error"] : "";
  const response = payload["tool_response"];
  const answer = typeof response === "string"
    ? response
    : textOfBlocks(Object(response).content ?? response) || JSON.stringify(response ?? "");
  const failed = outcome === "failure";
  const what = `${toolName} ${digestOf(given)}`;
  const named = failed ? textIn(input, "file_path") || textIn(input, "notebook_path") : "";
  const text = headAndTail([given, failed ? error : answer].join("\n"), KEPT_ANSWER);
  return {
    kind: failed ? "failure" : "command",
    outcome,
    title: titleLine(
      failed ? `${toolName} failed: ${error}` : `${toolName} ${shortened(given, 100)}`,
    ),
    text,
    files: named === "" ? [] : [{ path: pathInProject(named, root), digest: null }],
    facts: { tool: toolName, ...(failed ? { error: titleLine(error) } : {}) },
    sameAs: failed ? failureKey(what) : `tool ${what}`,
    ...failed ? { wrong: titleLine(error) } : { passes: [keyOf(what)] },
  };
}

/** The texts of a response that consists of blocks. */
export function textOfBlocks(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => textIn(block, "text")).filter((text) => text !== "").join("\n");
}

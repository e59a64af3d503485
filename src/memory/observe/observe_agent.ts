/** What a sub-agent was asked, and what it came back with. */
import type { Observed, ToolUse } from "../observation.ts";
import { headAndTail, KEPT_ANSWER, textIn, titleLine } from "../text.ts";
import { textOfBlocks } from "./observe_other.ts";
import { KEPT_WORDS } from "./said.ts";

/** What a sub-agent was asked, and what it came back with. */
export function observeAgent({ payload, outcome }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const answer = textOfBlocks(Object(payload["tool_response"]).content);
  const asked = textIn(input, "prompt");
  if (asked === "" && answer === "") return null;
  const name = textIn(input, "subagent_type") || "agent";
  return {
    kind: "message",
    outcome,
    title: titleLine(`${name}: ${textIn(input, "description") || asked}`),
    text: [headAndTail(asked, KEPT_ANSWER), headAndTail(answer, KEPT_WORDS)].filter((part) =>
      part !== ""
    )
      .join("\n\n"),
    files: [],
    facts: { tool: "Agent" },
    sameAs: null,
  };
}

/** What Claude said at the end of a turn, what ended the turn instead, and what a compaction kept. */
import type { Observed, ToolUse } from "../observation.ts";
import { COMPACTION } from "../own_prompt.ts";
import { errorInWords } from "../session_end.ts";
import { textIn, titleLine } from "../text.ts";
import { said } from "./said.ts";

/** What Claude said last in a turn. */
export function observeMessage({ payload }: ToolUse): Observed | null {
  return said("message", textIn(payload, "last_assistant_message").trim());
}

/** An error of the API that ended a turn. */
export function observeStopFailure({ payload }: ToolUse): Observed | null {
  const stopped = textIn(payload, "error").trim();
  const parts = [textIn(payload, "last_assistant_message"), textIn(payload, "error_details")]
    .map((part) => part.trim()).filter((part) => part !== "");
  const what = errorInWords(stopped);
  const found = said("message", parts.join("\n") || what);
  if (found === null) return null;
  const title = titleLine(`Cut off (${what})${parts.length === 0 ? "" : `: ${found.title}`}`);
  const sameAs = `stop failure ${stopped} ${found.sameAs}`;
  return { ...found, outcome: "failure", title, facts: { stopped }, sameAs };
}

/** What a compaction kept of a session: the summary, without the thoughts before it. */
export function observeCompaction({ payload }: ToolUse): Observed | null {
  const whole = textIn(payload, "compact_summary");
  const [, summary = whole] = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(whole) ?? [];
  const found = said("message", summary.trim());
  return found === null ? null : { ...found, title: titleLine(`${COMPACTION}${found.title}`) };
}

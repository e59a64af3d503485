/** Commands that nobody has waited for: how they ended is not known. */
import { textIn } from "../text.ts";

/** The end of one that somebody has stopped; the others go on. */
export const INTERRUPTED = "was interrupted";

/**
 * What became of a command whose result was not awaited, as the end of a title: "started in the background", "was
 * interrupted"; null for one that has ended.
 *
 * @param payload Of a tool use that Claude Code takes for a success.
 */
export function unknownEnd(payload: Readonly<Record<string, unknown>>): string | null {
  const response = payload["tool_response"];
  const { timedOutAfterMs, interrupted } = Object(response);
  if (interrupted === true) return INTERRUPTED;
  if (typeof timedOutAfterMs === "number") {
    return `went on in the background after ${Math.round(timedOutAfterMs / 1_000)} s`;
  }
  const isStarted = textIn(response, "backgroundTaskId") !== "" ||
    Object(payload["tool_input"]).run_in_background === true;
  return isStarted ? "started in the background" : null;
}

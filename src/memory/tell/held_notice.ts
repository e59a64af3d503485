/** Tells the person in one line what memory holds of a project. It reads nothing more than the context has read. */
import { count } from "../../base/counts.ts";
import type { Tellable } from "./context_text.ts";
import { OF_PROJECT } from "./told_rows.ts";

/** @param rows What was read of the project. @param open How many there are of each. */
export function heldNotice(
  rows: readonly Tellable[],
  open: Readonly<Record<"failure" | "todo" | "task" | "workflow", number>>,
): string {
  const sessions = new Set(
    rows.flatMap(({ kind, sessionId }) => kind === "summary" ? [sessionId] : []),
  ).size;
  const left = Object.entries(open).filter(([, n]) => n > 0).map(([noun, n]) => count(n, noun));
  if (rows.length === 0 && left.length === 0) return "";
  // No more rows than these are read of a project.
  const most = rows.length >= OF_PROJECT ? " or more" : "";
  const held = rows.length === 0
    ? "nothing is remembered here yet"
    : `memory of ${sessions}${most} ${sessions === 1 && most === "" ? "session" : "sessions"} here`;
  const what = left.length === 0 ? "" : `; open: ${left.join(", ")}`;
  return `conclaude: ${held}${what}. \`conclaude memory ${left.length === 0 ? "list" : "open"}\``;
}

/** Tells the person in one line what memory holds of a project, from rows that the context has read already. */
import { count } from "../../base/counts.ts";
import type { Tellable } from "./context_text.ts";
import { OF_PROJECT } from "./told_rows.ts";

/** @param rows The rows that were read of the project. @param open The number of open things of each kind. */
export function heldNotice(
  rows: readonly Tellable[],
  open: Readonly<Record<"failure" | "todo" | "task" | "workflow", number>>,
): string {
  const sessions = new Set(
    rows.flatMap(({ kind, sessionId }) => kind === "summary" ? [sessionId] : []),
  ).size;
  const left = Object.entries(open).filter(([, n]) => n > 0).map(([noun, n]) => count(n, noun));
  if (rows.length === 0 && left.length === 0) return "";
  // At most so many rows of a project are read, so there may be more.
  const most = rows.length >= OF_PROJECT ? " or more" : "";
  const memory = rows.length === 0
    ? "nothing is remembered here yet"
    : `memory of ${sessions}${most} ${sessions === 1 && most === "" ? "session" : "sessions"} here`;
  const what = left.length === 0 ? "" : `; open: ${left.join(", ")}`;
  return `conclaude: ${memory}${what}. \`conclaude memory ${left.length === 0 ? "list" : "open"}\``;
}

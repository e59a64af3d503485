/** Which task a person means by an id, or by the beginning or the end of it. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { findIds } from "../store/find_ids.ts";
import { readTask } from "../store/tasks.ts";

/**
 * The id of a task.
 *
 * @returns The text as it is when no task has such an id: whoever needs the task says so.
 * @throws {UserError} AMBIGUOUS_ID, with the tasks that may be meant.
 */
export function taskIdOf(db: DatabaseSync, text: string): string {
  return onlyId(text, findIds(db, "tasks", { text: text.trim() }), {
    noun: "task",
    titleOf: (id) => readTask(db, id)?.title,
  });
}

/** The one id of those that were found for a text. @returns The text when there is none. @throws {UserError} AMBIGUOUS_ID */
export function onlyId(
  text: string,
  found: readonly string[],
  { noun, titleOf }: {
    readonly noun: "task" | "agent" | "workflow";
    readonly titleOf: (id: string) => string | undefined;
  },
): string {
  if (found.length <= 1) return found[0] ?? text.trim();
  const named = found.map((id) => `${id} (${titleOf(id) ?? ""})`);
  throw refusal("AMBIGUOUS_ID", {
    what: `Cannot tell which ${noun} "${text}" is`,
    why: `several ids begin or end like this: ${named.join(", ")}; nothing was changed`,
    next: `conclaude ${noun} show ${found[0]}`,
    details: { candidates: found },
  });
}

/** Which task a person means by an id, or by the beginning or the end of it. */
import type { DatabaseSync } from "node:sqlite";
import { refusal } from "../orchestration/refusal.ts";
import { findIds, MIN_ID_PART } from "../store/find_ids.ts";
import { needTask } from "../store/task_changes.ts";
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

/** {@linkcode taskIdOf} for a list of what belongs to a task, also to a deleted one. @throws {UserError} TASK_NOT_FOUND */
export function knownTaskId(db: DatabaseSync, text: string): string {
  const id = taskIdOf(db, text);
  return (readTask(db, id) ?? needTask(db, id)).id;
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
  if (found.length === 0 && text.replaceAll("-", "").trim().length < MIN_ID_PART) {
    throw refusal(`${noun.toUpperCase() as Uppercase<typeof noun>}_NOT_FOUND`, {
      what: `Cannot tell which ${noun} "${text}" is`,
      why: `${MIN_ID_PART} or more characters of the beginning or the end of its id are needed; ` +
        "nothing was changed",
      next: `conclaude ${noun} list`,
    });
  }
  if (found.length <= 1) return found[0] ?? text.trim();
  const named = found.map((id) => `${id} (${titleOf(id) ?? ""})`);
  throw refusal("AMBIGUOUS_ID", {
    what: `Cannot tell which ${noun} "${text}" is`,
    why: `several ids begin or end like this: ${named.join(", ")}; nothing was changed`,
    next: `conclaude ${noun} show ${found[0]}`,
    details: { candidates: found },
  });
}

import type { DatabaseSync } from "node:sqlite";
import type { Task } from "../orchestration/task.ts";
import { type Author, needTask, tellChange } from "./task_changes.ts";
import { readTask } from "./tasks.ts";

/** Which tags a task is to have. */
export type TagChange = {
  readonly kind: "add" | "remove" | "set";
  readonly tags: readonly string[];
};

/** Changes the tags of a task, in the caller's transaction; what is so already is no change. */
export function changeTags(
  db: DatabaseSync,
  taskId: string,
  { kind, tags }: TagChange,
  author: Author,
): Task {
  const before = needTask(db, taskId);
  const wanted = new Set(kind === "set" ? [] : before.tags);
  for (const tag of tags) {
    if (kind === "remove") wanted.delete(tag);
    else wanted.add(tag);
  }
  const told = { field: "tags", old: before.tags, new: [...wanted].sort() };
  if (JSON.stringify(told.old) === JSON.stringify(told.new)) return before;
  db.prepare("DELETE FROM task_tags WHERE task_id = ?").run(taskId);
  const add = db.prepare("INSERT INTO task_tags (task_id, tag) VALUES (?, ?)");
  for (const tag of wanted) add.run(taskId, tag);
  db.prepare("UPDATE tasks SET updated_at_ms = ? WHERE id = ?").run(author.atMs, taskId);
  const after = readTask(db, taskId)!;
  tellChange(db, after, [told], author);
  return after;
}

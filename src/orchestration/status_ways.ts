/** Changes of a task's status that need more than to be said. */
import type { Task, TaskStatus } from "./task.ts";

/** Why a change cannot just be said, and the verb that does it or tells more. */
const WAYS: Readonly<Record<string, { readonly why: string; readonly verb: string }>> = {
  "open in_progress": { why: "is taken up with a claim", verb: "task claim" },
  "in_progress blocked": {
    why: "is blocked by whoever holds it, with a reason",
    verb: "task block --reason 'why it cannot go on'",
  },
  "in_progress closed": {
    why: "is completed by whoever holds it",
    verb: "task complete",
  },
  "in_progress pending_merge": {
    why: "waits for a merge only when the merge step of a workflow asks for a review",
    verb: "task show",
  },
  "pending_merge closed": {
    why: "is closed when its merge is approved",
    verb: "workflow approve",
  },
  "pending_merge blocked": {
    why: "is blocked when its merge is rejected",
    verb: "workflow reject",
  },
  "blocked closed": { why: "is completed as any other", verb: "task complete" },
};

/** What leads a task to a status instead of saying so; `undefined` where saying so is enough, or nothing leads there. */
export function wayTo(
  { id, status }: Pick<Task, "id" | "status">,
  to: TaskStatus,
): { readonly why: string; readonly next: string } | undefined {
  const way = WAYS[`${status} ${to}`];
  return way && {
    why: way.why,
    next: `conclaude ${way.verb.replace(/^\w+ \w+/, (verb) => `${verb} ${id}`)}`,
  };
}

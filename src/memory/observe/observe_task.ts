/** Observes lists of tasks, and finds the open and done tasks of a session. */
import { makeObserved, type Observed, type ObservedFacts, type ToolUse } from "./observation.ts";
import { shortened, textIn } from "../text.ts";

const MAX_TODOS = 20;
const MAX_CHARS = 120;

/** Observes TodoWrite, which sends the whole list. A later list replaces an earlier one. */
export function observeTodos({ payload }: ToolUse): Observed | null {
  const todos: unknown = Object(payload["tool_input"]).todos;
  // Open tasks on a sub-agent's own list are not open tasks of the session.
  const agent = textIn(payload, "agent_id");
  if (!Array.isArray(todos) || todos.length === 0 && agent !== "") return null;
  const items = todos.map((todo) => ({
    text: oneLine(textIn(todo, "content") || textIn(todo, "subject")),
    isDone: textIn(todo, "status") === "completed",
  })).filter(({ text }) => text !== "");
  const open = items.filter(({ isDone }) => !isDone).map(({ text }) => shortened(text, MAX_CHARS));
  const whose = agent === "" ? "Tasks" : "Tasks of a sub-agent";
  return makeObserved("task", `${whose}: ${items.length - open.length} of ${items.length} done`, {
    text: items.map(({ text, isDone }) => `${isDone ? "[x]" : "[ ]"} ${text}`).join("\n"),
    facts: agent === "" ? { open: open.slice(0, MAX_TODOS) } : {},
    sameAs: agent === "" ? "todos" : `todos ${agent}`,
  });
}

/** Observes TaskCreate and TaskUpdate, which send one task with its number. */
export function observeTask({ toolName, payload }: ToolUse): Observed | null {
  const input = payload["tool_input"];
  const made = Object(payload["tool_response"]).task;
  const number = textIn(input, "taskId") || textIn(made, "id");
  const subject = oneLine(textIn(input, "subject") || textIn(made, "subject"));
  const status = textIn(input, "status") || (toolName === "TaskCreate" ? "pending" : "");
  if (subject !== "" && status !== "deleted") {
    return makeObserved("task", `Task ${number || "?"}: ${subject}`, {
      text: textIn(input, "description"),
      facts: { open: status === "completed" ? [] : [shortened(subject, MAX_CHARS)] },
      sameAs: number === "" ? null : `task ${number}`,
    });
  }
  // Only the status has changed. `todosOf()` finds the task by its number.
  return number === "" || status === "" ? null : makeObserved("task", `Task ${number}: ${status}`, {
    text: status,
    facts: { open: [] },
    sameAs: `task status ${number}`,
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const STATUS = /^Task (\S+): (pending|in_progress|completed|deleted)$/;

/** Returns the tasks at the end of a session; null when the session had none. @param parts Oldest first. */
export function todosOf(
  parts: readonly Pick<Observed, "kind" | "title" | "text" | "facts">[],
): NonNullable<ObservedFacts["todos"]> | null {
  const tasks = parts.filter(({ kind }) => kind === "task");
  if (tasks.length === 0) return null;
  const statuses = new Map<string | undefined, string | undefined>();
  for (const { title } of tasks) {
    const [, number, status] = STATUS.exec(title) ?? [];
    if (number !== undefined) statuses.set(number, status);
  }
  const isDone = (number?: string) => statuses.get(number) === "completed";
  const lastDone = Math.max(
    ...[...statuses.keys()].map((number) => isDone(number) ? Number(number) || -1 : -1),
    -1,
  );
  const open = new Set<string>();
  const done = new Set<string>();
  const passedOver = new Set<string>();
  for (const { title, text, facts } of tasks) {
    const [, number, subject = ""] = /^Task (\S+?): (.*)$/.exec(title) ?? [];
    if (STATUS.test(title) || statuses.get(number) === "deleted") continue;
    const list = isDone(number) ? done : Number(number) < lastDone ? passedOver : open;
    for (const one of facts.open ?? []) list.add(one);
    if (number !== undefined && facts.open?.length === 0) {
      done.add(shortened(subject, MAX_CHARS));
    }
    if (number !== undefined) continue;
    for (const [, one] of text.matchAll(/^\[x\] (.+)$/gm)) done.add(shortened(one!, MAX_CHARS));
  }
  return {
    open: [...open].slice(0, MAX_TODOS),
    done: [...done].slice(-MAX_TODOS),
    ...passedOver.size === 0 ? {} : { passedOver: [...passedOver].slice(0, MAX_TODOS) },
  };
}

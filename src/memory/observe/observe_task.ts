/** What the lists of todos and tasks tell: what is done of them, and what is open. */
import type { Observed, ToolUse } from "../observation.ts";
import { shortened, textIn, titleLine } from "../text.ts";
import { CLEARED_LIST } from "../todos.ts";

const MAX_OPEN = 20;

/** TodoWrite: the whole list; a later one takes the place of an earlier one. */
export function observeTodos({ payload }: ToolUse): Observed | null {
  const todos: unknown = Object(payload["tool_input"]).todos;
  if (!Array.isArray(todos)) return null;
  // A sub-agent has a list of its own, and what is left on it is not left by the session.
  const agent = textIn(payload, "agent_id");
  if (todos.length === 0) return agent === "" ? clearedList() : null;
  const items = todos.map((todo) => ({
    text: oneLine(textIn(todo, "content") || textIn(todo, "subject")),
    isDone: textIn(todo, "status") === "completed",
  })).filter(({ text }) => text !== "");
  const open = items.filter(({ isDone }) => !isDone).map(({ text }) => shortened(text, 120));
  return {
    kind: "task",
    outcome: null,
    title: `Tasks${agent === "" ? "" : " of a sub-agent"}: ${
      items.length - open.length
    } of ${items.length} done`,
    text: items.map(({ text, isDone }) => `${isDone ? "[x]" : "[ ]"} ${text}`).join("\n"),
    files: [],
    facts: agent === "" ? { open: open.slice(0, MAX_OPEN) } : {},
    sameAs: agent === "" ? "todos" : `todos ${agent}`,
  };
}

/** The list itself stays, with what was done of it. */
function clearedList(): Observed {
  return { ...taskOf(CLEARED_LIST, "", []), sameAs: "todos cleared" };
}

/** TaskCreate and TaskUpdate: a task by its number. */
export function observeTask({ toolName, payload, outcome }: ToolUse): Observed | null {
  if (outcome === "failure") return null;
  const input = payload["tool_input"];
  const made = Object(payload["tool_response"]).task;
  const number = textIn(input, "taskId") || textIn(made, "id");
  const subject = oneLine(textIn(input, "subject") || textIn(made, "subject"));
  const status = textIn(input, "status") || (toolName === "TaskCreate" ? "pending" : "");
  if (subject === "") {
    // Only what a task has become: the list of the session tells it, under the number.
    if (number === "" || status === "") return null;
    return {
      ...taskOf(`Task ${number}: ${status}`, status, []),
      sameAs: `task status ${number}`,
    };
  }
  const open = status === "completed" ? [] : [shortened(subject, 120)];
  const task = taskOf(`Task ${number || "?"}: ${subject}`, textIn(input, "description"), open);
  return { ...task, sameAs: number === "" ? null : `task ${number}` };
}

/** What is to be done, in the same words while it is open and when it is done. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function taskOf(title: string, text: string, open: readonly string[]): Observed {
  return {
    kind: "task",
    outcome: null,
    title: titleLine(title),
    text,
    files: [],
    facts: { open },
    sameAs: null,
  };
}

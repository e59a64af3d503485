/** Observes lists of tasks, and tells which tasks a session left open and done. */
import type { ObservationKind, Observed, ObservedFacts, ToolUse } from "./observation.ts";
import { shortened, textIn, titleLine } from "../text.ts";

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

/** One line of a task, the same while it is open and when it is done. */
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

interface Todos {
  readonly open: readonly string[];
  readonly done: readonly string[];
  /** Numbered tasks that are not done although a later one is: Claude has mostly forgotten to say so. */
  readonly passedOver?: readonly string[];
}

const MAX_TODOS = 20;
const MAX_CHARS = 120;
/** The title of the observation that a list was thrown away: what was open on it is no task any more. */
const CLEARED_LIST = "Tasks: the list was cleared";
const CLOSED = /^Task (\S+): (?:completed|deleted)$/;

/** The tasks as the session left them; null when it had no list. @param parts Oldest first. */
export function todosOf(
  parts: readonly {
    readonly kind: ObservationKind;
    readonly title: string;
    readonly text: string;
    readonly facts: ObservedFacts;
    readonly updatedAtMs: number;
  }[],
): Todos | null {
  const tasks = parts.filter(({ kind }) => kind === "task");
  if (tasks.length === 0) return null;
  const closed = new Set(tasks.map(({ title }) => CLOSED.exec(title)?.[1]));
  const lastDone = Math.max(
    ...tasks.map(({ title }) => Number(/^Task (\d+): completed$/.exec(title)?.[1] ?? -1)),
  );
  const clearedAtMs = tasks.find(({ title }) => title === CLEARED_LIST)?.updatedAtMs ?? -Infinity;
  const open = new Set<string>();
  const done = new Set<string>();
  const passedOver = new Set<string>();
  for (const { title, text, facts, updatedAtMs } of tasks) {
    const [, number, subject = ""] = /^Task (\S+?): (.*)$/.exec(title) ?? [];
    const isClosed = number !== undefined && closed.has(number);
    const isDropped = number === undefined && updatedAtMs <= clearedAtMs;
    const list = isClosed ? done : Number(number) < lastDone ? passedOver : open;
    for (const one of isDropped ? [] : facts.open ?? []) list.add(one);
    if (number !== undefined && !CLOSED.test(title) && facts.open?.length === 0) {
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

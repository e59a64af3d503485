/** The tasks on the lists of a session: which are open, and which are done. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { shortened } from "./text.ts";

/** The lists of a session. */
export interface Todos {
  readonly open: readonly string[];
  readonly done: readonly string[];
}

const MAX_TODOS = 20;
const MAX_CHARS = 120;
/** The title of the observation that a list was thrown away: what was open on it is no task any more. */
export const CLEARED_LIST = "Tasks: the list was cleared";
const CLOSED = /^Task (\S+): (?:completed|deleted)$/;

/**
 * The tasks as the session left them: those of lists (`[x] …`), and those with numbers.
 *
 * @param parts Oldest first. @returns Null when the session had no list at all.
 */
export function todosOf(
  parts: readonly {
    readonly kind: ObservationKind;
    readonly title: string;
    readonly text: string;
    readonly facts: ObservedFacts;
    /** Epoch milliseconds. */
    readonly updatedAtMs: number;
  }[],
): Todos | null {
  const tasks = parts.filter(({ kind }) => kind === "task");
  if (tasks.length === 0) return null;
  const closed = new Set(tasks.map(({ title }) => CLOSED.exec(title)?.[1]));
  const clearedAtMs = tasks.find(({ title }) => title === CLEARED_LIST)?.updatedAtMs ?? -Infinity;
  const open = new Set<string>();
  const done = new Set<string>();
  for (const { title, text, facts, updatedAtMs } of tasks) {
    const [, number, subject = ""] = /^Task (\S+?): (.*)$/.exec(title) ?? [];
    const isClosed = number !== undefined && closed.has(number);
    const isDropped = number === undefined && updatedAtMs <= clearedAtMs;
    for (const one of isDropped ? [] : facts.open ?? []) (isClosed ? done : open).add(one);
    if (number !== undefined && !CLOSED.test(title) && facts.open?.length === 0) {
      done.add(shortened(subject, MAX_CHARS));
    }
    if (number !== undefined) continue;
    for (const [, one] of text.matchAll(/^\[x\] (.+)$/gm)) done.add(shortened(one!, MAX_CHARS));
  }
  return { open: [...open].slice(0, MAX_TODOS), done: [...done].slice(-MAX_TODOS) };
}

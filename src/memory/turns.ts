/** A session in turns: what was asked and done until Claude ended each of them, and what it said then. */
import { deedsByCommand, isWork } from "./command_deeds.ts";
import type { ObservationKind, ObservedFacts } from "./observation.ts";

/** What has to be known of an observation. */
export interface TurnPart {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly title: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly facts: ObservedFacts;
  /** Epoch milliseconds; what was seen once only was seen then. */
  readonly createdAtMs?: number;
  readonly updatedAtMs: number;
}

/** What was asked and done until Claude ended a turn, and what it said then. */
export interface Turn {
  readonly asked: readonly string[];
  /** Commits and fixes. */
  readonly made: readonly string[];
  /** Those that were changed. */
  readonly files: readonly string[];
  /** What its commands have done that has a name: `commit`, `push`, `test`. */
  readonly ran: readonly string[];
  /** Whether it did more than to look, to test and to put its work into the history. */
  readonly hasChanged: boolean;
  /** Empty where the session broke off. */
  readonly message: string;
  /** When that was said, epoch milliseconds. */
  readonly endedAtMs: number;
}

/** How the title of what a compaction kept begins: it tells of all turns before, and ends none. */
export const COMPACTION = "Compaction: ";

/** What is seen again counts as often as it was: the same may be said at the end of two turns. */
const REPEATED: ReadonlySet<ObservationKind> = new Set(["prompt", "message", "command", "test"]);

/** The turns of a session. @param parts Oldest first. */
export function turnsOf(parts: readonly TurnPart[]): Turn[] {
  const turns: Turn[] = [];
  let seen: TurnPart[] = [];
  for (const { part, atMs } of inOrder(parts)) {
    seen.push(part);
    if (!isOwnMessage(part) || part.title.startsWith(COMPACTION)) continue;
    turns.push(turnOf(seen, { message: part.text, endedAtMs: atMs }));
    seen = [];
  }
  if (!seen.some(({ kind }) => kind !== "message")) return turns;
  return [...turns, turnOf(seen, { message: "", endedAtMs: Infinity })];
}

/** Whether the session itself has said it: neither a sub-agent whose words came back, nor Claude Code in anybody's place. */
export function isOwnMessage({ kind, facts }: Pick<TurnPart, "kind" | "facts">): boolean {
  return kind === "message" && facts.tool === undefined && facts.isRelayed !== true &&
    facts.stopped === undefined;
}

/** Whether anything was done in a turn but to talk and to look. */
export function hasWorked(
  { made, ran, hasChanged }: Pick<Turn, "made" | "ran" | "hasChanged">,
): boolean {
  return hasChanged || made.length > 0 || ran.length > 0;
}

function turnOf(parts: readonly TurnPart[], end: Pick<Turn, "message" | "endedAtMs">): Turn {
  const of = (...kinds: readonly ObservationKind[]) =>
    parts.filter(({ kind }) => kinds.includes(kind));
  return {
    asked: of("prompt").map(({ title }) => title),
    made: of("commit", "fix").map(({ title }) => title),
    files: [...new Set(of("edit").flatMap(({ files }) => files))],
    ran: [...new Set(parts.flatMap(deedsByCommand))],
    hasChanged: parts.some(isWork),
    ...end,
  };
}

interface SeenPart {
  readonly part: TurnPart;
  readonly atMs: number;
}

/** As they were seen, each time where that is known. */
function inOrder(parts: readonly TurnPart[]): readonly SeenPart[] {
  const seen = parts.map((part) => ({ part, atMs: part.createdAtMs ?? part.updatedAtMs }));
  const again = parts.filter(({ kind, createdAtMs, updatedAtMs }) =>
    REPEATED.has(kind) && createdAtMs !== undefined && updatedAtMs > createdAtMs
  ).map((part) => ({ part, atMs: part.updatedAtMs }));
  return [...seen, ...again].sort((one, other) => one.atMs - other.atMs);
}

/** What is known of a session from one stop to the next. */
import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { readCounter } from "../store/counters.ts";
import { countBlock, isLasting, REQUIREMENTS_HELD, resetRow } from "../store/stop_counters.ts";

/** Whose stop it is, and where that can be remembered. */
export interface Remembering {
  readonly sessionId: string;
  readonly atMs: number;
  /** Null, or one in memory, remembers nothing: what has to be counted is not judged then. */
  readonly db: DatabaseSync | null;
  /** True for a stop that continues a stopped one. */
  readonly isContinued: boolean;
}

/** Begins a new row of stops that are held back. */
export function beginRow(memory: Remembering): void {
  withDatabase(memory, (db) => resetRow(db, memory.sessionId));
}

/** Whether requirements have held a stop of this row; true also when nobody knows. */
export function haveRequirementsHeld(memory: Remembering): boolean {
  return withDatabase(
    memory,
    (db) => readCounter(db, memory.sessionId, REQUIREMENTS_HELD) > 0,
  ) ?? true;
}

/** Whether a stop may be held back (once more). */
export type Hold =
  /** `inRow`: which one in a row it is; null when that cannot be counted. */
  | { readonly kind: "hold"; readonly inRow: number | null }
  | { readonly kind: "let through"; readonly why: string };

/** Counts a stop that is to be held back. What cannot be counted is held back once, never again in the same row. */
export function holdOnce(maxBlocks: number, memory: Remembering): Hold {
  const inRow = withDatabase(memory, (db) => countBlock(db, maxBlocks, memory));
  if (inRow === undefined) {
    return memory.isContinued
      ? { kind: "let through", why: "since nothing can be remembered without a database" }
      : { kind: "hold", inRow: null };
  }
  return inRow === null
    ? {
      kind: "let through",
      why: `after ${count(maxBlocks, "stop was", "stops in a row were")} held back`,
    }
    : { kind: "hold", inRow };
}

/** What a lasting database does; undefined when there is none, or it cannot: saving the event says why. */
export function withDatabase<Result>(
  { db }: Pick<Remembering, "db">,
  work: (db: DatabaseSync) => Result,
): Result | undefined {
  try {
    return db !== null && isLasting(db) ? work(db) : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the stops of a session that are held back in a row. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { readCounter } from "../../db/counters.ts";
import { countBlock, isLasting, REQUIREMENTS_HELD, resetRow } from "./stop_memory_table.ts";

export interface Remembering {
  readonly sessionId: string;
  readonly atMs: number;
  /** Null, or a database in memory: nothing can be counted. */
  readonly db: DatabaseSync | null;
  /** True for a stop that follows a stop which was held back. */
  readonly isContinued: boolean;
}

export function beginRow(memory: Remembering): void {
  withDatabase(memory, (db) => resetRow(db, memory.sessionId));
}

/** Whether requirements have held back a stop of this row; true also when that cannot be read. */
export function haveRequirementsHeld(memory: Remembering): boolean {
  return withDatabase(
    memory,
    (db) => readCounter(db, memory.sessionId, REQUIREMENTS_HELD) > 0,
  ) ?? true;
}

export type Hold =
  /** `inRow`: the number of the stop in its row; null when it cannot be counted. */
  | { readonly kind: "hold"; readonly inRow: number | null }
  | { readonly kind: "let through"; readonly why: string };

/** Counts a stop that is to be held back. Without a database only one stop in a row is held back. */
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

/** Works on a database that lasts; undefined without one, and on a failure, which saving the event reports. */
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

/** Answers questions about how things stand, of which the words alone find what only speaks of it. */
import type { DatabaseSync } from "node:sqlite";
import { isSuperseded } from "../memory/observation.ts";
import type { MemoryQuestion } from "../memory/question.ts";
import { type AskedState, askedState } from "../memory/state_questions.ts";
import type { MemoryFilter } from "../store/memory_search.ts";
import { newestObservations } from "../store/memory_times.ts";
import { readObservations } from "../store/observations.ts";
import { overlapOf } from "./newest_within.ts";
import { openFailureIds } from "./open_count.ts";

/** So many stand before what the words find. */
const MAX_ANSWERS = 5;

/**
 * The numbers of what answers such a question, the newest first; none for any other question, and where a kind or a file is
 * asked for besides. A time that it speaks of is kept to.
 */
export function stateAnswers(
  db: DatabaseSync,
  { said, untimed, time }: Pick<MemoryQuestion, "said" | "untimed" | "time">,
  whole: MemoryFilter,
): number[] {
  const state = whole.kind === null && whole.file === null ? askedState(said, untimed) : null;
  if (state === null) return [];
  const filter = time === null ? whole : { ...whole, ...overlapOf(whole, time) };
  return readObservations(db, idsOf(db, state, filter))
    .filter((one) => state.kinds.includes(one.kind) && !isSuperseded(one) && isIn(one, filter))
    .slice(0, MAX_ANSWERS)
    .map(({ id }) => id);
}

function idsOf(db: DatabaseSync, { kinds, which }: AskedState, filter: MemoryFilter): number[] {
  if (which === "open") return openFailureIds(db, filter.project);
  return kinds.flatMap((kind) =>
    newestObservations(db, {
      filter: { ...filter, kind },
      fromMs: filter.sinceMs ?? 0,
      untilMs: filter.untilMs ?? Number.MAX_SAFE_INTEGER,
      // Some of them may be taken back.
      limit: 2 * MAX_ANSWERS,
    }).map(({ id }) => id)
  );
}

function isIn(
  { sessionId, branch, createdAtMs }: {
    readonly sessionId: string;
    readonly branch: string | null;
    readonly createdAtMs: number;
  },
  filter: MemoryFilter,
): boolean {
  return (filter.sessionId === null || sessionId === filter.sessionId) &&
    (filter.branch === null || branch === filter.branch) &&
    createdAtMs >= (filter.sinceMs ?? 0) && createdAtMs < (filter.untilMs ?? Infinity);
}

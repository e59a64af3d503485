/** Asks whether something that is about to come was forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { isForgotten } from "./forgotten_names.ts";
import { type ArrivingUse, isUseForgotten } from "./forgotten_uses.ts";
import { knownWordNames } from "./forgotten_digest.ts";
import { statement } from "./statement.ts";

/** Something that may have been forgotten. */
export interface Arrival {
  readonly sessionId: string;
  /** The common git directory, or the folder where there is none; undefined where only its session counts. */
  readonly project?: string | null;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Ids, each of which names it. */
  readonly names: readonly string[];
  /** The tool use that it is of, or belongs to; undefined where there is none. */
  readonly use?: Omit<ArrivingUse, "sessionId"> | undefined;
  /** Of its words, as `words_key.ts` gives them. */
  readonly keys: readonly string[];
}

/** Everything of a session, a project or a time that was forgotten, up to when that was done. */
interface Range {
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What knows what was forgotten up to the call, and names also of what is forgotten after it. */
export interface StayAway {
  /** Whether it was forgotten, by itself or with all that its session, project or time had. */
  readonly has: (arrival: Arrival) => boolean;
  /** Whether words of a session were. @param key One of `words_key.ts`. */
  readonly hasWords: (sessionId: string, key: string) => boolean;
}

/** What must stay away from a database. */
export function stayAway(db: DatabaseSync): StayAway {
  const ranges = forgottenRanges(db);
  const hasWords = (sessionId: string, key: string) => {
    const name = knownWordNames(db);
    return name !== null && isForgotten(db, name(sessionId, key));
  };
  return {
    hasWords,
    has: (arrival) =>
      arrival.names.some((name) => isForgotten(db, name)) ||
      arrival.use !== undefined &&
        isUseForgotten(db, { ...arrival.use, sessionId: arrival.sessionId }) ||
      arrival.keys.some((key) => hasWords(arrival.sessionId, key)) ||
      ranges.some((range) => isWithin(range, arrival)),
  };
}

/** Receipts without a text, a file and ids: their words say what else there was to forget, had it been here. */
function forgottenRanges(db: DatabaseSync): Range[] {
  const rows = statement(
    db,
    `SELECT chosen ->> '$.session' AS sessionId, chosen ->> '$.project' AS project,
            coalesce(chosen ->> '$.sinceMs', 0) AS fromMs,
            min(created_at_ms, coalesce(chosen ->> '$.untilMs', created_at_ms)) AS untilMs
       FROM forget_receipts
      WHERE text_digest IS NULL
        AND chosen ->> '$.file' IS NULL
        AND chosen ->> '$.ids' IS NULL
        AND chosen <> '{}'`,
  ).all();
  return rows as unknown as Range[];
}

function isWithin(range: Range, { sessionId, project, atMs }: Arrival): boolean {
  if (atMs < range.fromMs || atMs > range.untilMs) return false;
  if (project === undefined && (range.sessionId === null || range.project !== null)) return false;
  return (range.sessionId === null || range.sessionId === sessionId) &&
    (range.project === null || range.project === project);
}

/** Tells whether something that is about to be written was forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { isForgotten } from "./forgotten_names.ts";
import { type ArrivingUse, isUseForgotten } from "./forgotten_uses.ts";
import { knownWordNames } from "./forgotten_digest.ts";
import { statement } from "./statement.ts";

/** Something that is about to be written. */
export interface Arrival {
  readonly sessionId: string;
  /** The common git directory, or the folder where there is none; undefined when only the session counts. */
  readonly project?: string | null;
  readonly atMs: number;
  /** Its ids. */
  readonly names: readonly string[];
  /** The tool use that it belongs to. */
  readonly use?: Omit<ArrivingUse, "sessionId"> | undefined;
  /** The keys of its words, from `words_key.ts`. */
  readonly keys: readonly string[];
}

/** A session, a project or a time that was forgotten, up to the moment of that. */
interface Range {
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Knows what was forgotten before {@linkcode stayAway} was called, and names that are forgotten later. */
export interface StayAway {
  /** Whether it was forgotten, by itself or with its session, project or time. */
  readonly has: (arrival: Arrival) => boolean;
  /** Whether words of a session were forgotten. @param key One of `words_key.ts`. */
  readonly hasWords: (sessionId: string, key: string) => boolean;
}

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

/** Receipts that name no text, file or ids: they stand for all that they describe. */
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

/** Describes a session for the search for lost tool uses. */
import type { TranscriptProject } from "./capture_of.ts";

/** The allowed difference between a hook's clock and the time in a transcript's line, in milliseconds. */
export const MAX_CLOCK_GAP_MS = 60_000;

/** A session that hooks have recorded. */
export interface RecordedSession {
  readonly sessionId: string;
  /** The path of the session's transcript. */
  readonly transcript: string;
  /** Finds the session's project; called only if something is missing. */
  readonly project: () => Promise<TranscriptProject>;
  /** The time of the session's first hook, in epoch milliseconds; items that a fork repeats are older. */
  readonly startedAtMs: number;
}

export interface TakeLostOptions {
  /** The path of the database. */
  readonly database: string;
  readonly nowMs: number;
  /** The deadline, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
}

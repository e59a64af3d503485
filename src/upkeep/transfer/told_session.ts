/** What the search for lost tool uses is told of a session. */
import type { TranscriptProject } from "./capture_of.ts";

/** The clock of a hook may differ by this much from the time in the line of its tool use, in milliseconds. */
export const APART_MS = 60_000;

/** A session that hooks know. */
export interface ToldSession {
  readonly sessionId: string;
  /** The path of its transcript. */
  readonly transcript: string;
  /** Where its project is found; called only when something is missing. */
  readonly project: () => Promise<TranscriptProject>;
  /** When hooks first heard of it, epoch milliseconds: what a fork repeats of another session is older. */
  readonly startedAtMs: number;
}

export interface TakeOptions {
  /** The path of the database. */
  readonly database: string;
  readonly nowMs: number;
  /** When to stop, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
}

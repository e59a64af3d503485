/** A capture that could not be worked in waits for another try, or is given up. */
import type { DatabaseSync } from "node:sqlite";
import { type ClaimedCapture, failCapture } from "../store/queue_work.ts";

/** After this many tries a capture is given up; between them the pause doubles (reference, §5). */
const MAX_TRIES = 3;
const FIRST_PAUSE_MS = 5_000;

/** Gives a capture back to the queue. @param why `fault`: what is wrong with it. `atMs`: when that was seen, in epoch milliseconds. */
export function giveBack(
  db: DatabaseSync,
  capture: Pick<ClaimedCapture, "id" | "attempts">,
  { fault, atMs }: { readonly fault: string; readonly atMs: number },
): void {
  const pauseMs = FIRST_PAUSE_MS * 2 ** (capture.attempts - 1);
  failCapture(db, capture, {
    errorMessage: fault,
    retryAtMs: capture.attempts >= MAX_TRIES ? null : atMs + pauseMs,
    atMs,
  });
}

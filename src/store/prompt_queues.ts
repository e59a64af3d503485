import type { DatabaseSync } from "node:sqlite";
import type { QueuePlace } from "../guard/stop_policy.ts";

/** Keeps how the first prompt of a session began; a later one changes nothing. */
export function keepFirstPrompt(
  db: DatabaseSync,
  first: { readonly sessionId: string; readonly prompt: string; readonly atMs: number },
): void {
  db.prepare(
    `INSERT INTO prompt_queues (session_id, initial_prompt, created_at_ms, updated_at_ms)
     VALUES (?1, ?2, ?3, ?3)
     ON CONFLICT (session_id) DO NOTHING`,
  ).run(first.sessionId, first.prompt, first.atMs);
}

/** How a session began, and how far it has come; null when no prompt of it is known. */
export function readQueue(
  db: DatabaseSync,
  sessionId: string,
): QueuePlace & { readonly prompt: string } | null {
  const row = db.prepare(
    `SELECT initial_prompt AS prompt, queue_position AS position, repeats_left AS timesLeft
       FROM prompt_queues
      WHERE session_id = ?`,
  ).get(sessionId);
  return (row ?? null) as unknown as QueuePlace & { readonly prompt: string } | null;
}

/** Notes that a message was told. */
export function advanceQueue(
  db: DatabaseSync,
  sessionId: string,
  to: QueuePlace & { readonly atMs: number },
): void {
  db.prepare(
    `UPDATE prompt_queues
        SET queue_position = ?2,
            repeats_left = ?3,
            updated_at_ms = ?4
      WHERE session_id = ?1`,
  ).run(sessionId, to.position, to.timesLeft, to.atMs);
}

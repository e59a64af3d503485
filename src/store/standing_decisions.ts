/** Decisions that stand, and what was said before them: what a rule is compared with. */
import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

/** A decision that nothing has taken the place of. */
export interface StandingDecision {
  readonly id: number;
  readonly sessionId: string;
  readonly title: string;
  readonly updatedAtMs: number;
}

/** So many are compared: 10 µs each, and only where a prompt lays down a rule, or takes one back. */
const MAX_COMPARED = 200;

/** The decisions of a project that stand, the newest first. */
export function standingDecisions(db: DatabaseSync, project: string | null): StandingDecision[] {
  return statement(
    db,
    `SELECT id, session_id AS sessionId, title, updated_at_ms AS updatedAtMs
       FROM observations
      WHERE project = ?
        AND kind IN ('summary', 'decision', 'note')
        AND kind = 'decision'
        AND resolved_by IS NULL
      ORDER BY created_at_ms DESC
      LIMIT ${MAX_COMPARED}`,
  ).all(project) as unknown as StandingDecision[];
}

/** What a person said last in a session before a moment; null where that is nothing. */
export function promptBefore(
  db: DatabaseSync,
  sessionId: string,
  beforeMs: number,
): { readonly text: string; readonly updatedAtMs: number } | null {
  const row = statement(
    db,
    `SELECT text, updated_at_ms AS updatedAtMs
       FROM observations
      WHERE session_id = ?
        AND kind = 'prompt'
        AND updated_at_ms < ?
      ORDER BY updated_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, beforeMs);
  return row === undefined
    ? null
    : { text: String(row["text"]), updatedAtMs: Number(row["updatedAtMs"]) };
}

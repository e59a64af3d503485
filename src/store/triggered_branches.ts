import type { DatabaseSync } from "node:sqlite";

/** A requirement that a session has triggered, and where. */
export interface TriggeredOn {
  readonly branch: string;
  readonly requirement: string;
}

/** What a session has triggered in a repository, on whatever branch; also what may not have run. */
export function triggeredBranches(
  db: DatabaseSync,
  { repository, sessionId }: { readonly repository: string; readonly sessionId: string },
): TriggeredOn[] {
  return db.prepare(
    `SELECT branch, requirement
       FROM requirements
      WHERE session_id = ?
        AND repository = ?
        AND triggered_at_ms IS NOT NULL
      ORDER BY branch, requirement`,
  ).all(sessionId, repository) as unknown as TriggeredOn[];
}

/** Sessions of which more was captured than their summary tells. */
import type { DatabaseSync } from "node:sqlite";

/** Sessions that are looked at: those with the newest signs of life. */
const MAX_LOOKED_AT = 20;

/** Captures that wait to be worked in; each query that has it searches an index. */
const WAIT = "q.session_id = s.session_id AND q.status IN ('raw', 'processing')";

/** A session whose summary is behind, or not written yet. */
export interface BehindSession {
  readonly sessionId: string;
  readonly branch: string | null;
  /** Whether captures of it wait to be worked in, … */
  readonly isWaiting: boolean;
  /** … and tool uses among them. */
  readonly hasWorked: boolean;
}

/** The sessions of a project that are behind, but for one of them; the newest sign of life first. */
export function behindSessions(
  db: DatabaseSync,
  { project, except, limit }: {
    readonly project: string;
    readonly except: string;
    readonly limit: number;
  },
): BehindSession[] {
  const rows = db.prepare(
    `SELECT session_id AS sessionId, branch,
            EXISTS (SELECT 1 FROM pending_queue AS q WHERE ${WAIT}) AS isWaiting,
            EXISTS (SELECT 1 FROM pending_queue AS q WHERE ${WAIT} AND q.tool_use_id IS NOT NULL) AS hasWorked,
            EXISTS (SELECT 1 FROM sessions_to_summarize AS t WHERE t.session_id = s.session_id) AS isAsked
       FROM (SELECT session_id, branch, updated_at_ms
               FROM sessions
              WHERE coalesce(repository, project_dir) = ?
                AND session_id <> ?
              ORDER BY updated_at_ms DESC
              LIMIT ${MAX_LOOKED_AT}) AS s
      WHERE isWaiting OR isAsked
      ORDER BY updated_at_ms DESC
      LIMIT ?`,
  ).all(project, except, limit);
  return rows.map(({ sessionId, branch, isWaiting, hasWorked }) => ({
    sessionId: String(sessionId),
    branch: branch === null ? null : String(branch),
    isWaiting: isWaiting === 1,
    hasWorked: hasWorked === 1,
  }));
}

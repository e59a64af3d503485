import type { DatabaseSync } from "node:sqlite";

/** Sessions by status. */
export interface SessionCounts {
  readonly total: number;
  readonly active: number;
  readonly ended: number;
  readonly abandoned: number;
}

/**
 * Counts sessions.
 *
 * @param project Common git directory, or project directory where there is none; null counts those of all projects.
 */
export function countSessions(db: DatabaseSync, project: string | null): SessionCounts {
  return db.prepare(
    `SELECT count(*) AS total,
            count(*) FILTER (WHERE status = 'active') AS active,
            count(*) FILTER (WHERE status = 'ended') AS ended,
            count(*) FILTER (WHERE status = 'abandoned') AS abandoned
       FROM sessions
      WHERE ?1 IS NULL OR coalesce(repository, project_dir) = ?1`,
  ).get(project) as unknown as SessionCounts;
}

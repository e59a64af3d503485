import type { DatabaseSync } from "node:sqlite";

/** A session as people and programs see it. */
export interface SessionRow {
  readonly sessionId: string;
  readonly shortId: string;
  readonly status: "active" | "ended" | "abandoned";
  readonly source: string | null;
  readonly title: string | null;
  readonly projectDir: string | null;
  readonly repository: string | null;
  readonly branch: string | null;
  readonly cwd: string | null;
  readonly permissionMode: string | null;
  readonly claudePid: number | null;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly endedAtMs: number | null;
  readonly endReason: string | null;
}

const COLUMNS =
  `session_id AS sessionId, short_id AS shortId, status, source, title, project_dir AS projectDir,
            repository, branch, cwd, permission_mode AS permissionMode, claude_pid AS claudePid,
            started_at_ms AS startedAtMs, updated_at_ms AS updatedAtMs, ended_at_ms AS endedAtMs,
            end_reason AS endReason`;

/** Sessions, the one with the newest sign of life first. Null filters let everything through. */
export function listSessions(
  db: DatabaseSync,
  filter: {
    /** Common git directory, or project directory where there is none. */
    readonly project: string | null;
    readonly status: string | null;
    readonly limit: number;
  },
): SessionRow[] {
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM sessions
      WHERE (?1 IS NULL OR coalesce(repository, project_dir) = ?1)
        AND (?2 IS NULL OR status = ?2)
      ORDER BY updated_at_ms DESC, session_id
      LIMIT ?3`,
  ).all(filter.project, filter.status, filter.limit) as unknown as SessionRow[];
}

/** The session with this full id, else every session with this short id. */
export function findSessions(db: DatabaseSync, id: string): SessionRow[] {
  const exact = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE session_id = ?`).all(id);
  const found = exact.length > 0 ? exact : db.prepare(
    `SELECT ${COLUMNS}
       FROM sessions
      WHERE short_id = ?
      ORDER BY updated_at_ms DESC`,
  ).all(id);
  return found as unknown as SessionRow[];
}

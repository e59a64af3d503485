import type { DatabaseSync } from "node:sqlite";
import { statement } from "./statement.ts";

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
  /** The task that it works for, and the agent that it is, when the daemon has started it. */
  readonly taskId: string | null;
  readonly agentId: string | null;
}

const COLUMNS =
  `session_id AS sessionId, short_id AS shortId, status, source, title, project_dir AS projectDir,
            repository, branch, cwd, permission_mode AS permissionMode, claude_pid AS claudePid,
            started_at_ms AS startedAtMs, updated_at_ms AS updatedAtMs, ended_at_ms AS endedAtMs,
            end_reason AS endReason, task_id AS taskId, agent_id AS agentId`;

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

/**
 * Where the transcripts of a repository's sessions lie: the path of this session's, else of the newest one's; null where
 * none is known.
 */
export function transcriptNear(
  db: DatabaseSync,
  { repository, sessionId }: { readonly repository: string | null; readonly sessionId: string },
): string | null {
  const row = db.prepare(
    `SELECT transcript_path AS path
       FROM sessions
      WHERE transcript_path IS NOT NULL
        AND (session_id = ?2 OR repository = ?1)
      ORDER BY session_id = ?2 DESC, updated_at_ms DESC
      LIMIT 1`,
  ).get(repository, sessionId);
  return row === undefined ? null : String(row["path"]);
}

/** What a session is called: as it was named, or by its first prompt; null where neither is known. */
export function sessionTitle(db: DatabaseSync, sessionId: string): string | null {
  const row = statement(db, "SELECT title FROM sessions WHERE session_id = ?").get(sessionId);
  return row === undefined || row["title"] === null ? null : String(row["title"]);
}

/** The branch on which a session was last, in a repository; null where it was on none. */
export function lastBranch(
  db: DatabaseSync,
  { sessionId, repository }: { readonly sessionId: string; readonly repository: string },
): string | null {
  const row = statement(
    db,
    `SELECT branch
       FROM sessions
      WHERE session_id = ?
        AND repository = ?`,
  ).get(sessionId, repository);
  return row === undefined || row["branch"] === null ? null : String(row["branch"]);
}

/** The sessions that worked for a task, the one that began last first. */
export function listSessionsOfTask(db: DatabaseSync, taskId: string): SessionRow[] {
  return db.prepare(
    `SELECT ${COLUMNS}
       FROM sessions
      WHERE task_id = ?
      ORDER BY started_at_ms DESC, session_id`,
  ).all(taskId) as unknown as SessionRow[];
}

/** An active session, and the mark that its Claude process had when it began; null when that was not recorded. */
export interface ActiveSession {
  readonly session: SessionRow;
  readonly claudeProcess: string | null;
}

/**
 * The active sessions of some projects, the one with the newest sign of life first.
 *
 * @param projects Common git directories, or project directories where there is none.
 */
export function listActive(db: DatabaseSync, projects: readonly string[]): ActiveSession[] {
  const rows = db.prepare(
    `SELECT ${COLUMNS}, claude_process AS claudeProcess
       FROM sessions
      WHERE coalesce(repository, project_dir) IN (SELECT value FROM json_each(?))
        AND status = 'active'
      ORDER BY updated_at_ms DESC, session_id`,
  ).all(JSON.stringify(projects)) as unknown as (SessionRow & {
    readonly claudeProcess: string | null;
  })[];
  return rows.map(({ claudeProcess, ...session }) => ({ session, claudeProcess }));
}

/** So much of an id must be given for the rest to be guessed, in characters without dashes. */
export const MIN_ID_BEGINNING = 4;

/** An id as it is compared: without dashes, in small letters. */
const KEY = "lower(replace(session_id, '-', ''))";

/** Tables whose rows may come before their session, outlast it, or have none. */
const TABLES_OF_SESSIONS = ["hook_executions", "pending_queue", "counters", "observations"];

/**
 * The session with this id or short id, else those whose ids begin like this: case and dashes do not matter, and at
 * least {@linkcode MIN_ID_BEGINNING} characters must be there.
 *
 * @returns At most `limit`, the newest first; one alone when its whole id was given.
 */
export function findSessions(db: DatabaseSync, text: string, limit = 100): SessionRow[] {
  return firstFound(text, (condition, value) =>
    db.prepare(
      `SELECT ${COLUMNS}
         FROM sessions
        WHERE ${condition}
        ORDER BY updated_at_ms DESC
        LIMIT ?`,
    ).all(value, limit) as unknown as SessionRow[], ["session_id = ?", "short_id = ?"]);
}

/**
 * {@linkcode findSessions} for ids that no session has, but an event, a capture, a counter or what is remembered.
 *
 * @returns Full ids.
 */
export function findIdsWithoutSession(db: DatabaseSync, text: string, limit = 100): string[] {
  return firstFound(text, (condition, value) => {
    const tables = TABLES_OF_SESSIONS.map((table) =>
      `SELECT session_id
         FROM ${table}
        WHERE ${condition.replaceAll("?", "?1")}`
    );
    return db.prepare(
      `${tables.join("\n        UNION\n       ")}
        EXCEPT
       SELECT session_id
         FROM sessions
        LIMIT ?2`,
    ).all(value, limit).map((row) => String(row["session_id"]));
  }, ["session_id = ?"]);
}

/** What the first condition finds that finds anything: by an index as it is typed, then by reading all ids. */
function firstFound<Found>(
  text: string,
  ask: (condition: string, value: string) => Found[],
  byIndex: readonly string[],
): Found[] {
  const key = text.replaceAll("-", "").toLowerCase();
  const ways: readonly (readonly [condition: string, value: string])[] = [
    ...byIndex.map((condition) => [condition, text] as const),
    [`${KEY} = ?`, key],
    ...key.length < MIN_ID_BEGINNING ? [] : [[`instr(${KEY}, ?) = 1`, key] as const],
  ];
  for (const [condition, value] of ways) {
    const found = ask(condition, value);
    if (found.length > 0) return found;
  }
  return [];
}

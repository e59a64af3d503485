/** Reads the table of sessions, and marks abandoned ones. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { statement } from "./statement.ts";
import { shortestUniquePrefix, shortSessionId } from "../base/ids.ts";
import type { ProcessState } from "../system/process/process_identity.ts";

/** The last turn of a session: it runs, Claude ended it, or an error of the API ended it. */
export type LastTurn =
  | { readonly kind: "begun" | "ended" }
  | { readonly kind: "failed"; readonly error: string };

export interface SessionEnd {
  readonly status: SessionRow["status"];
  /** The reason that Claude Code gave: `prompt_input_exit`, `clear`, …; null where it gave none. */
  readonly reason: string | null;
  /** Null when no turn is known. */
  readonly turn: LastTurn | null;
}

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
  /** The task that it works for and the agent that it is, where the daemon has started it. */
  readonly taskId: string | null;
  readonly agentId: string | null;
}

const COLUMNS =
  `session_id AS sessionId, short_id AS shortId, status, source, title, project_dir AS projectDir,
            repository, branch, cwd, permission_mode AS permissionMode, claude_pid AS claudePid,
            started_at_ms AS startedAtMs, updated_at_ms AS updatedAtMs, ended_at_ms AS endedAtMs,
            end_reason AS endReason, task_id AS taskId, agent_id AS agentId`;

/** Reads sessions. @param rest The SQL after `FROM sessions`. */
function select(db: DatabaseSync, rest: string, values: readonly SQLInputValue[]): SessionRow[] {
  return db.prepare(`SELECT ${COLUMNS} FROM sessions ${rest}`)
    .all(...values) as unknown as SessionRow[];
}

/** Returns sessions, the latest sign of life first. A null filter lets all sessions through. */
export function listSessions(
  db: DatabaseSync,
  filter: {
    /** A common git directory; outside of a repository, a project directory. */
    readonly project: string | null;
    readonly status: string | null;
    /** Lists only sessions whose latest sign of life is older than this, in epoch milliseconds. */
    readonly untilMs?: number;
    /** Leaves out sessions of which nothing but the end is known. */
    readonly onlyWorked?: boolean;
    readonly limit: number;
  },
): SessionRow[] {
  return select(
    db,
    `WHERE (?1 IS NULL OR coalesce(repository, project_dir) = ?1)
       AND (?2 IS NULL OR status = ?2)
       AND (?3 IS NULL OR updated_at_ms < ?3)
       AND (?4 = 0 OR title IS NOT NULL OR ended_at_ms IS NULL OR ended_at_ms > started_at_ms)
     ORDER BY updated_at_ms DESC, session_id
     LIMIT ?5`,
    [
      filter.project,
      filter.status,
      filter.untilMs ?? null,
      filter.onlyWorked ? 1 : 0,
      filter.limit,
    ],
  );
}

/** Returns the folders of all projects that sessions have worked in, the last one first. */
export function knownProjects(db: DatabaseSync): string[] {
  return statement(db)`
    SELECT project_dir AS folder
      FROM sessions
     WHERE project_dir IS NOT NULL
     GROUP BY project_dir
     ORDER BY max(updated_at_ms) DESC`.all().map(({ folder }) => String(folder));
}

/** Returns the sessions that worked for a task, the newest first. */
export function listSessionsOfTask(db: DatabaseSync, taskId: string): SessionRow[] {
  return select(db, "WHERE task_id = ? ORDER BY started_at_ms DESC, session_id", [taskId]);
}

/** Returns the path of the transcript of a session, else of the newest session in the repository; null for none. */
export function transcriptNear(
  db: DatabaseSync,
  { repository, sessionId }: { readonly repository: string | null; readonly sessionId: string },
): string | null {
  const row = statement(db)`
    SELECT transcript_path AS path
      FROM sessions
     WHERE transcript_path IS NOT NULL
       AND (session_id = ?2 OR repository = ?1)
     ORDER BY session_id = ?2 DESC, updated_at_ms DESC
     LIMIT 1`.get(repository, sessionId);
  return textIn(row, "path");
}

/** Returns when a session began, in epoch milliseconds; null for an unknown session. */
export function sessionStartMs(db: DatabaseSync, sessionId: string): number | null {
  const sql = "SELECT started_at_ms AS startMs FROM sessions WHERE session_id = ?";
  return (statement(db, sql).get(sessionId)?.["startMs"] ?? null) as number | null;
}

export function sessionTitle(db: DatabaseSync, sessionId: string): string | null {
  const row = statement(db, "SELECT title FROM sessions WHERE session_id = ?").get(sessionId);
  return textIn(row, "title");
}

/** Returns the last branch of a session in a repository; null when there is none. */
export function lastBranch(
  db: DatabaseSync,
  { sessionId, repository }: { readonly sessionId: string; readonly repository: string },
): string | null {
  const sql = "SELECT branch FROM sessions WHERE session_id = ? AND repository = ?";
  return textIn(statement(db, sql).get(sessionId, repository), "branch");
}

function textIn(row: Readonly<Record<string, unknown>> | undefined, column: string): string | null {
  return row?.[column] == null ? null : String(row[column]);
}

/** An active session, and the mark of its Claude process; null when that was not recorded. */
export type ActiveSession = Readonly<{ session: SessionRow; claudeProcess: string | null }>;

/** Returns active sessions of some projects (common git directories, else folders), the latest sign of life first. */
export function listActive(db: DatabaseSync, projects: readonly string[]): ActiveSession[] {
  const rows = statement(db)`
    SELECT ${COLUMNS}, claude_process AS claudeProcess
      FROM sessions
     WHERE coalesce(repository, project_dir) IN (SELECT value FROM json_each(?))
       AND status = 'active'
     ORDER BY updated_at_ms DESC, session_id
  `.all(JSON.stringify(projects)) as unknown as (SessionRow & {
    readonly claudeProcess: string | null;
  })[];
  return rows.map(({ claudeProcess, ...session }) => ({ session, claudeProcess }));
}

/** The shortest beginning of an id that is looked up, in characters without dashes. */
export const MIN_ID_BEGINNING = 4;

/** SQL for an id without dashes and in small letters. */
const KEY = "lower(replace(session_id, '-', ''))";

/** Tables whose rows may exist without their session. */
const TABLES_OF_SESSIONS = ["hook_executions", "pending_queue", "counters", "observations"];

/** Returns the sessions with this id or short id, else those whose ids begin with it; the newest first. */
export function findSessions(db: DatabaseSync, text: string, limit = 100): SessionRow[] {
  return firstFound(
    text,
    (condition, value) =>
      select(db, `WHERE ${condition} ORDER BY updated_at_ms DESC LIMIT ?`, [value, limit]),
    ["session_id = ?", "short_id = ?"],
  );
}

/** Finds ids like {@linkcode findSessions}, but ids that only executions, captures, counters or observations have. */
export function findIdsWithoutSession(db: DatabaseSync, text: string, limit = 100): string[] {
  return firstFound(text, (condition, value) => {
    const tables = TABLES_OF_SESSIONS.map((table) =>
      `SELECT session_id
         FROM ${table}
        WHERE ${condition.replaceAll("?", "?1")}`
    );
    return statement(db)`
      ${tables.join("\n        UNION\n       ")}
       EXCEPT
      SELECT session_id
        FROM sessions
       LIMIT ?2`.all(value, limit).map((row) => String(row["session_id"]));
  }, ["session_id = ?"]);
}

/** Returns the rows that the first matching condition finds. Conditions that an index serves come first. */
function firstFound<Found>(
  text: string,
  find: (condition: string, value: string) => Found[],
  byIndex: readonly string[],
): Found[] {
  const key = text.replaceAll("-", "").toLowerCase();
  const ways: readonly (readonly [condition: string, value: string])[] = [
    ...byIndex.map((condition) => [condition, text] as const),
    [`${KEY} = ?`, key],
    ...key.length < MIN_ID_BEGINNING ? [] : [[`instr(${KEY}, ?) = 1`, key] as const],
  ];
  for (const [condition, value] of ways) {
    const found = find(condition, value);
    if (found.length > 0) return found;
  }
  return [];
}

export function hasRunningSubagent(db: DatabaseSync, sessionId: string): boolean {
  const running = "agents WHERE session_id = ? AND kind = 'subagent' AND ended_at_ms IS NULL";
  return isAny(db, running, [sessionId]);
}

export function isOfTask(
  db: DatabaseSync,
  sessionId: string,
  { taskId, agentId }: { readonly taskId: string; readonly agentId: string | null },
): boolean {
  const known = "sessions WHERE session_id = ? AND task_id = ? AND agent_id IS ?";
  return isAny(db, known, [sessionId, taskId, agentId]);
}

function isAny(db: DatabaseSync, from: string, values: readonly SQLInputValue[]): boolean {
  return db.prepare(`SELECT 1 FROM ${from} LIMIT 1`).get(...values) !== undefined;
}

/** Returns how a session ended; null when the session is not known. A blocked prompt or stop does not count. */
export function sessionEnd(db: DatabaseSync, sessionId: string): SessionEnd | null {
  const sql = "SELECT status, end_reason AS reason FROM sessions WHERE session_id = ?";
  const session = statement(db, sql).get(sessionId) as Omit<SessionEnd, "turn"> | undefined;
  return session === undefined ? null : { ...session, turn: lastTurn(db, sessionId) };
}

function lastTurn(db: DatabaseSync, sessionId: string): LastTurn | null {
  const row = statement(db)`
    SELECT hook_name AS event, iif(json_valid(metadata), metadata ->> '$.error', NULL) AS error
      FROM hook_executions
     WHERE session_id = ?
       AND hook_name IN ('UserPromptSubmit', 'Stop', 'StopFailure')
       AND status <> 'blocked'
     ORDER BY created_at_ms DESC, id DESC
     LIMIT 1`.get(sessionId);
  if (row === undefined) return null;
  if (row["event"] === "StopFailure") return { kind: "failed", error: String(row["error"] ?? "") };
  return { kind: row["event"] === "Stop" ? "ended" : "begun" };
}

export interface SessionCounts {
  readonly total: number;
  readonly active: number;
  readonly ended: number;
  readonly abandoned: number;
}

/** Counts sessions. @param project A common git directory, or a project directory; null for all projects. */
export function countSessions(db: DatabaseSync, project: string | null): SessionCounts {
  return statement(db)`
    SELECT count(*) AS total,
           count(*) FILTER (WHERE status = 'active') AS active,
           count(*) FILTER (WHERE status = 'ended') AS ended,
           count(*) FILTER (WHERE status = 'abandoned') AS abandoned
      FROM sessions
     WHERE ?1 IS NULL OR coalesce(repository, project_dir) = ?1
  `.get(project) as unknown as SessionCounts;
}

/** Returns active sessions whose process is known, the longest quiet first. */
export function activeSessions(
  db: DatabaseSync,
  options: { readonly except: string; readonly limit: number },
): SessionProcess[] {
  return statement(db)`
    SELECT session_id AS sessionId, claude_pid AS claudePid, claude_process AS claudeProcess
      FROM sessions
     WHERE status = 'active'
       AND claude_pid IS NOT NULL
       AND session_id <> ?
     ORDER BY updated_at_ms
     LIMIT ?`.all(options.except, options.limit) as unknown as SessionProcess[];
}

/** Tells whether the mark of a session's process is not stored yet. */
export function lacksMark(db: DatabaseSync, sessionId: string, claudePid: number): boolean {
  const lacking = "sessions WHERE session_id = ? AND claude_pid = ? AND claude_process IS NULL";
  return isAny(db, lacking, [sessionId, claudePid]);
}

/** Stores the mark of a session's process, unless another process runs the session by now. */
export function keepMark(
  db: DatabaseSync,
  sessionId: string,
  { claudePid, mark }: { readonly claudePid: number; readonly mark: string },
): void {
  statement(db)`
    UPDATE sessions
       SET claude_process = ?3
     WHERE session_id = ?1
       AND claude_pid = ?2
       AND claude_process IS NULL`.run(sessionId, claudePid, mark);
}

/** Marks active sessions as abandoned, unless one had an event after `seenBeforeMs`. @returns How many it marked. */
export function markAbandoned(
  db: DatabaseSync,
  sessionIds: readonly string[],
  seenBeforeMs: number,
): number {
  const marked = statement(db)`
    UPDATE sessions
       SET status = 'abandoned', ended_at_ms = updated_at_ms
     WHERE status = 'active'
       AND updated_at_ms <= ?
       AND session_id IN (SELECT value FROM json_each(?))
    RETURNING session_id AS sessionId`.all(seenBeforeMs, JSON.stringify(sessionIds));
  for (const { sessionId } of marked) askForSummaryOfEnd(db, String(sessionId));
  return marked.length;
}

/** Asks for a new summary of a session that ended, if it has observations: the summary says how it ended. */
export function askForSummaryOfEnd(db: DatabaseSync, sessionId: string): void {
  statement(db)`
    INSERT OR IGNORE INTO sessions_to_summarize (session_id)
    SELECT ?1
     WHERE EXISTS (SELECT 1 FROM observations WHERE session_id = ?1)`.run(sessionId);
}

/**
 * Returns the shortest beginning of a session's id that no other session has: 8 letters or more, with the id's own dashes
 * where another id begins with the same 8.
 */
export function tellingId(db: DatabaseSync | null, sessionId: string): string {
  const short = shortSessionId(sessionId);
  const sql = "SELECT session_id AS id FROM sessions WHERE short_id = ? AND session_id <> ?";
  // Where the database does not answer, the short id is told.
  const alike = quietly(() => db?.prepare(sql).all(short, sessionId)) ?? [];
  if (alike.length === 0) return short;
  const others = alike.map(({ id }) => String(id).replaceAll("-", ""));
  const { length } = shortestUniquePrefix(sessionId.replaceAll("-", ""), others, short.length);
  return new RegExp(`^(?:-*[^-]){${length}}`).exec(sessionId)![0];
}

/** The Claude process that opened a session. */
export interface SessionProcess extends Pick<SessionRow, "sessionId"> {
  readonly claudePid: number;
  /** Distinguishes the process from a later one with the same number; null when it was not recorded. */
  readonly claudeProcess: string | null;
}

/**
 * Returns the ids of sessions whose process is dead, has a successor with the same number, or runs another session now.
 * @param ownPid The process that opens a session at this moment, if one does.
 */
export function goneSessions(
  sessions: readonly SessionProcess[],
  processes: ReadonlyMap<number, ProcessState>,
  ownPid: number | null,
): string[] {
  return sessions.filter(({ claudePid, claudeProcess }) => {
    if (claudePid === ownPid) return true;
    const now = processes.get(claudePid);
    if (now === undefined) return false;
    return !now.alive ||
      (claudeProcess !== null && now.mark !== null && now.mark !== claudeProcess);
  }).map(({ sessionId }) => sessionId);
}

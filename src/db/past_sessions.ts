/** Adds sessions that hooks have not added, and finds which captures of a transcript are stored. */
import type { DatabaseSync } from "node:sqlite";
import { shortSessionId, UNKNOWN_SESSION_ID } from "../base/ids.ts";
import type { SessionTouch } from "./captures.ts";
import type { StoredPayload } from "./payloads.ts";
import type { SessionRow } from "./sessions.ts";
import { statement } from "./statement.ts";

/** A session as its transcript describes it. */
type PastSession =
  & Pick<SessionTouch, "title" | "projectDir" | "repository" | "branch" | "cwd" | "transcriptPath">
  & Pick<SessionRow, "sessionId" | "startedAtMs" | "updatedAtMs" | "endedAtMs">;

/** A capture in the queue. Its payload is null unless it was asked for. */
export type QueuedCapture = StoredPayload & {
  /** Its row number. */
  readonly place: number;
  readonly toolUseId: string | null;
  readonly toolName: string;
};

/**
 * Returns the captures of a session that have greater row numbers than `after`.
 * @param options `payloadsOf`: the tool names of the captures whose payloads are read.
 */
export function capturesAfter(
  db: DatabaseSync,
  sessionId: string,
  { after, payloadsOf }: { readonly after: number; readonly payloadsOf: readonly string[] },
): QueuedCapture[] {
  return statement(db)`
    SELECT rowid AS place, id, tool_use_id AS toolUseId, tool_name AS toolName, encoding, raw_bytes AS rawBytes,
           iif(tool_name IN (SELECT value FROM json_each(?3)), payload, NULL) AS payload
      FROM pending_queue
     WHERE session_id = ?1
       AND rowid > ?2
  `.all(sessionId, after, JSON.stringify(payloadsOf)) as unknown as QueuedCapture[];
}

/** Returns the sessions with a transcript that had an event since a moment, the newest first. */
export function recentTranscripts(
  db: DatabaseSync,
  sinceMs: number,
  limit: number,
): { sessionId: string; transcript: string; projectDir: string | null; startedAtMs: number }[] {
  return statement(db)`
    SELECT session_id AS sessionId, transcript_path AS transcript, project_dir AS projectDir,
           started_at_ms AS startedAtMs
      FROM sessions
     WHERE transcript_path IS NOT NULL
       AND updated_at_ms >= ?
     ORDER BY updated_at_ms DESC
     LIMIT ?`.all(sinceMs, limit) as unknown as ReturnType<typeof recentTranscripts>;
}

export function countCapturesExcept(db: DatabaseSync, sessionIds: Iterable<string>): number {
  const row = statement(db)`
    SELECT count(*) AS n FROM pending_queue WHERE session_id NOT IN (SELECT value FROM json_each(?))`
    .get(JSON.stringify([...sessionIds]));
  return Number(row!["n"]);
}

/** Tells whether a session has a row. Retention removes the row, and a hook or a backfill adds it. */
export function isKnownSession(db: DatabaseSync, sessionId: string): boolean {
  return db.prepare("SELECT 1 FROM sessions WHERE session_id = ?").get(sessionId) !== undefined;
}

/**
 * Adds a session as ended, unless it is known.
 * @param options `isOurs`: this run has added the session, so it is updated. @returns Whether it wrote.
 */
export function savePastSession(
  db: DatabaseSync,
  session: PastSession,
  { isOurs }: { readonly isOurs: boolean },
): boolean {
  return statement(db)`
    INSERT INTO sessions
      (session_id, short_id, status, title, project_dir, repository, branch, cwd, transcript_path, started_at_ms,
       updated_at_ms, ended_at_ms)
    VALUES (:sessionId, :shortId, 'ended', :title, :projectDir, :repository, :branch, :cwd, :transcriptPath,
            :startedAtMs, :updatedAtMs, :endedAtMs)
    ON CONFLICT (session_id) DO UPDATE
       SET title = excluded.title, branch = excluded.branch, cwd = excluded.cwd, started_at_ms = excluded.started_at_ms,
           updated_at_ms = excluded.updated_at_ms, ended_at_ms = excluded.ended_at_ms
     WHERE :isOurs
       AND status = 'ended'`.run({
    ...session,
    shortId: shortSessionId(session.sessionId),
    isOurs: isOurs ? 1 : 0,
  }).changes > 0;
}

/** The end of a common git directory; the folder of the project is above it. */
const GIT = "/.git";

/** How many characters of a prompt make a title. */
const TITLE_CHARS = 120;

/**
 * Adds a row for each session that only captures or audit rows name, with what these and observations say about it. A
 * later event reopens a session without a recorded end.
 */
export function saveLostSessions(db: DatabaseSync): void {
  statement(db)`
    WITH lost AS (
      SELECT session_id AS id, min(created_at_ms) AS first, max(created_at_ms) AS last
        FROM (SELECT session_id, created_at_ms FROM pending_queue
               UNION ALL
              SELECT session_id, created_at_ms FROM hook_executions)
       WHERE session_id NOT IN (SELECT session_id FROM sessions)
         AND session_id <> ?1
       GROUP BY session_id),
    described AS (
      SELECT lost.*,
             EXISTS (SELECT 1 FROM hook_executions WHERE session_id = lost.id AND hook_name = 'SessionEnd') AS isEnded,
             (SELECT substr(iif(json_valid(metadata), metadata ->> '$.prompt', NULL), 1, ${TITLE_CHARS})
                FROM hook_executions
               WHERE session_id = lost.id
                 AND hook_name = 'UserPromptSubmit'
               ORDER BY created_at_ms
               LIMIT 1) AS title,
             coalesce(
               (SELECT project FROM observations WHERE session_id = lost.id AND project IS NOT NULL LIMIT 1),
               (SELECT payload ->> '$.project_dir'
                  FROM pending_queue
                 WHERE session_id = lost.id
                   AND encoding = 'json'
                   AND json_valid(payload)
                 LIMIT 1)) AS project,
             (SELECT nullif(branch, '')
                FROM pending_queue
               WHERE session_id = lost.id
               ORDER BY created_at_ms DESC
               LIMIT 1) AS branch
        FROM lost)
    INSERT INTO sessions
      (session_id, short_id, status, title, project_dir, repository, branch, started_at_ms, updated_at_ms, ended_at_ms)
    SELECT id, substr(replace(id, '-', ''), 1, 8), iif(isEnded, 'ended', 'abandoned'), title,
           iif(project LIKE '%${GIT}', substr(project, 1, length(project) - ${GIT.length}), project),
           iif(project LIKE '%${GIT}', project, NULL), branch, first, last, last
      FROM described
     WHERE true
    ON CONFLICT DO NOTHING`.run(UNKNOWN_SESSION_ID);
}

/** Writes the record of one hook event: its audit row, its session, its capture, its counters. */
import type { DatabaseSync } from "node:sqlite";
import { quietly } from "../base/errors.ts";
import { shortSessionId } from "../base/ids.ts";
import { transaction } from "./transaction.ts";

/**
 * The type of the counter that marks a session whose content is not kept; each event of the session raises it. It
 * begins like the types of claims, so that nobody resets it with the counters.
 */
export const MEMORY_OFF = "claim:memory_off";

/** The result of a hook event. `blocked` is a decision, not a failure. */
export type ExecutionStatus = "success" | "blocked" | "failure" | "timeout" | "skipped";

export interface Execution {
  readonly hookName: string;
  readonly toolName: string | null;
  readonly toolUseId: string | null;
  readonly status: ExecutionStatus;
  /** From the start of the process to the write, in milliseconds. */
  readonly durationMs: number;
  readonly errorMessage: string | null;
  readonly errorStack: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The change of a session by an event. `revive` reopens an ended session (SessionStart, a prompt), `end` ends it,
 * `touch` marks it as alive. A null keeps the stored value.
 */
export interface SessionTouch {
  readonly effect: "touch" | "revive" | "end";
  readonly source: string | null;
  readonly title: string | null;
  readonly projectDir: string | null;
  /** The common git directory; all worktrees of a repository share it. */
  readonly repository: string | null;
  readonly branch: string | null;
  readonly cwd: string | null;
  readonly permissionMode: string | null;
  readonly transcriptPath: string | null;
  readonly claudePid: number | null;
  /** Distinguishes the process from a later one with the same number. */
  readonly claudeProcess: string | null;
  readonly endReason: string | null;
}

/** A tool use, a prompt or a message, with the payload of its hook. */
export interface Capture {
  readonly toolName: string;
  readonly toolUseId: string | null;
  readonly outcome: "success" | "failure";
  readonly priority: "high" | "normal" | "low";
  readonly filesTouched: readonly string[];
  /** JSON; secrets are masked, and its size is limited. */
  readonly payload: string;
  /** How many bytes of the payload were cut at the size limit. */
  readonly cutBytes: number;
  /** Set when no hook captured it, and it was read from the transcript. */
  readonly source?: "transcript";
}

/** Everything that one hook event writes. It is plain data, so it can wait in the spool. */
export interface HookRecord {
  /** UUIDv7, the id of the audit row and the capture. A second save of the same record does nothing. */
  readonly id: string;
  readonly atMs: number;
  readonly sessionId: string;
  /** Null when the event named no session. */
  readonly session: SessionTouch | null;
  readonly execution: Execution;
  readonly capture: Capture | null;
  /** Types of the session's counters to raise by one. */
  readonly counters: readonly string[];
  /** Changes of requirements; most records have none. */
  readonly changes?: readonly unknown[];
  /** Changes of sub-agents, questions and the session's task; most records have none. */
  readonly told?: readonly unknown[];
}

/** Writes one part of a record. The room that owns the tables knows the shape of the part. */
type ApplyPart<Context> = {
  apply(db: DatabaseSync, part: readonly unknown[], context: Context): void;
}["apply"];

/** The functions that write the parts of a record which few events have. */
export interface Appliers {
  readonly changes?: ApplyPart<number> | undefined;
  readonly told?: ApplyPart<HookRecord> | undefined;
}

/** Writes one hook event in one transaction, in which a function makes it. @returns False when it was saved before. */
export function saveRecord(
  db: DatabaseSync,
  record: HookRecord | (() => HookRecord),
  appliers: Appliers = {},
): boolean {
  return saveRecords(db, () => [typeof record === "function" ? record() : record], appliers) > 0;
}

/** Saves many records in one transaction, as {@linkcode saveRecord} does. @returns How many it saved. */
export function saveRecords(
  db: DatabaseSync,
  records: readonly HookRecord[] | (() => readonly HookRecord[]),
  appliers: Appliers = {},
): number {
  return transaction(db, () => {
    const list = typeof records === "function" ? records() : records;
    return list.filter((record) => writeRecord(db, record, appliers)).length;
  });
}

/** Returns how many captures of a session are not done. */
export function countPending(db: DatabaseSync, sessionId: string): number {
  const row = db.prepare(
    "SELECT count(*) AS n FROM pending_queue WHERE session_id = ? AND status <> 'done'",
  ).get(sessionId);
  return Number(row?.["n"] ?? 0);
}

/** Tells whether a session waits for an answer. It is in this file because hooks call it after every tool use. */
export function hasOpenQuestion(db: DatabaseSync, sessionId: string): boolean {
  const open = "SELECT 1 FROM questions WHERE session_id = ? AND status <> 'resolved' LIMIT 1";
  return quietly(() => db.prepare(open).get(sessionId)) !== undefined;
}

function writeRecord(db: DatabaseSync, record: HookRecord, appliers: Appliers): boolean {
  if (!insertExecution(db, record)) return false;
  if (record.session !== null && !touchActiveSession(db, record, record.session)) {
    upsertSession(db, record, record.session);
  }
  if (record.capture !== null) insertCapture(db, record, record.capture);
  if (record.counters.length > 0) raiseCounters(db, record);
  if (record.changes !== undefined) appliers.changes?.(db, record.changes, record.atMs);
  if (record.told !== undefined) appliers.told?.(db, record.told, record);
  return true;
}

/** Hooks of one event begin together; hooks further apart than this report two events. */
const TOGETHER_MS = 10_000;

/**
 * Adds the audit row. Where both a settings file and a plugin start conclaude, only one of the two hooks adds it: a
 * tool use is recognised by its id, another event by its content.
 */
function insertExecution(
  db: DatabaseSync,
  { id, sessionId, atMs, execution }: HookRecord,
): boolean {
  const { changes } = db.prepare(
    `INSERT INTO hook_executions
       (id, session_id, hook_name, tool_name, tool_use_id, status, duration_ms, error_message, error_stack,
        metadata, created_at_ms)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
      WHERE NOT EXISTS (
            SELECT 1
              FROM hook_executions
             WHERE session_id = ?2
               AND created_at_ms BETWEEN ?11 - ${TOGETHER_MS} AND ?11 + ${TOGETHER_MS}
               AND hook_name = ?3
               AND tool_use_id IS ?5
               AND metadata ->> '$.via' IS NOT ?10 ->> '$.via'
               AND metadata ->> '$.told' IS ?10 ->> '$.told')
     ON CONFLICT (id) DO NOTHING`,
  ).run(
    id,
    sessionId,
    execution.hookName,
    execution.toolName,
    execution.toolUseId,
    execution.status,
    execution.durationMs,
    execution.errorMessage,
    execution.errorStack,
    JSON.stringify(execution.metadata),
    atMs,
  );
  return changes > 0;
}

/**
 * Updates an active session whose project and transcript are known. It writes one page, {@linkcode upsertSession}
 * writes three. @returns False when the session needs more than that.
 */
function touchActiveSession(
  db: DatabaseSync,
  { sessionId, atMs }: HookRecord,
  touch: SessionTouch,
): boolean {
  if (touch.effect !== "touch") return false;
  const { changes } = db.prepare(
    `UPDATE sessions
        SET updated_at_ms = ?2,
            branch = coalesce(?4, branch),
            cwd = coalesce(?5, cwd),
            permission_mode = coalesce(?6, permission_mode)
      WHERE session_id = ?1
        AND status = 'active'
        AND updated_at_ms <= ?2
        AND project_dir IS NOT NULL
        AND transcript_path IS NOT NULL
        AND (?3 IS NULL OR repository IS NOT NULL)
        AND (?7 IS NULL OR claude_pid = ?7)`,
  ).run(
    sessionId,
    atMs,
    touch.repository,
    touch.branch,
    touch.cwd,
    touch.permissionMode,
    touch.claudePid,
  );
  return changes > 0;
}

/**
 * Adds or updates a session. An event from before the end of a session never reopens it. A later event reopens an
 * abandoned session; only `revive` reopens an ended one.
 */
function upsertSession(
  db: DatabaseSync,
  { sessionId, atMs }: HookRecord,
  touch: SessionTouch,
): void {
  const { effect, source, title, projectDir, repository, branch, cwd, permissionMode } = touch;
  const { transcriptPath, claudePid, claudeProcess, endReason } = touch;
  db.prepare(
    `INSERT INTO sessions
       (session_id, short_id, status, source, title, project_dir, repository, branch, cwd, permission_mode,
        transcript_path, claude_pid, claude_process, started_at_ms, updated_at_ms, ended_at_ms, end_reason)
     VALUES ($sessionId, $shortId, iif($ends, 'ended', 'active'), $source, $title, $projectDir, $repository, $branch,
             $cwd, $permissionMode, $transcriptPath, $claudePid, $claudeProcess, $at, $at, iif($ends, $at, NULL),
             $endReason)
     ON CONFLICT (session_id) DO UPDATE SET
       status = CASE
         WHEN $ends THEN 'ended'
         WHEN $at >= ended_at_ms AND ($revives OR status = 'abandoned') THEN 'active'
         ELSE status END,
       ended_at_ms = CASE
         WHEN $ends THEN iif(status = 'ended', ended_at_ms, $at)
         WHEN $at >= ended_at_ms AND ($revives OR status = 'abandoned') THEN NULL
         ELSE ended_at_ms END,
       end_reason = CASE
         WHEN $ends THEN iif(status = 'ended', end_reason, $endReason)
         WHEN $at >= ended_at_ms AND ($revives OR status = 'abandoned') THEN NULL
         ELSE end_reason END,
       source          = coalesce($source, source),
       title           = coalesce(title, $title),
       project_dir     = coalesce(project_dir, $projectDir),
       repository      = coalesce(repository, $repository),
       branch          = iif($at < updated_at_ms, coalesce(branch, $branch), coalesce($branch, branch)),
       cwd             = iif($at >= updated_at_ms, coalesce($cwd, cwd), coalesce(cwd, $cwd)),
       permission_mode = iif($at >= updated_at_ms, coalesce($permissionMode, permission_mode),
                             coalesce(permission_mode, $permissionMode)),
       transcript_path = coalesce($transcriptPath, transcript_path),
       claude_process  = iif($claudePid IS NULL OR $claudePid IS claude_pid,
                             coalesce($claudeProcess, claude_process), $claudeProcess),
       claude_pid      = coalesce($claudePid, claude_pid),
       started_at_ms   = min(started_at_ms, $at),
       updated_at_ms   = max(updated_at_ms, $at)`,
  ).run({
    source,
    title,
    projectDir,
    repository,
    branch,
    cwd,
    permissionMode,
    transcriptPath,
    claudePid,
    claudeProcess,
    endReason,
    sessionId,
    shortId: shortSessionId(sessionId),
    ends: effect === "end" ? 1 : 0,
    revives: effect === "revive" ? 1 : 0,
    at: atMs,
  });
}

/** Queues a capture, unless a hook repeats a tool use of the transcript. @throws {Error} When the id is taken. */
export function insertCapture(
  db: DatabaseSync,
  { id, sessionId, session, atMs }: Pick<HookRecord, "id" | "sessionId" | "atMs"> & {
    readonly session: Pick<SessionTouch, "branch"> & { repository?: string | null } | null;
  },
  capture: Capture,
): void {
  db.prepare(
    `INSERT INTO pending_queue
       (id, session_id, tool_name, tool_use_id, outcome, priority, files_touched, payload, raw_bytes, cut_bytes,
        branch, created_at_ms, updated_at_ms, source)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, octet_length(?8), ?9, ?10, ?11, ?11, ?12
      WHERE ?12 IS NOT NULL
         OR NOT EXISTS (SELECT 1
                          FROM pending_queue
                         WHERE source IS NOT NULL
                           AND session_id = ?2
                           AND tool_use_id = ?4)`,
  ).run(
    id,
    sessionId,
    capture.toolName,
    capture.toolUseId,
    capture.outcome,
    capture.priority,
    JSON.stringify(capture.filesTouched),
    capture.payload,
    capture.cutBytes,
    // An empty text means that `HEAD` is on no branch; null means that the event does not say.
    session?.branch ?? (session?.repository == null ? null : ""),
    atMs,
    capture.source ?? null,
  );
}

function raiseCounters(db: DatabaseSync, { sessionId, atMs, counters }: HookRecord): void {
  const statement = db.prepare(
    `INSERT INTO counters (session_id, type, value, updated_at_ms)
     VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (session_id, type) DO UPDATE SET value = value + 1, updated_at_ms = ?3`,
  );
  for (const type of counters) statement.run(sessionId, type, atMs);
}

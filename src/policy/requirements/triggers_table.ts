/**
 * What is kept of tool uses that fell under requirements: those that a session has triggered (the use was allowed, and
 * probably ran), and what the audit trail says of uses that were denied or allowed.
 */
import type { DatabaseSync } from "node:sqlite";
import type { BranchKey, Standing } from "./standing.ts";

export interface Trigger extends Pick<Standing, "requirement" | "scope" | "sessionId"> {
  readonly toolUseId: string | null;
}

/** Marks a requirement as triggered. The first time stays, unless that tool use may not have run. */
export function trigger(
  db: DatabaseSync,
  at: Trigger & BranchKey,
  atMs: number,
): void {
  db.prepare(
    `INSERT INTO requirements
       (repository, branch, requirement, session_id, scope, triggered_at_ms, triggered_by, trigger_state, updated_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'allowed', ?6)
     ON CONFLICT (repository, branch, requirement, session_id) DO UPDATE SET
       triggered_at_ms = coalesce(triggered_at_ms, ?6),
       triggered_by = coalesce(triggered_by, ?7),
       trigger_state = 'allowed'
      WHERE triggered_at_ms IS NULL OR trigger_state = 'asked'`,
  ).run(
    at.repository,
    at.branch,
    at.requirement,
    at.sessionId,
    at.scope,
    atMs,
    at.toolUseId,
  );
}

/** A person is asked about a tool, so the tool uses that triggered something may not run. */
export function markAsked(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `UPDATE requirements
        SET trigger_state = 'asked'
      WHERE session_id = ?
        AND trigger_state = 'allowed'`,
  ).run(sessionId);
}

/**
 * Finds out from the audit trail which of the tool uses that triggered something have run; called before a stop is
 * judged. Another hook, Claude Code or the person may refuse a use that was allowed here. If no use at all is reported
 * after it, the reporting hook may be missing, and the use still counts.
 */
export function settleTriggers(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `WITH told AS (
       SELECT hook_name, tool_use_id, created_at_ms, metadata
         FROM hook_executions
        WHERE session_id = ?1
          AND tool_use_id IS NOT NULL
          AND created_at_ms >= (
                SELECT min(triggered_at_ms)
                  FROM requirements
                 WHERE session_id = ?1
                   AND trigger_state IN ('allowed', 'asked'))
     ),
     uses AS (
       SELECT repository, branch, requirement, triggered_by AS tool_use_id
         FROM requirements
        WHERE session_id = ?1
        UNION
       SELECT waiting.repository, waiting.branch, waiting.requirement, told.tool_use_id
         FROM told, json_each(told.metadata, '$.triggered') AS triggered
         JOIN requirements AS waiting ON waiting.requirement = triggered.value
        WHERE waiting.session_id = ?1
          AND told.created_at_ms >= waiting.triggered_at_ms
     ),
     ends AS (
       SELECT repository, branch, requirement,
              max(hook_name GLOB 'PostToolUse*') AS ran,
              count(DISTINCT uses.tool_use_id) AS used,
              count(DISTINCT told.tool_use_id) FILTER (WHERE hook_name = 'PermissionDenied') AS refused
         FROM uses
         LEFT JOIN told USING (tool_use_id)
        GROUP BY repository, branch, requirement
     )
     UPDATE requirements AS waiting
        SET trigger_state = CASE
              WHEN ends.ran THEN 'ran'
              WHEN trigger_state = 'asked' OR triggered_by IS NULL THEN trigger_state
              WHEN ends.refused = ends.used
                OR EXISTS (
                     SELECT 1
                       FROM told
                      WHERE hook_name GLOB 'PostToolUse*'
                        AND created_at_ms >= waiting.triggered_at_ms) THEN 'asked'
              ELSE 'allowed'
            END
       FROM ends
      WHERE session_id = ?1
        AND trigger_state IN ('allowed', 'asked')
        AND triggered_at_ms IS NOT NULL
        AND ends.repository = waiting.repository
        AND ends.branch = waiting.branch
        AND ends.requirement = waiting.requirement`,
  ).run(sessionId);
}

export type TriggeredOn = Pick<Standing, "branch" | "requirement">;

/** What a session has triggered in a repository on any branch, also by uses that may not have run. */
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

/** What was denied to a session in a repository on any branch. */
export function deniedBranches(
  db: DatabaseSync,
  { repository, sessionId }: { readonly repository: string; readonly sessionId: string },
): TriggeredOn[] {
  return db.prepare(
    `SELECT DISTINCT value ->> '$.branch' AS branch, value ->> '$.requirement' AS requirement
       FROM hook_executions, json_each(metadata, '$.denied')
      WHERE session_id = ?
        AND status = 'blocked'
        AND value ->> '$.repository' = ?`,
  ).all(sessionId, repository) as unknown as TriggeredOn[];
}

/** Whether a tool of the session was denied by exactly these rules, in this order, since a moment. */
export function wasDeniedSince(
  db: DatabaseSync,
  { sessionId, rules, sinceMs }: {
    readonly sessionId: string;
    readonly rules: readonly string[];
    readonly sinceMs: number;
  },
): boolean {
  return db.prepare(
    `SELECT 1
       FROM hook_executions
      WHERE session_id = ?
        AND created_at_ms > ?
        AND status = 'blocked'
        AND metadata ->> '$.rules' = ?
      LIMIT 1`,
  ).get(sessionId, sinceMs, JSON.stringify(rules)) !== undefined;
}

/** A use that a satisfaction for a single use has allowed. */
export interface AllowedUse extends BranchKey {
  readonly requirement: string;
  /** A satisfaction that is younger has not allowed it; epoch milliseconds. */
  readonly untilMs: number;
}

/** The single uses that were noted when a tool use was allowed. */
export function readAllowedUses(
  db: DatabaseSync,
  { sessionId, toolUseId }: { readonly sessionId: string; readonly toolUseId: string },
): AllowedUse[] {
  const row = db.prepare(
    `SELECT metadata ->> '$.uses' AS uses
       FROM hook_executions
      WHERE session_id = ?
        AND tool_use_id = ?
        AND hook_name = 'PreToolUse'
        AND metadata ->> '$.uses' IS NOT NULL
      ORDER BY created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, toolUseId);
  return row === undefined ? [] : JSON.parse(String(row["uses"]));
}

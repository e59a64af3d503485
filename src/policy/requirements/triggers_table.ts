/**
 * Stores which requirements a session has triggered (the tool use was allowed, and probably ran), and reads from the
 * audit trail which uses were denied or allowed.
 */
import type { DatabaseSync } from "node:sqlite";
import type { BranchKey, Standing } from "./standing.ts";

export interface Trigger extends Pick<Standing, "requirement" | "scope" | "sessionId"> {
  readonly toolUseId: string | null;
}

/** Marks a requirement as triggered. The first trigger stays, unless its tool use may not have run. */
export function trigger(db: DatabaseSync, at: Trigger & BranchKey, atMs: number): void {
  db.prepare(
    `INSERT INTO requirements
       (repository, branch, requirement, session_id, scope, triggered_at_ms, triggered_by, trigger_state, updated_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'allowed', ?6)
     ON CONFLICT (repository, branch, requirement, session_id) DO UPDATE SET
       triggered_at_ms = ?6,
       triggered_by = ?7,
       trigger_state = 'allowed'
      WHERE triggered_at_ms IS NULL OR trigger_state = 'asked'`,
  ).run(at.repository, at.branch, at.requirement, at.sessionId, at.scope, atMs, at.toolUseId);
}

/**
 * Finds out from the audit trail which triggering tool uses have run; called before a stop is judged. Another hook,
 * Claude Code or the person may refuse a use that was allowed here. If no hook reports a later use or question to the
 * person, the reporting hook may be missing, so the use still counts.
 */
export function settleTriggers(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `WITH told AS (
       SELECT hook_name, tool_use_id, created_at_ms, metadata
         FROM hook_executions
        WHERE session_id = ?1
          AND created_at_ms >= (
                SELECT min(triggered_at_ms)
                  FROM requirements
                 WHERE session_id = ?1
                   AND trigger_state IN ('allowed', 'asked'))
     )
     UPDATE requirements AS waiting
        SET trigger_state = CASE
              WHEN EXISTS (
                     SELECT 1
                       FROM told AS used
                       JOIN told AS ended USING (tool_use_id)
                      WHERE ended.hook_name GLOB 'PostToolUse*'
                        AND used.created_at_ms >= waiting.triggered_at_ms
                        AND (   tool_use_id = waiting.triggered_by
                             OR waiting.requirement IN (
                                  SELECT value
                                    FROM json_each(used.metadata, '$.triggered')))) THEN 'ran'
              WHEN triggered_by IS NOT NULL
               AND EXISTS (
                     SELECT 1
                       FROM told
                      WHERE (hook_name GLOB 'PostToolUse*' OR hook_name GLOB 'Permission*')
                        AND created_at_ms >= waiting.triggered_at_ms) THEN 'asked'
              ELSE 'allowed'
            END
      WHERE session_id = ?1
        AND trigger_state IN ('allowed', 'asked')
        AND triggered_at_ms IS NOT NULL`,
  ).run(sessionId);
}

export type TriggeredOn = Pick<Standing, "branch" | "requirement">;

/** Lists what a session has triggered in a repository on any branch, also by uses that may not have run. */
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

/** Lists the requirements that denied a use to a session in a repository, on any branch. */
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

/** Tells whether exactly these rules, in this order, denied a tool to the session since a moment. */
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

/** A tool use that a satisfaction for a single use has allowed. */
export interface AllowedUse extends BranchKey {
  readonly requirement: string;
  /** Satisfactions younger than this time did not allow the use; epoch milliseconds. */
  readonly untilMs: number;
}

/** Reads the single uses that were noted when a tool use was allowed. */
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

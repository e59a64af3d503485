/** Which requirements a session has triggered: its tool uses fell under them, were allowed, and ran, as far as is known. */
import type { DatabaseSync } from "node:sqlite";
import type { Scope } from "../requirement/policy.ts";

/** A tool use that falls under a requirement. */
export interface Trigger {
  readonly requirement: string;
  readonly scope: Scope;
  readonly sessionId: string;
  readonly toolUseId: string | null;
}

/** Marks a requirement as triggered: the first time stays. What may not have run is triggered anew. */
export function trigger(
  db: DatabaseSync,
  at: Trigger & { readonly repository: string; readonly branch: string },
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

/** A person is asked for a tool: what was triggered may not run. */
export function markAsked(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `UPDATE requirements
        SET trigger_state = 'asked'
      WHERE session_id = ?
        AND trigger_state = 'allowed'`,
  ).run(sessionId);
}

/** Rows of the audit trail of the same session, from the first trigger on. */
const SINCE = `FROM hook_executions AS execution
          WHERE execution.session_id = requirements.session_id
            AND execution.created_at_ms >= requirements.triggered_at_ms`;

const HAS_RUN = "execution.hook_name IN ('PostToolUse', 'PostToolUseFailure')";

/** The tool uses that triggered it: each is noted with what it triggered. */
const USES = `SELECT execution.tool_use_id
           ${SINCE}
            AND execution.hook_name = 'PreToolUse'
            AND EXISTS (SELECT 1
                          FROM json_each(execution.metadata, '$.triggered')
                         WHERE value = requirements.requirement)`;

/** Those that Claude Code refused by itself. */
const REFUSED = `SELECT execution.tool_use_id
           ${SINCE}
            AND execution.hook_name = 'PermissionDenied'
            AND execution.tool_use_id IS NOT NULL`;

/**
 * Finds out from the audit trail which of the tool uses that triggered something have run; to be called before a stop is
 * judged. Another hook, Claude Code or the person may have refused one after it was allowed here. None counts as refused
 * while nothing tells: where no tool use is reported afterwards, that hook may be missing.
 */
export function settleTriggers(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `UPDATE requirements
        SET trigger_state = 'ran'
      WHERE session_id = ?
        AND trigger_state IN ('allowed', 'asked')
        AND EXISTS (
         SELECT 1
           ${SINCE}
            AND ${HAS_RUN}
            AND (execution.tool_use_id = requirements.triggered_by OR execution.tool_use_id IN (${USES})))`,
  ).run(sessionId);
  db.prepare(
    `UPDATE requirements
        SET trigger_state = 'asked'
      WHERE session_id = ?
        AND trigger_state = 'allowed'
        AND triggered_by IS NOT NULL
        AND (EXISTS (SELECT 1 ${SINCE} AND ${HAS_RUN})
             OR (triggered_by IN (${REFUSED})
                 AND NOT EXISTS (${USES} AND execution.tool_use_id NOT IN (${REFUSED}))))`,
  ).run(sessionId);
}

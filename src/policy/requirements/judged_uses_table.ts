/** What the audit trail says of tool uses that were denied or allowed. */
import type { DatabaseSync } from "node:sqlite";
import type { BranchKey } from "./requirements_table.ts";

/** A use that a satisfaction for a single use has allowed. */
export interface AllowedUse extends Moves, BranchKey {
  readonly requirement: string;
  readonly worktree: string;
  /** The commit that the branch pointed to before a command that moves it; null when unknown or not needed. */
  readonly stoodAt: string | null;
  /** The length of the working tree's reflog before; null as for `stoodAt`. */
  readonly loggedBytes: number | null;
  /** A satisfaction that is younger has not allowed it; epoch milliseconds. */
  readonly untilMs: number;
}

export interface Moves {
  /** The git commands in it that move the branch, each once: `commit`. */
  readonly moves: readonly string[];
  /** Whether the requirement means nothing else in the command, and the reflog shows all of it. */
  readonly onlyMoves: boolean;
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

/** The working trees in which something of the session was denied, of repositories that have several. */
export function worktreesOfDenials(db: DatabaseSync, sessionId: string): string[] {
  const rows = db.prepare(
    `SELECT DISTINCT metadata ->> '$.worktree' AS worktree
       FROM hook_executions
      WHERE session_id = ?
        AND status = 'blocked'
        AND metadata ->> '$.worktree' IS NOT NULL`,
  ).all(sessionId);
  return rows.map(({ worktree }) => String(worktree));
}

/** A requirement that was open on a branch which the denied command would have checked out. */
export interface DeniedOnto extends BranchKey {
  readonly requirement: string;
}

export function deniedOnto(db: DatabaseSync, sessionId: string): DeniedOnto[] {
  const rows = db.prepare(
    `SELECT DISTINCT onto.value AS denied
       FROM hook_executions, json_each(metadata, '$.onto') AS onto
      WHERE session_id = ?
        AND status = 'blocked'`,
  ).all(sessionId);
  return rows.map(({ denied }) => JSON.parse(String(denied)));
}

/** Notes of older versions lack this field, and are passed over. */
const IS_NOTED = "metadata ->> '$.uses[0].moves' IS NOT NULL";

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
        AND ${IS_NOTED}
      ORDER BY created_at_ms DESC
      LIMIT 1`,
  ).get(sessionId, toolUseId);
  return row === undefined ? [] : JSON.parse(String(row["uses"]));
}

/** The single uses that were allowed since the branch's satisfactions for one use, and whose end nobody reported. */
export function readUnendedUses(
  db: DatabaseSync,
  { repository, branch, sessionId }: BranchKey & { readonly sessionId: string },
): AllowedUse[] {
  const rows = db.prepare(
    `SELECT metadata ->> '$.uses' AS uses
       FROM hook_executions AS allowed
      WHERE session_id = ?1
        AND created_at_ms >= (
              SELECT min(satisfied_at_ms)
                FROM requirements
               WHERE repository = ?2
                 AND branch = ?3
                 AND session_id = ?1
                 AND scope = 'single_use')
        AND hook_name = 'PreToolUse'
        AND ${IS_NOTED}
        AND NOT EXISTS (
              SELECT 1
                FROM hook_executions AS ended
               WHERE ended.session_id = ?1
                 AND ended.created_at_ms >= allowed.created_at_ms
                 AND ended.tool_use_id = allowed.tool_use_id
                 AND ended.hook_name IN ('PostToolUse', 'PostToolUseFailure')
                 AND ended.metadata ->> '$.goesOn' IS NULL)`,
  ).all(sessionId, repository, branch);
  return rows.flatMap(({ uses }) => JSON.parse(String(uses)));
}

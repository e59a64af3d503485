/**
 * What is kept of tool uses that fell under requirements: those that a session has triggered (the use was allowed, and
 * probably ran), and what the audit trail says of uses that were denied or allowed.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Scope } from "./requirement_policy.ts";
import type { BranchKey } from "./standing.ts";

export interface Trigger {
  readonly requirement: string;
  readonly scope: Scope;
  readonly sessionId: string;
  readonly toolUseId: string | null;
}

/** Marks a requirement as triggered. The first time stays, unless that tool use may not have run. */
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

/** A person is asked about a tool, so the tool uses that triggered something may not run. */
export function markAsked(db: DatabaseSync, sessionId: string): void {
  db.prepare(
    `UPDATE requirements
        SET trigger_state = 'asked'
      WHERE session_id = ?
        AND trigger_state = 'allowed'`,
  ).run(sessionId);
}

/** A requirement that waits to know whether a tool use that triggered it has run. */
interface Waiting {
  readonly repository: string;
  readonly branch: string;
  readonly requirement: string;
  readonly since: number;
  readonly triggeredBy: string | null;
  readonly state: "allowed" | "asked";
}

/** What the audit trail tells of the session's tool uses; times in epoch milliseconds. */
interface Told {
  /** The tool uses that ran, and when the last of them was reported. */
  readonly ran: ReadonlySet<string>;
  readonly lastRanAtMs: number;
  /** The tool uses that Claude Code refused by itself. */
  readonly refused: ReadonlySet<string>;
  /** The tool uses that triggered something, by requirement. */
  readonly uses: ReadonlyMap<string, readonly { readonly id: string; readonly atMs: number }[]>;
}

/**
 * Finds out from the audit trail which of the tool uses that triggered something have run; called before a stop is
 * judged. Another hook, Claude Code or the person may refuse a use that was allowed here. If no use at all is reported
 * after it, the reporting hook may be missing, and the use still counts.
 */
export function settleTriggers(db: DatabaseSync, sessionId: string): void {
  const waiting = db.prepare(
    `SELECT repository, branch, requirement, triggered_at_ms AS since, triggered_by AS triggeredBy,
            trigger_state AS state
       FROM requirements
      WHERE session_id = ?
        AND trigger_state IN ('allowed', 'asked')
        AND triggered_at_ms IS NOT NULL`,
  ).all(sessionId) as unknown as readonly Waiting[];
  if (waiting.length === 0) return;
  const told = readTold(db, sessionId, Math.min(...waiting.map(({ since }) => since)));
  const settle = db.prepare(
    `UPDATE requirements
        SET trigger_state = ?
      WHERE session_id = ?
        AND repository = ?
        AND branch = ?
        AND requirement = ?`,
  );
  for (const one of waiting) {
    const state = stateOf(one, told);
    if (state === one.state) continue;
    settle.run(state, sessionId, one.repository, one.branch, one.requirement);
  }
}

function readTold(db: DatabaseSync, sessionId: string, sinceMs: number): Told {
  const rows = db.prepare(
    `SELECT hook_name AS event, tool_use_id AS id, created_at_ms AS atMs,
            metadata ->> '$.triggered' AS triggered
       FROM hook_executions
      WHERE session_id = ?
        AND created_at_ms >= ?
        AND hook_name IN ('PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionDenied')
        AND tool_use_id IS NOT NULL
      ORDER BY created_at_ms`,
  ).all(sessionId, sinceMs) as unknown as readonly {
    readonly event: string;
    readonly id: string;
    readonly atMs: number;
    /** Names of requirements, as JSON. */
    readonly triggered: string | null;
  }[];
  const reported = rows.filter(({ event }) => event.startsWith("PostToolUse"));
  const uses = new Map<string, { readonly id: string; readonly atMs: number }[]>();
  for (const { id, atMs, triggered } of rows) {
    for (const name of triggered === null ? [] : JSON.parse(triggered) as readonly string[]) {
      const before = uses.get(name);
      if (before === undefined) uses.set(name, [{ id, atMs }]);
      else before.push({ id, atMs });
    }
  }
  return {
    ran: new Set(reported.map(({ id }) => id)),
    lastRanAtMs: reported.at(-1)?.atMs ?? 0,
    refused: new Set(rows.filter(({ event }) => event === "PermissionDenied").map(({ id }) => id)),
    uses,
  };
}

function stateOf(
  { requirement, since, triggeredBy, state }: Waiting,
  { ran, lastRanAtMs, refused, uses }: Told,
): "allowed" | "asked" | "ran" {
  const own = (uses.get(requirement) ?? []).filter(({ atMs }) => atMs >= since).map(({ id }) => id);
  const ids = triggeredBy === null ? own : [triggeredBy, ...own];
  if (ids.some((id) => ran.has(id))) return "ran";
  if (state === "asked" || triggeredBy === null) return state;
  return lastRanAtMs >= since || ids.every((id) => refused.has(id)) ? "asked" : "allowed";
}

export interface TriggeredOn {
  readonly branch: string;
  readonly requirement: string;
}

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

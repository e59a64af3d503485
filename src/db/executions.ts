/** Reads the audit trail: every handled hook event, and how long hooks took. */
import { quietly } from "../base/errors.ts";
import { isMapping } from "../base/mapping.ts";
import type { DatabaseSync } from "node:sqlite";
import { firstIdAt } from "../base/ids.ts";
import type { Execution, ExecutionStatus } from "./captures.ts";
import { ofSession, type Span, type Written } from "./queue.ts";
import { filterOf, statement } from "./statement.ts";

/** A stored execution; its metadata are `{ unreadable: text }` when the stored text is not a JSON object. */
export interface ExecutionRow extends Execution {
  readonly id: string;
  readonly sessionId: string;
  readonly createdAtMs: number;
}

/** Which rows of the audit trail are wanted; a null lets all rows through. */
export interface ExecutionFilter {
  readonly sessionId: string | null;
  readonly hookName: string | null;
  readonly toolName: string | null;
  readonly status: ExecutionStatus | null;
  readonly sinceMs: number | null;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
  readonly limit: number;
}

/** Returns the audit trail, newest first. */
export function listExecutions(db: DatabaseSync, filter: ExecutionFilter): ExecutionRow[] {
  const { sql, values } = filterOf([
    ["session_id = ?", filter.sessionId],
    ["hook_name = ?", filter.hookName],
    ["tool_name = ?", filter.toolName],
    ["status = ?", filter.status],
    // Ids sort by time, so the primary key finds the rows since a time.
    ["id >= ?", filter.sinceMs === null ? null : firstIdAt(filter.sinceMs)],
    ["id < ?", filter.untilMs === undefined ? null : firstIdAt(filter.untilMs)],
  ]);
  return statement(db)`
    SELECT ${COLUMNS}
      FROM hook_executions
      ${sql}
     ORDER BY id DESC
     LIMIT ?`.all(...values, filter.limit).map(executionOf);
}

export function readExecution(db: DatabaseSync, id: string): ExecutionRow | undefined {
  const row = statement(db, `SELECT ${COLUMNS} FROM hook_executions WHERE id = ?`).get(id);
  return row && executionOf(row);
}

const COLUMNS = `id, session_id AS sessionId, hook_name AS hookName, tool_name AS toolName,
            tool_use_id AS toolUseId, status, duration_ms AS durationMs, error_message AS errorMessage,
            error_stack AS errorStack, metadata, created_at_ms AS createdAtMs`;

function executionOf(row: Readonly<Record<string, unknown>>): ExecutionRow {
  return { ...row, metadata: metadataOf(String(row["metadata"])) } as unknown as ExecutionRow;
}

/** Returns the executions of a session that are no routine: decisions, faults, its beginning and its end. */
export function tellingExecutions(
  db: DatabaseSync,
  sessionId: string,
  { part, fields }: {
    readonly part: Span | Written;
    /** An execution that has one of these fields in its metadata counts, too. */
    readonly fields: readonly string[];
  },
): ExecutionRow[] {
  const { sql, values } = filterOf(ofSession(sessionId, part));
  const named = fields.map((field) => `"${field}":`);
  return statement(db)`
    SELECT ${COLUMNS}
      FROM hook_executions
     ${sql}
       AND (status IN ('blocked', 'failure', 'timeout')
            OR hook_name IN ('SessionStart', 'SessionEnd')
            ${named.map(() => "OR instr(metadata, ?) > 0").join(" ")})
     ORDER BY id`.all(...values, ...named).map(executionOf);
}

/** A tool use as the audit rows of its hooks describe it. */
export interface HookedUse {
  /** When its gate was asked, in epoch milliseconds; null when no gate was asked. */
  readonly gateAtMs: number | null;
  /** The sub-agent that used the tool; null for the session's own agent. */
  readonly agent: string | null;
  readonly agentType: string | null;
}

/** Returns the {@linkcode HookedUse} of tool uses by id. @param limit How many hooks are read, the newest first. */
export function hookedUses(
  db: DatabaseSync,
  sessionId: string,
  { toolUseIds, span, limit }: {
    readonly toolUseIds: readonly string[];
    readonly span: Span;
    readonly limit: number;
  },
): ReadonlyMap<string, HookedUse> {
  const rows = statement(db)`
    SELECT tool_use_id AS id,
           max(created_at_ms) FILTER (WHERE hook_name = 'PreToolUse') AS gateAtMs,
           max(iif(json_valid(metadata), metadata ->> '$.agentId', NULL)) AS agent,
           max(iif(json_valid(metadata), metadata ->> '$.agentType', NULL)) AS agentType
      FROM (SELECT tool_use_id, hook_name, created_at_ms, metadata
              FROM hook_executions
             WHERE session_id = ?
               AND created_at_ms >= ?
               AND created_at_ms < ?
             ORDER BY created_at_ms DESC
             LIMIT ?)
     WHERE tool_use_id IN (SELECT value FROM json_each(?))
     GROUP BY tool_use_id
  `.all(sessionId, span.sinceMs, span.untilMs, limit, JSON.stringify(toolUseIds));
  return new Map(rows.map(({ id, ...use }) => [String(id), use as unknown as HookedUse]));
}

/** Returns the numbers of the oldest and newest audit row, in the order of writing; 0 where the trail is empty. */
export function auditMark(db: DatabaseSync): { readonly oldest: number; readonly newest: number } {
  const row = statement(db)`
    SELECT (SELECT min(rowid) FROM hook_executions) AS oldest,
           (SELECT max(rowid) FROM hook_executions) AS newest`.get();
  return { oldest: Number(row!["oldest"] ?? 0), newest: Number(row!["newest"] ?? 0) };
}

/** Returns how many hooks of each session ran between two numbers of {@linkcode auditMark}. */
export function sessionsSince(
  db: DatabaseSync,
  after: number,
  upTo: number,
): Readonly<Record<string, number>> {
  const rows = statement(db)`
    SELECT session_id AS id, count(*) AS n
      FROM hook_executions
     WHERE rowid > ?
       AND rowid <= ?
     GROUP BY session_id`.all(after, upTo);
  return Object.fromEntries(rows.map(({ id, n }) => [String(id), Number(n)]));
}

/** The newest hook of a session: what the session does now, and whether it waits for its person. */
export interface LastHook {
  readonly hook: string;
  readonly tool: string | null;
  readonly atMs: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function lastHookOf(db: DatabaseSync, sessionId: string): LastHook | null {
  const row = statement(db)`
    SELECT hook_name AS hook, tool_name AS tool, metadata, created_at_ms AS atMs
      FROM hook_executions
     WHERE session_id = ?
     ORDER BY created_at_ms DESC, id DESC
     LIMIT 1`.get(sessionId);
  return row === undefined
    ? null
    : { ...row, metadata: metadataOf(String(row["metadata"])) } as unknown as LastHook;
}

/** An execution that took long, with the title of its session. */
export type SlowExecution =
  & Omit<ExecutionRow, "toolUseId" | "errorMessage" | "errorStack" | "metadata">
  & { readonly title: string | null };

export function slowestExecutions(
  db: DatabaseSync,
  sinceMs: number,
  limit: number,
): SlowExecution[] {
  return statement(db)`
    SELECT e.id, e.session_id AS sessionId, e.hook_name AS hookName, e.tool_name AS toolName, e.status,
           e.duration_ms AS durationMs, e.created_at_ms AS createdAtMs, s.title
      FROM hook_executions AS e
      LEFT JOIN sessions AS s ON s.session_id = e.session_id
     WHERE e.id >= ?
     ORDER BY e.duration_ms DESC
     LIMIT ?`.all(firstIdAt(sinceMs), limit) as unknown as SlowExecution[];
}

/** Reads from the audit trail whether the gate denied a tool use, let it pass, or was not asked. */
export function gateOf(
  db: DatabaseSync,
  { sessionId, toolUseId, sinceMs }: {
    readonly sessionId: string;
    readonly toolUseId: string;
    readonly sinceMs: number;
  },
): "denied" | "passed" | "none" {
  const row = statement(db)`
    SELECT status
      FROM hook_executions
     WHERE session_id = ?
       AND created_at_ms >= ?
       AND tool_use_id = ?
       AND hook_name = 'PreToolUse'
     ORDER BY created_at_ms DESC
     LIMIT 1`.get(sessionId, sinceMs, toolUseId);
  return row === undefined ? "none" : row["status"] === "blocked" ? "denied" : "passed";
}

export function countPastGates(db: DatabaseSync, sinceMs: number): number {
  const row = statement(db)`
    SELECT count(*) AS n
      FROM hook_executions
     WHERE created_at_ms >= ?
       AND metadata ->> '$.gate' IN ('not asked', 'denied but ran')`.get(sinceMs);
  return Number(row!["n"]);
}

/** How often hooks ran and how long they took, in milliseconds; times are null when none ran. */
export interface ExecutionSummary {
  readonly count: number;
  /** Failures and timeouts. */
  readonly failures: number;
  readonly blocked: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** {@linkcode ExecutionSummary} of one kind of hook. */
export type HookSummary = ExecutionSummary & { readonly hookName: string };

/** A percentile is the nearest rank: the smallest measured duration that this share of runs does not exceed. */
const SUMMARY_COLUMNS = `count(*) AS count,
            count(*) FILTER (WHERE status IN ('failure', 'timeout')) AS failures,
            count(*) FILTER (WHERE status = 'blocked') AS blocked,
            ${percentile(50)} AS p50Ms,
            ${percentile(95)} AS p95Ms,
            ${percentile(99)} AS p99Ms,
            max(duration_ms) AS maxMs`;

export function summarizeHooks(db: DatabaseSync, sinceMs: number | null): HookSummary[] {
  return statement(db)`
    SELECT hook_name AS hookName, ${SUMMARY_COLUMNS}
      FROM (${ranked("PARTITION BY hook_name")})
     GROUP BY hook_name
     ORDER BY count DESC, hook_name`.all(firstIdAt(sinceMs ?? 0)) as unknown as HookSummary[];
}

/** How often hooks of one kind ran about one tool, and how long in all, in milliseconds. */
export interface HookTime extends Pick<Execution, "hookName" | "toolName"> {
  readonly runs: number;
  readonly ms: number;
}

export function hookTimes(db: DatabaseSync, sinceMs: number | null): HookTime[] {
  return statement(db)`
    SELECT hook_name AS hookName, tool_name AS toolName, count(*) AS runs, sum(duration_ms) AS ms
      FROM hook_executions
     WHERE id >= ?
     GROUP BY hook_name, tool_name`.all(firstIdAt(sinceMs ?? 0)) as unknown as HookTime[];
}

export function summarizeExecutions(db: DatabaseSync, sinceMs: number): ExecutionSummary {
  return db.prepare(`SELECT ${SUMMARY_COLUMNS} FROM (${ranked("")})`)
    .get(firstIdAt(sinceMs)) as unknown as ExecutionSummary;
}

/** Returns SQL for the executions, each with its rank by duration. */
function ranked(partition: string): string {
  return `SELECT hook_name, status, duration_ms,
                 row_number() OVER (${partition} ORDER BY duration_ms) AS place,
                 count(*) OVER (${partition}) AS total
            FROM hook_executions
           WHERE id >= ?`;
}

/** Returns SQL for the duration at rank ⌈percent · total / 100⌉, in whole numbers. */
function percentile(percent: 50 | 95 | 99): string {
  return `max(duration_ms) FILTER (WHERE place = (total * ${percent} + 99) / 100)`;
}

function metadataOf(text: string): Readonly<Record<string, unknown>> {
  // A damaged row is shown nevertheless.
  const value: unknown = quietly(() => JSON.parse(text));
  return isMapping(value) ? value : { unreadable: text };
}

/** Stores the tokens of each message of Claude, and how far their transcripts are read. */
import type { DatabaseSync } from "node:sqlite";
import type { MessageUsage, Tokens } from "../../claude/transcript/token_usage.ts";
import { statement } from "../../db/statement.ts";

export interface TokenOwner {
  readonly sessionId: string;
  /** The common git directory; the folder of a project without git. */
  readonly project: string | null;
}

export interface CountedSession extends TokenOwner {
  readonly path: string;
}

/** The time after a session's last event in which its transcript may still grow, in milliseconds. */
const GROWS_MS = 3_600_000;

/** Returns sessions whose transcript may have grown since it was read, oldest first: a fork comes after its origin. */
export function sessionsToCount(db: DatabaseSync): CountedSession[] {
  return statement(db)`
    SELECT s.session_id AS sessionId, s.transcript_path AS path, coalesce(s.repository, s.project_dir) AS project
      FROM sessions AS s
      LEFT JOIN read_transcripts AS t ON t.path = s.transcript_path
     WHERE s.transcript_path IS NOT NULL
       AND (t.path IS NULL OR t.read_at_ms <= s.updated_at_ms + ?)
     ORDER BY s.started_at_ms, s.session_id`.all(GROWS_MS) as unknown as CountedSession[];
}

export interface ReadPlace {
  readonly bytes: number;
  /** The digest of the bytes right before the place. */
  readonly before: string;
}

export function readPlace(db: DatabaseSync, path: string): ReadPlace | undefined {
  return statement(db)`
    SELECT bytes, before_digest AS before
      FROM read_transcripts
     WHERE path = ?`.get(path) as ReadPlace | undefined;
}

export function keepReadPlace(
  db: DatabaseSync,
  path: string,
  { bytes, before, atMs }: ReadPlace & { readonly atMs: number },
): void {
  statement(db)`
    INSERT OR REPLACE INTO read_transcripts (path, bytes, before_digest, read_at_ms)
    VALUES (?, ?, ?, ?)`.run(path, bytes, before, atMs);
}

/**
 * Stores the tokens of a message for the session that had it first. When a message has several records, the last one
 * counts.
 */
export function keepTokens(db: DatabaseSync, owner: TokenOwner, usage: MessageUsage): void {
  const { id, agent, model, input, output, cacheRead, cacheWrite, atMs } = usage;
  statement(db)`
    INSERT INTO token_use (id, session_id, project, agent, model, input_tokens, output_tokens, cache_read_tokens,
                           cache_write_tokens, created_at_ms)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE
       SET input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
           cache_read_tokens = excluded.cache_read_tokens, cache_write_tokens = excluded.cache_write_tokens,
           created_at_ms = excluded.created_at_ms
     WHERE excluded.created_at_ms >= created_at_ms`.run(
    ...[id, owner.sessionId, owner.project, agent, model],
    ...[input, output, cacheRead, cacheWrite, atMs],
  );
}

/** The SQL expressions by which tokens are summed. A day is a day of local time. */
const GROUPS = {
  day: "strftime('%Y-%m-%d', created_at_ms / 1000, 'unixepoch', 'localtime')",
  session: "session_id",
  project: "project",
  model: "model",
  agent: "agent",
} as const;

export type UsageGroup = keyof typeof GROUPS;

export const USAGE_GROUPS = Object.keys(GROUPS) as readonly UsageGroup[];

/** The tokens of one model within a group. */
export interface ModelTokens extends Tokens {
  readonly name: string | null;
  readonly model: string;
  readonly messages: number;
}

/** Sums the tokens of each group and model between two moments, both included, in epoch milliseconds. */
export function sumTokens(
  db: DatabaseSync,
  by: UsageGroup,
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
): ModelTokens[] {
  return statement(db)`
    SELECT ${GROUPS[by]} AS name, model, count(*) AS messages, sum(input_tokens) AS input,
           sum(output_tokens) AS output, sum(cache_read_tokens) AS cacheRead, sum(cache_write_tokens) AS cacheWrite
      FROM token_use
     WHERE created_at_ms BETWEEN ? AND ?
     GROUP BY 1, 2
     ORDER BY 1, 2`.all(sinceMs, untilMs) as unknown as ModelTokens[];
}

export function countOldTokenUse(db: DatabaseSync, beforeMs: number): number {
  const sql = "SELECT count(*) AS n FROM token_use WHERE created_at_ms < ?";
  return Number(db.prepare(sql).get(beforeMs)!["n"]);
}

/** Removes at most `limit` old counts. @returns How many it removed. */
export function removeOldTokenUse(db: DatabaseSync, beforeMs: number, limit: number): number {
  return Number(
    statement(db)`
      DELETE FROM token_use
       WHERE rowid IN (SELECT rowid FROM token_use WHERE created_at_ms < ? LIMIT ?)
    `.run(beforeMs, limit).changes,
  );
}

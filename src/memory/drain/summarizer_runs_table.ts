/** The ledger of the summarizer's runs, and the summaries that wait for it. */
import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../../db/transaction.ts";
import { type Observation, OBSERVATION_COLUMNS, observationOf } from "./observations_table.ts";
import { statement } from "../../db/statement.ts";
import type { SummarizerSettings } from "./summarizer_settings.ts";

const DAY_MS = 86_400_000;
/** How long the ledger keeps a run, in milliseconds: 90 days. */
const KEPT_MS = 90 * DAY_MS;

/** Returns the moment at which the day of a moment began, in UTC. */
export function dayStartMs(nowMs: number): number {
  return nowMs - nowMs % DAY_MS;
}

/** The reason that is noted for a run whose process has died. */
const DIED = "its process was ended";

/** The runs and tokens since a moment, including failed runs. */
export interface SummarizerUse {
  readonly runs: number;
  /** Tokens of inputs and answers, estimated. */
  readonly tokens: number;
  readonly failed: number;
}

type Budget = Pick<SummarizerSettings, "maxRunsPerDay" | "maxTokensPerDay">;

export interface SummarizerRun {
  readonly id: number;
  readonly sessionId: string;
  readonly status: "running" | "written" | "failed";
  readonly reason: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

export interface NewRun {
  readonly sessionId: string;
  /** Digest of the summary to rewrite, and of the command that rewrites it. */
  readonly summary: string;
  readonly inputTokens: number;
  readonly nowMs: number;
  /** The time, in epoch milliseconds, at which an open run counts as failed. */
  readonly expiresAtMs: number;
}

export function summarizerUse(db: DatabaseSync, sinceMs: number): SummarizerUse {
  return statement(db)`
    SELECT count(*) AS runs, coalesce(sum(input_tokens + output_tokens), 0) AS tokens,
           count(*) FILTER (WHERE status = 'failed') AS failed
      FROM summarizer_runs
     WHERE started_at_ms >= ?`.get(sinceMs) as unknown as SummarizerUse;
}

/** Returns the part of the day's budget that forbids a run with this many tokens; null when the run is allowed. */
export function usedUp(
  { runs, tokens }: SummarizerUse,
  { maxRunsPerDay, maxTokensPerDay }: Budget,
  inputTokens: number,
): "runs" | "tokens" | null {
  if (runs >= maxRunsPerDay) return "runs";
  return tokens + inputTokens > maxTokensPerDay ? "tokens" : null;
}

/** Begins a run, if the budget allows it. @returns Its number, or the exhausted part of the budget. */
export function beginRun(
  db: DatabaseSync,
  { sessionId, summary, inputTokens, nowMs, expiresAtMs }: NewRun,
  budget: Budget,
): number | "runs" | "tokens" {
  return transaction(db, () => {
    // At least one token must be left for the answer.
    const why = usedUp(summarizerUse(db, dayStartMs(nowMs)), budget, inputTokens + 1);
    if (why !== null) return why;
    db.prepare("DELETE FROM summarizer_runs WHERE started_at_ms < ?").run(nowMs - KEPT_MS);
    const { lastInsertRowid } = statement(db)`
      INSERT INTO summarizer_runs (session_id, summary, status, input_tokens, started_at_ms, expires_at_ms)
      VALUES (?, ?, 'running', ?, ?, ?)`.run(sessionId, summary, inputTokens, nowMs, expiresAtMs);
    return Number(lastInsertRowid);
  });
}

/** Ends a run, in the transaction that writes its result. @param end `reason` is null when the summary is written. */
export function endRun(
  db: DatabaseSync,
  id: number,
  end: Pick<SummarizerRun, "reason" | "outputTokens"> & { readonly atMs: number },
): void {
  statement(db)`
    UPDATE summarizer_runs
       SET status = iif(?2 IS NULL, 'written', 'failed'), reason = ?2, output_tokens = ?3, ended_at_ms = ?4
     WHERE id = ?1`.run(id, end.reason, end.outputTokens, end.atMs);
}

/** Marks all open runs as failed. Only the holder of the lock may call it. */
export function endLostRuns(db: DatabaseSync, nowMs: number): void {
  statement(db)`
    UPDATE summarizer_runs SET status = 'failed', reason = ?, ended_at_ms = ? WHERE status = 'running'`
    .run(DIED, nowMs);
}

/** Counts the failures of a command with a summary, and returns the time of the last; 0 for never. */
export function failuresOf(
  db: DatabaseSync,
  { sessionId, summary }: Pick<NewRun, "sessionId" | "summary">,
): { readonly count: number; readonly lastAtMs: number } {
  return statement(db)`
    SELECT count(*) AS count, coalesce(max(started_at_ms), 0) AS lastAtMs
      FROM summarizer_runs
     WHERE session_id = ?
       AND summary = ?
       AND status <> 'written'`.get(sessionId, summary) as unknown as {
    count: number;
    lastAtMs: number;
  };
}

/** Returns the last finished runs, newest first. A run that did not end in time counts as failed. */
export function lastRuns(db: DatabaseSync, nowMs: number, limit: number): SummarizerRun[] {
  return statement(db)`
    SELECT id, session_id AS sessionId, iif(status = 'running', 'failed', status) AS status,
           iif(status = 'running', '${DIED}', reason) AS reason, input_tokens AS inputTokens,
           output_tokens AS outputTokens, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs
      FROM summarizer_runs
     WHERE status <> 'running'
        OR expires_at_ms <= ?
     ORDER BY id DESC
     LIMIT ?`.all(nowMs, limit) as unknown as SummarizerRun[];
}

/** Returns summaries that no model has rewritten, of sessions that are over or quiet, newest first. */
export function summariesToRewrite(
  db: DatabaseSync,
  when: { readonly quietBeforeMs: number; readonly limit: number },
): Observation[] {
  return statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM observations AS o
      LEFT JOIN sessions AS s ON s.session_id = o.session_id
     WHERE o.uid >= 'summary/'
       AND o.uid < 'summary0'
       AND o.kind = 'summary'
       AND json_extract(o.facts, '$.rewrittenFrom') IS NULL
       AND (s.status IS NULL OR s.status <> 'active' OR s.updated_at_ms < ?1)
       AND NOT EXISTS (SELECT 1 FROM sessions_to_summarize AS n WHERE n.session_id = o.session_id)
       AND NOT EXISTS (
         SELECT 1
           FROM pending_queue AS q
          WHERE q.session_id = o.session_id
            AND q.status IN ('raw', 'processing'))
     ORDER BY o.updated_at_ms DESC, o.id DESC
     LIMIT ?2`.all(when.quietBeforeMs, when.limit).map(observationOf);
}

export function summaryOf(db: DatabaseSync, sessionId: string): Observation | undefined {
  const row = statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM observations AS o
     WHERE o.uid = 'summary/' || ?`.get(sessionId);
  return row === undefined ? undefined : observationOf(row);
}

/** Replaces the text of a summary; its title stays. @param change `end`: how the session ended, if that is new. */
export function rewriteSummary(
  db: DatabaseSync,
  id: number,
  change: Readonly<Record<"text" | "terms" | "rewrittenFrom", string>> & { readonly end?: string },
): void {
  statement(db)`
    UPDATE observations
       SET text = ?2, terms = ?3,
           facts = json_patch(json_set(facts, '$.rewrittenFrom', ?4), json_object('end', coalesce(?5, facts ->> '$.end')))
     WHERE id = ?1`.run(id, change.text, change.terms, change.rewrittenFrom, change.end ?? null);
}

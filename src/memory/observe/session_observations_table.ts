/** Reads the observations of one session: its changes, its steps, and the parts of its summary. */
import type { DatabaseSync } from "node:sqlite";
import {
  type Observation,
  OBSERVATION_COLUMNS,
  observationOf,
} from "../drain/observations_table.ts";
import { statement } from "../../db/statement.ts";
import type { Span } from "../../db/queue.ts";

/** A change that may have mended a failure. */
export type Change = Pick<Observation, "id" | "kind" | "title" | "text" | "files" | "facts">;

/** The columns of a {@linkcode Change}. {@linkcode observationOf} reads them as well. */
const CHANGE_COLUMNS = "id, kind, title, text, files, facts";

/** SQL condition: an observation is the main one of its capture. Those in `besides` repeat the main one's command. */
const IS_WHOLE = "instr(uid, '/') = 0";

/**
 * Returns the newest edits of a session between two moments, and commands that passed or may have passed (the shell
 * hides their end, or they run in the background), oldest first.
 */
export function changesBetween(
  db: DatabaseSync,
  sessionId: string,
  between: { readonly fromMs: number; readonly untilMs: number; readonly limit: number },
): Change[] {
  const rows = statement(db)`
    SELECT ${CHANGE_COLUMNS}
      FROM observations
     WHERE session_id = ?
       AND created_at_ms <= ?
       AND iif(kind = 'edit', created_at_ms, updated_at_ms) BETWEEN ? AND ?
       AND (kind = 'edit'
            OR kind IN ('command', 'test', 'commit')
               AND (outcome = 'success'
                    OR kind = 'command' AND (facts ->> 'isUntold' OR facts ->> 'isStarted'))
               AND ${IS_WHOLE})
     ORDER BY updated_at_ms DESC, id DESC
     LIMIT ?`.all(sessionId, between.untilMs, between.fromMs, between.untilMs, between.limit);
  return rows.map(observationOf).reverse();
}

/** Tells whether a session ran, searched or fetched anything. Summaries leave such observations out. */
export function usedTools(db: DatabaseSync, sessionId: string): boolean {
  return statement(db)`
    SELECT 1
      FROM observations
     WHERE session_id = ?
       AND kind IN ('command', 'search', 'fetch')
     LIMIT 1`.get(sessionId) !== undefined;
}

/** Returns the steps of a session: observations by their ids, and those of a span, without those made from others. */
export function stepsOfSession(
  db: DatabaseSync,
  sessionId: string,
  { ids, span }: { readonly ids: readonly number[]; readonly span: Span | null },
): Pick<Observation, "id" | "kind" | "outcome" | "title" | "repeats" | "createdAtMs">[] {
  const columns = "id, kind, outcome, title, repeats, created_at_ms AS createdAtMs";
  const isStep = `kind NOT IN ('summary', 'fix') AND ${IS_WHOLE}`;
  return statement(db)`
    SELECT ${columns}
      FROM observations
     WHERE id IN (SELECT value FROM json_each(?1))
       AND ${isStep}
    UNION
    SELECT ${columns}
      FROM observations
     WHERE session_id = ?2
       AND created_at_ms >= ?3
       AND created_at_ms < ?4
       AND ${isStep}`.all(
    JSON.stringify(ids),
    sessionId,
    span?.sinceMs ?? 0,
    span?.untilMs ?? 0,
  ) as unknown as ReturnType<typeof stepsOfSession>;
}

/** Returns the observations of a session whose text holds some words, in upper or lower case. */
export function saidInSession(db: DatabaseSync, sessionId: string, words: string): number[] {
  const wanted = words.toLowerCase();
  return statement(db, "SELECT id, text FROM observations WHERE session_id = ?").all(sessionId)
    .filter(({ text }) => String(text).toLowerCase().includes(wanted))
    .map(({ id }) => Number(id));
}

/**
 * Returns the observations from which a summary is made, oldest first: all but reads, searches and plain commands. For
 * a long session it returns the newest, with the first and the last prompt before them.
 */
export function observationsToSummarize(
  db: DatabaseSync,
  sessionId: string,
  limit: number,
): Observation[] {
  const newest = statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM observations AS o
     WHERE o.session_id = ?
       AND o.kind NOT IN ('search', 'fetch', 'command', 'summary')
     ORDER BY o.created_at_ms DESC, o.id DESC
     LIMIT ?`.all(sessionId, limit).map(observationOf).reverse();
  return newest.length < limit ? newest : [...promptsBefore(db, newest[0]!), ...newest];
}

/** Returns the first and the last prompt of a session before an observation. */
function promptsBefore(
  db: DatabaseSync,
  { sessionId, createdAtMs, id }: Observation,
): Observation[] {
  const idOf = (order: "ASC" | "DESC") =>
    `(SELECT id
        FROM observations
       WHERE session_id = ?1
         AND kind = 'prompt'
         AND (created_at_ms, id) < (?2, ?3)
       ORDER BY created_at_ms ${order}, id ${order}
       LIMIT 1)`;
  return statement(db)`
    SELECT ${OBSERVATION_COLUMNS}
      FROM observations AS o
     WHERE o.id IN (${idOf("ASC")}, ${idOf("DESC")})
     ORDER BY o.created_at_ms, o.id`.all(sessionId, createdAtMs, id).map(observationOf);
}
